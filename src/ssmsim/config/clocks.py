"""Clock domains: what lies beyond the SMs has clocks of its own, so a slower SM finds it nearer and wider, in its cycles.

Our microbenchmark clocks lowers the SM clock from 1980 to some 1790 MHz while other SMs multiply matrices: slices and the reply
ports of GPCs then give the same bytes per nanosecond, the ports of SMs the same bytes per SM cycle; of the 283 cycles of a
hit a half takes as many nanoseconds, as does what DRAM takes beyond it. ncu reads 1683 to 1709 MHz of the L2 beside 1620 to
1975 of the SMs. Request ports of GPCs, the link between partitions and the far latency are assumed to be with the L2.
"""

from typing import Any

from ssmsim.config.schema import SimConfig

RATES = (
    "noc.reply_bytes_per_cycle_per_gpc", "noc.request_bytes_per_cycle_per_gpc", "noc.partition_link_bytes_per_cycle",
    "l2.slice_bytes_per_cycle", "l2.slice_write_bytes_per_cycle", "l2.slice_fill_bytes_per_cycle",
)  # fmt: skip
INTERVALS = ("l2.slice_interval_cycles", "l2.atomic_interval_cycles", "l2.atomic_same_cycles")


def in_sm_cycles(config: SimConfig) -> SimConfig:
    """`config` with its cycles beyond the SMs, stated for gpu.cycles_at_mhz, in cycles of gpu.sm_clock_mhz."""
    share = config.gpu.sm_clock_mhz / config.gpu.cycles_at_mhz
    l2, dram = config.l2, config.dram
    near = l2.hit_latency_near_cycles * (1 - l2.own_clock_share * (1 - share))
    if share == 1:
        return config
    values: dict[str, Any] = {
        "l2.hit_latency_near_cycles": round(near),
        "l2.hit_latency_far_cycles": round(near + (l2.hit_latency_far_cycles - l2.hit_latency_near_cycles) * share),
        "l2.hit_latency_spread_cycles": round(l2.hit_latency_spread_cycles * share),
        "l2.atomic_latency_cycles": round(l2.atomic_latency_cycles * share),
        "dram.latency_near_cycles": round(near + (dram.latency_near_cycles - l2.hit_latency_near_cycles) * share),
        "dram.latency_far_cycles": round(near + (dram.latency_far_cycles - l2.hit_latency_near_cycles) * share),
    }
    for path in (*RATES, *INTERVALS):
        group, field = path.split(".")
        stated = getattr(getattr(config, group), field)
        values[path] = stated / share if path in RATES else stated * share
    changes: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        group, field = path.split(".")
        changes.setdefault(group, {})[field] = value
    return config.model_copy(update={g: getattr(config, g).model_copy(update=fields) for g, fields in changes.items()})
