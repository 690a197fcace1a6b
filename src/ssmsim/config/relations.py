"""Relations between fields that a configuration must keep."""

from ssmsim.architecture import LINE_BYTES, SECTOR_BYTES
from ssmsim.config.gpu import Hardware

MOST_RECORDS = 1 << 24  # of one kind in the engine's state: some gigabytes
MOST_SMS = 1024
FARTHEST_CLOCKS = 4  # one clock at most so many times another
LONGEST_BURST_CYCLES = 1 << 20  # a channel that takes longer for one access looks like one that never answers


def contradictions(config: Hardware) -> list[tuple[bool, str, str]]:
    """(contradicts, field, why) for every relation between fields."""
    sm, shared, l1, l2, dram, fetch = config.sm, config.shared, config.l1, config.l2, config.dram, config.fetch
    mio = config.mio
    carveouts, near, far = list(shared.carveouts_kib), l2.hit_latency_near_cycles, l2.hit_latency_far_cycles
    return [
        (
            shared.max_bytes_per_sm + l1.reserved_bytes > l1.unified_bytes,
            "shared.max_bytes_per_sm",
            "exceeds l1.unified_bytes less l1.reserved_bytes",
        ),
        (shared.max_bytes_per_block > shared.max_bytes_per_sm, "shared.max_bytes_per_block", "exceeds the SM's"),
        (max(carveouts) * 1024 != shared.max_bytes_per_sm, "shared.carveouts_kib", "must end with max_bytes_per_sm"),
        (carveouts != sorted(set(carveouts)), "shared.carveouts_kib", "must ascend"),
        *_prefetcher(config),
        *_register_release(config),
        (l2.slices % l2.partitions != 0, "l2.slices", "is not a multiple of l2.partitions"),
        (
            l2.bytes % (l2.slices * l2.ways * l2.line_bytes) != 0,
            "l2.bytes",
            "is not slices x ways x lines x whole sets",
        ),
        (l2.hash_granule_bytes % l2.line_bytes != 0, "l2.hash_granule_bytes", "is not a multiple of l2.line_bytes"),
        (
            l2.hash_page_bytes % (4 * l2.hash_granule_bytes) != 0,
            "l2.hash_page_bytes",
            "is not a multiple of four times l2.hash_granule_bytes",
        ),
        (
            list(l2.hit_latency_spread_cycles) != sorted(l2.hit_latency_spread_cycles),
            "l2.hit_latency_spread_cycles",
            "does not ascend",
        ),
        (l2.fetch_bytes not in (SECTOR_BYTES, 2 * SECTOR_BYTES, LINE_BYTES), "l2.fetch_bytes", "must be 32, 64 or 128"),
        (far < near, "l2.hit_latency_far_cycles", "is below l2.hit_latency_near_cycles"),
        (near <= l1.hit_latency_cycles, "l2.hit_latency_near_cycles", "does not exceed l1.hit_latency_cycles"),
        (dram.latency_near_cycles <= near, "dram.latency_near_cycles", "does not exceed l2.hit_latency_near_cycles"),
        (dram.latency_far_cycles < dram.latency_near_cycles, "dram.latency_far_cycles", "is below latency_near_cycles"),
        (
            min(mio.gpu_fence_near_cycles, mio.gpu_fence_far_cycles) <= mio.gpu_fence_lead_cycles,
            "mio.gpu_fence_lead_cycles",
            "is not below gpu_fence_near_cycles and gpu_fence_far_cycles, of which it is a part",
        ),
        (dram.row_cycle_ns < dram.row_miss_ns, "dram.row_cycle_ns", "is below dram.row_miss_ns, which is a part of it"),
        (
            0 < dram.refresh_interval_ns <= dram.refresh_ns + dram.row_miss_ns,
            "dram.refresh_interval_ns",
            "does not exceed dram.refresh_ns and dram.row_miss_ns together: no bank would ever be open",
        ),
        (dram.channels % l2.partitions != 0, "dram.channels", "is not a multiple of l2.partitions"),
        (sm.registers % sm.register_allocation_unit != 0, "sm.registers", "is not a multiple of its allocation unit"),
        (sm.fp32_lanes_per_subcore % 2 != 0, "sm.fp32_lanes_per_subcore", "must be even: two FMA pipes"),
        *_sizes(config),
        (fetch.l0_bytes_per_subcore % fetch.l0_line_bytes != 0, "fetch.l0_bytes_per_subcore", "is not whole lines"),
    ]


def _prefetcher(config: Hardware) -> list[tuple[bool, str, str]]:
    """A prefetcher needs each of its parts; an oracle beside it would hide what it is to show."""
    l1 = config.l1
    return [
        (l1.prefetcher_bytes % l1.line_bytes != 0, "l1.prefetcher_bytes", "is not whole lines"),
        (
            l1.prefetcher_bytes > 0 and l1.prefetcher_loads == 0,
            "l1.prefetcher_loads",
            "is 0: the prefetcher would never ask",
        ),
        (
            l1.prefetcher_bytes > 0 and l1.prefetcher_awaited_lines == 0,
            "l1.prefetcher_awaited_lines",
            "is 0: the prefetcher would never ask",
        ),
        (
            l1.prefetcher_bytes > 0 and l1.prefetch_lead_cycles > 0,
            "l1.prefetch_lead_cycles",
            "is a bound in place of a prefetcher: set it or l1.prefetcher_bytes",
        ),
    ]


def _register_release(config: Hardware) -> list[tuple[bool, str, str]]:
    """Registers that are given back are for blocks that may start early, and are not taken again."""
    release, early = config.sm.register_release, config.sm.early_blocks
    return [
        (
            release == "last_use" and early == 0,
            "sm.early_blocks",
            "is 0: no block would start on registers that sm.register_release: last_use gives back",
        ),
        (
            release == "block_end" and early > 0,
            "sm.early_blocks",
            "needs sm.register_release: last_use: no registers are given back before a block ends",
        ),
        (
            release == "last_use" and config.launch.schedule == "persistent",
            "sm.register_release",
            "last_use does not go with launch.schedule: persistent, whose warps need their registers for the next tile",
        ),
    ]


def _sizes(config: Hardware) -> list[tuple[bool, str, str]]:
    """What the engine could not hold, or would take for a deadlock."""
    gpu, sm, l1, l2, dram, fetch, noc = (
        config.gpu, config.sm, config.l1, config.l2, config.dram, config.fetch, config.noc
    )  # fmt: skip
    sms, gpcs = config.sm_count, len(gpu.sms_per_gpc)
    subcores = sms * sm.subcores
    held = {
        "l1.unified_bytes": sms * l1.unified_bytes // l1.line_bytes,
        "l1.miss_lines": sms * l1.miss_lines * 2,
        "l1.store_bytes": sms * l1.store_bytes // 16,
        "l2.bytes": l2.bytes // l2.line_bytes,
        "l2.slices": 4 * l2.slices * (2 * sms + 3),
        "l2.miss_lines_per_slice": l2.slices * l2.miss_lines_per_slice * 3,
        "noc.coalescer_entries_per_gpc": gpcs * noc.coalescer_entries_per_gpc,
        "mio.queue_entries_per_subcore": subcores * config.mio.queue_entries_per_subcore,
        "fetch.l0_bytes_per_subcore": subcores * fetch.l0_bytes_per_subcore // fetch.l0_line_bytes,
        "fetch.l1_bytes": sms * fetch.l1_bytes // fetch.l0_line_bytes,
        "fetch.gpc_bytes": gpcs * fetch.gpc_bytes // fetch.l0_line_bytes,
        "constant.imc_bytes": sms * config.constant.imc_bytes // config.constant.line_bytes,
        "constant.ldc_bytes": sms * config.constant.ldc_bytes // config.constant.line_bytes,
    }
    clocks = gpu.sm_clock_mhz / gpu.cycles_at_mhz
    burst = dram.access_bytes * dram.channels / (dram.attained_share * dram.peak_gb_per_s) * gpu.sm_clock_mhz / 1000
    return [
        (sms > MOST_SMS, "gpu.sms_per_gpc", f"gives {sms} SMs, more than {MOST_SMS}"),
        *((count > MOST_RECORDS, field, f"needs {count} entries of state on the whole GPU, more than {MOST_RECORDS}")
          for field, count in held.items()),
        (not 1 / FARTHEST_CLOCKS <= clocks <= FARTHEST_CLOCKS, "gpu.sm_clock_mhz",
         f"is more than {FARTHEST_CLOCKS} times gpu.cycles_at_mhz, or less than 1/{FARTHEST_CLOCKS} of it"),
        (burst > LONGEST_BURST_CYCLES, "dram.peak_gb_per_s",
         f"gives a channel one access in {burst:.0f} cycles, with dram.attained_share, access_bytes and channels; "
         f"more than {LONGEST_BURST_CYCLES}"),
        (fetch.l0_line_bytes > fetch.l0_bytes_per_subcore, "fetch.l0_line_bytes", "exceeds fetch.l0_bytes_per_subcore"),
    ]  # fmt: skip
