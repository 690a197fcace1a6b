"""Whether a launch and a configuration are of the same GPU."""

import re

from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch


def same_device(launch: Launch, config: SimConfig) -> bool:
    """Whether the launch was captured on the product that the configuration names; true where it names none."""
    return not config.gpu.name or re.search(rf"\b{re.escape(config.gpu.name)}\b", launch.device.name) is not None


def check_device(launch: Launch, config: SimConfig) -> None:
    """Raise SsmsimError for a launch that was captured on another GPU than the configuration describes."""
    if not same_device(launch, config):
        what = f"captured on {launch.device.name}, {config.name}.yaml describes the {config.gpu.name}"
        raise SsmsimError(what, launch.folder, "name a configuration of that GPU, or ask for it with --cross-device")
