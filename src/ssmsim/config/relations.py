"""Relations between fields that a configuration must keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssmsim.config.schema import SimConfig


def contradictions(config: SimConfig) -> list[tuple[bool, str, str]]:
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
        (l2.fetch_bytes not in (32, 64, 128), "l2.fetch_bytes", "must be 32, 64 or 128"),
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
        (fetch.l0_bytes_per_subcore % fetch.l0_line_bytes != 0, "fetch.l0_bytes_per_subcore", "is not whole lines"),
    ]
