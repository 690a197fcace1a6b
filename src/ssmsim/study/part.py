"""A part of a GPU with its share of all that is counted or shared: what a sweep over many configurations affords.

The part has `sms` of the GPU's SMs, and of L2 slices, DRAM channels, crossbar and launch rate as large a share, so that
what each SM gets is what it gets in the whole; bandwidths make good what whole slices and channels round. The L2 keeps
its capacity: what the kernels find there are tiles that all SMs read, and these do not shrink with the SMs.
"""

from typing import Any

from ssmsim.config.schema import SimConfig


def part_of(config: SimConfig, sms: int) -> SimConfig:
    """`config` cut down to `sms` SMs, in one GPC at each L2 partition."""
    share = sms / config.sm_count
    partitions = config.l2.partitions
    slices = _multiple(config.l2.slices * share, partitions)
    channels = _multiple(config.dram.channels * share, partitions)
    slice_share = config.l2.slices * share / slices  # of a whole slice's rate
    per_gpc = sms / partitions / max(config.gpu.sms_per_gpc)
    line = slices * config.l2.ways * config.l2.line_bytes
    changes: dict[str, dict[str, Any]] = {
        "gpu": {"sms_per_gpc": (sms // partitions,) * partitions},
        "l2": {
            "slices": slices,
            "bytes": round(config.l2.bytes / line) * line,
            "slice_bytes_per_cycle": config.l2.slice_bytes_per_cycle * slice_share,
            "slice_interval_cycles": config.l2.slice_interval_cycles / slice_share,
            "atomic_interval_cycles": config.l2.atomic_interval_cycles / slice_share,
        },
        "dram": {"channels": channels, "peak_gb_per_s": config.dram.peak_gb_per_s * share},
        "noc": {
            "reply_bytes_per_cycle_per_gpc": config.noc.reply_bytes_per_cycle_per_gpc * per_gpc,
            "request_bytes_per_cycle_per_gpc": config.noc.request_bytes_per_cycle_per_gpc * per_gpc,
            "partition_link_bytes_per_cycle": config.noc.partition_link_bytes_per_cycle * share,
        },
        "launch": {"blocks_per_cycle": config.launch.blocks_per_cycle * share},
    }
    values = config.model_dump()
    for group, fields in changes.items():
        values[group] |= fields
    return SimConfig.model_validate(values)


def _multiple(value: float, of: int) -> int:
    return max(1, round(value / of)) * of
