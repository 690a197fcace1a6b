"""A part of a GPU with its share of all that is counted or shared: what a sweep over many configurations affords.

The part has `sms` of the GPU's SMs, and of L2 slices, DRAM channels, crossbar and launch rate as large a share, so that
what each SM gets is what it gets in the whole; bandwidths make good what whole slices and channels round. The L2 keeps
its capacity: what the kernels find there are tiles that all SMs read, and these do not shrink with the SMs.
"""

from typing import Any

from ssmsim.config.schema import SimConfig
from ssmsim.counters import COUNTERS
from ssmsim.engines import Engine
from ssmsim.engines.request import Request, Window, WindowRequest
from ssmsim.launch import Launch
from ssmsim.results import Result
from ssmsim.trace.types import Program, Tracer

NOT_SUMMED = ("cycle", "ns", "%", "Hz")  # units of counters that do not grow with the number of SMs


class Parts:
    """Pieces of one launch on parts of the GPU: blocks, what ran before them and the L2 it left, made once per size."""

    def __init__(self, launch: Launch, program: Program, tracer: Tracer, baseline: SimConfig) -> None:
        self.launch, self.program, self.tracer, self.baseline = launch, program, tracer, baseline
        self.windows: dict[tuple[float, ...], Window] = {}

    def simulate(self, engine: Engine, config: SimConfig, sms: int, waves: float) -> Result:
        """The launch on the whole of `config`, estimated from a piece of it on `sms` SMs."""
        share = sms / config.sm_count
        first = self._window(engine, self.baseline, sms, waves, None)
        window = self._window(engine, config, sms, waves, first)
        part = part_of(config, sms)
        result = engine.simulate(Request(self.program, window.source(), self.launch, part, window=window))
        note = f"estimated from {window.count} of {self.launch.blocks} blocks on {sms} of {config.sm_count} SMs"
        return result.model_copy(update={"counters": whole(result.counters, share), "notes": [*result.notes, note]})

    def _window(self, engine: Engine, config: SimConfig, sms: int, waves: float, like: Window | None) -> Window:
        """The piece that fills a configuration: more blocks where more are resident, around the same as the baseline's."""
        key = (sms, waves, engine.resident(self.launch, config))
        if key not in self.windows:
            share = sms / config.sm_count
            same = key[2] == engine.resident(self.launch, self.baseline)
            base = part_of(self.baseline if same else config, sms)
            wanted = WindowRequest(self.program, self.launch, base, self.tracer, waves, share, like)
            self.windows[key] = engine.window(wanted)
        return self.windows[key]


def whole(counters: dict[str, float | None], share: float) -> dict[str, float | None]:
    """Counters of a part's share of a launch, as those of the launch: sums grow, times, rates and ratios stay."""
    return {
        name: value / share
        if value is not None and name.endswith(".sum") and COUNTERS[name].unit not in NOT_SUMMED
        else value
        for name, value in counters.items()
    }


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
            "slice_write_bytes_per_cycle": config.l2.slice_write_bytes_per_cycle * slice_share,
            "slice_fill_bytes_per_cycle": config.l2.slice_fill_bytes_per_cycle * slice_share,
            "slice_atomic_bytes_per_cycle": config.l2.slice_atomic_bytes_per_cycle * slice_share,
            "slice_interval_cycles": config.l2.slice_interval_cycles / slice_share,
            "atomic_interval_cycles": config.l2.atomic_interval_cycles / slice_share,
            "atomic_fp64_interval_cycles": config.l2.atomic_fp64_interval_cycles / slice_share,
            "atomic_same_cycles": config.l2.atomic_same_cycles / slice_share,
            "atomic_integer_same_cycles": config.l2.atomic_integer_same_cycles / slice_share,
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
