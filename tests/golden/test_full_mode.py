"""Full mode against higher precision and against silicon: whole forward and backward passes, kernel by kernel.

Each capture holds the launches of one pass of a real model block on an H200, from random inputs, with the GPU's own
outputs. The emulator runs all of them, PyTorch's kernels between Mamba's included, over one memory image.
"""

import numpy as np
import pytest
import reference
from captured import emulated, relative_error

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("captures")]  # one worker emulates them, once
CASES = [
    (name, tensor)
    for name, tensors in {
        "ssd-small": "out dx ddt dA dB dC dD ddt_bias",
        "ssd-ragged": "out dx ddt dA dB dC dD ddt_bias",
        "mamba1-small": "out du ddelta dA dB dC dD dz ddelta_bias",
    }.items()
    for tensor in tensors.split()
]
BFLOAT16_WORK = 4e-3  # 2**-8 is the spacing of bfloat16; errors of a norm stay below it


def truth(name: str) -> dict[str, np.ndarray]:
    inputs = emulated(name)[0].inputs()
    return reference.selective_scan(inputs) if name.startswith("mamba1") else reference.ssd(inputs)


@pytest.fixture(scope="module")
def truths() -> dict[str, dict[str, np.ndarray]]:
    return {name: truth(name) for name in dict.fromkeys(name for name, _ in CASES)}


@pytest.mark.parametrize(("name", "tensor"), CASES)
def test_agrees_with_a_float64_recurrence(name: str, tensor: str, truths: dict[str, dict[str, np.ndarray]]) -> None:
    captured, image, _ = emulated(name)
    value, exact = captured.result(image, tensor), truths[name][tensor]
    assert relative_error(value, exact) < BFLOAT16_WORK
    assert np.abs(value - exact).max() < 0.02 * np.abs(exact).max()


@pytest.mark.parametrize(("name", "tensor"), CASES)
def test_agrees_with_the_gpu(name: str, tensor: str, truths: dict[str, dict[str, np.ndarray]]) -> None:
    """What remains is the last bit of sums in another order (atomics, matrix units) and of special functions."""
    captured, image, _ = emulated(name)
    value, measured = captured.result(image, tensor), captured.measured(tensor)
    assert relative_error(value, measured) < 1e-4
    if captured.outputs[tensor]["dtype"] == "bfloat16":
        assert (value == measured).mean() > 0.998
