"""Clock domains: what lies beyond the SMs has clocks of its own, so a slower SM finds it nearer and wider, in its cycles.

Our microbenchmark clock/domain_frequency lowers the SM clock from 1980 to some 1790 MHz while other SMs multiply
matrices: slices and the reply ports of GPCs then give the same bytes per nanosecond, the ports of SMs the same bytes
per SM cycle; of the 283 cycles of a hit a half takes as many nanoseconds, as does what DRAM takes beyond it. ncu reads
1683 to 1709 MHz of the L2 beside 1620 to 1975 of the SMs. Request ports of GPCs, the link between partitions and the
far latency are assumed to be with the L2.
"""

from ssmsim.config.schema import SimConfig

NOC_RATES = ("reply_bytes_per_cycle_per_gpc", "request_bytes_per_cycle_per_gpc", "partition_link_bytes_per_cycle")
L2_RATES = ("slice_bytes_per_cycle", "slice_write_bytes_per_cycle", "slice_fill_bytes_per_cycle",
            "slice_atomic_bytes_per_cycle")  # fmt: skip
L2_INTERVALS = ("slice_interval_cycles", "atomic_interval_cycles", "atomic_fp64_interval_cycles", "atomic_same_cycles",
                "atomic_integer_same_cycles")  # fmt: skip


def at_clock(config: SimConfig, mhz: float | None) -> SimConfig:
    """`config` with its SMs at `mhz`, or as it is; L2 and DRAM keep their own clocks, so a slower SM finds them faster."""
    if mhz is None:
        return config
    return config.model_copy(update={"gpu": config.gpu.model_copy(update={"sm_clock_mhz": round(mhz)})})


def in_sm_cycles(config: SimConfig) -> SimConfig:
    """`config` with its cycles beyond the SMs, stated for gpu.cycles_at_mhz, in cycles of gpu.sm_clock_mhz."""
    share = config.gpu.sm_clock_mhz / config.gpu.cycles_at_mhz
    noc, l2, dram = config.noc, config.l2, config.dram
    hit = l2.hit_latency_near_cycles
    near = hit * (1 - l2.own_clock_share * (1 - share))
    if share == 1:
        return config
    in_l2 = {
        "hit_latency_near_cycles": round(near),
        "hit_latency_far_cycles": round(near + (l2.hit_latency_far_cycles - hit) * share),
        "hit_latency_spread_cycles": tuple(round(cycles * share) for cycles in l2.hit_latency_spread_cycles),
        "atomic_latency_cycles": round(l2.atomic_latency_cycles * share),
        **{field: getattr(l2, field) / share for field in L2_RATES},
        **{field: getattr(l2, field) * share for field in L2_INTERVALS},
    }
    in_dram = {
        "latency_near_cycles": round(near + (dram.latency_near_cycles - hit) * share),
        "latency_far_cycles": round(near + (dram.latency_far_cycles - hit) * share),
    }
    return config.model_copy(
        update={
            "noc": noc.model_copy(update={field: getattr(noc, field) / share for field in NOC_RATES}),
            "l2": l2.model_copy(update=in_l2),
            "dram": dram.model_copy(update=in_dram),
        }
    )
