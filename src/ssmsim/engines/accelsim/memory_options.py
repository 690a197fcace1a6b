"""The memory side of a SimConfig in Accel-Sim's terms: channels, slices, clocks, latencies, DRAM timing.

Accel-Sim's crossbar and L2 slices pass one 32-byte sector per cycle of their clock each: a bandwidth becomes a clock.
"""

from dataclasses import dataclass
from math import ceil, gcd

from ssmsim.config.schema import SimConfig
from ssmsim.engines.accelsim.install import Version

SECTOR_BYTES = 32
# What a load costs in Accel-Sim beyond its configured latencies, in SM cycles: a pointer chase with the 2024 core.
L2_PATH_CYCLES = 10
DRAM_PATH_CYCLES = 72
IPOLY, IPOLY_MODULO = 2, 6


@dataclass(frozen=True)
class Memory:
    """channels x slices_per_channel = slices; clocks in MHz; notes on what differs from the configuration."""

    channels: int
    slices_per_channel: int
    indexing: int
    l2_mhz: float
    dram_mhz: float
    l2_sets: int
    l2_ways: int
    notes: tuple[str, ...]

    @property
    def slices(self) -> int:
        return self.channels * self.slices_per_channel


def memory_system(config: SimConfig, version: Version) -> Memory:
    """Choose a legal channel count, then clocks that keep the configured bandwidths.

    The IPOLY hash of the 1.x line accepts 16, 32 or 64 slices; other counts abort or, through a modulo, load some
    slices twice. 2.0 hashes over the power of two in the count and takes the rest modulo.
    """
    l2, noc, dram = config.l2, config.noc, config.dram
    notes = []
    if version == "2.0" and l2.slices % 2 == 0:
        slices, indexing = l2.slices, IPOLY_MODULO
    else:
        slices, indexing = max((n for n in (16, 32, 64) if n <= l2.slices), default=16), IPOLY
        if slices != l2.slices:
            notes.append(
                f"{slices} L2 slices instead of {l2.slices}, with their capacity and bandwidth in sum: "
                "the address hash of this Accel-Sim accepts 16, 32 or 64"
            )
    # bytes per SM cycle that all slices and the crossbar together can give
    rate = min(
        l2.slices * l2.slice_bytes_per_cycle,
        config.sm_count * noc.reply_bytes_per_cycle_per_sm,
        len(config.gpu.sms_per_gpc) * noc.reply_bytes_per_cycle_per_gpc,
    )
    clock = config.gpu.cycles_at_mhz * rate / (slices * SECTOR_BYTES)
    channels = slices // 2
    sets, ways = _sets_and_ways(l2.bytes // (slices * l2.line_bytes), l2.ways)
    if ways != l2.ways:
        notes.append(f"L2 of {ways} ways instead of {l2.ways}: the number of sets must be a power of two")
    if l2.hit_latency_near_cycles != l2.hit_latency_far_cycles:
        notes.append("one L2 and one DRAM latency, the mean of near and far partition")
    return Memory(
        channels=channels,
        slices_per_channel=2,
        indexing=indexing,
        l2_mhz=round(clock, 1),
        dram_mhz=round(dram.peak_gb_per_s * 1e3 / (channels * SECTOR_BYTES), 1),
        l2_sets=sets,
        l2_ways=ways,
        notes=tuple(notes),
    )


def _sets_and_ways(lines: int, wanted_ways: int) -> tuple[int, int]:
    """A power of two of sets that divides `lines`, with ways as near the wanted as that allows."""
    largest = gcd(lines, 1 << 20)
    choices = [1 << bit for bit in range(largest.bit_length())]
    sets = min(choices, key=lambda n: (abs(lines // n - wanted_ways), n))
    return sets, lines // sets


def memory_options(config: SimConfig, memory: Memory, version: Version) -> list[tuple[str, object, tuple[str, ...]]]:
    """(option, value, fields it expresses)."""
    l2, dram = config.l2, config.dram
    near, far = l2.hit_latency_near_cycles, l2.hit_latency_far_cycles
    l2_latency = (near + far) / 2
    dram_latency = (dram.latency_near_cycles + dram.latency_far_cycles) / 2
    misses = ceil(l2.slices * l2.miss_lines_per_slice / memory.slices)
    clocks = f"{config.gpu.sm_clock_mhz}:{memory.l2_mhz}:{memory.l2_mhz}:{memory.dram_mhz}"
    options: list[tuple[str, object, tuple[str, ...]]] = [
        (
            "gpgpu_clock_domains",
            clocks,
            (
                "gpu.sm_clock_mhz", "l2.slice_bytes_per_cycle", "noc.reply_bytes_per_cycle_per_sm",
                "noc.reply_bytes_per_cycle_per_gpc", "dram.peak_gb_per_s",
            ),
        ),
        ("gpgpu_n_mem", memory.channels, ("dram.channels",)),
        ("gpgpu_n_sub_partition_per_mchannel", memory.slices_per_channel, ("l2.slices",)),
        ("gpgpu_memory_partition_indexing", memory.indexing, ()),
        (
            "gpgpu_cache:dl2",
            f"S:{memory.l2_sets}:{l2.line_bytes}:{memory.l2_ways},L:B:m:L:X,A:{misses}:4,32:0,{SECTOR_BYTES}",
            ("l2.bytes", "l2.ways", "l2.line_bytes", "l2.sector_bytes", "l2.miss_lines_per_slice"),
        ),
        ("gpgpu_cache:dl2_texture_only", 0, ()),
        ("gpgpu_dram_partition_queues", "64:64:64:64", ()),
        ("gpgpu_perf_sim_memcpy", 0, ()),
        (
            "gpgpu_l2_rop_latency",
            max(1, round(l2_latency - L2_PATH_CYCLES)),
            ("l2.hit_latency_near_cycles", "l2.hit_latency_far_cycles"),
        ),
        (
            "dram_latency",
            max(1, round(dram_latency - l2_latency - DRAM_PATH_CYCLES)),
            ("dram.latency_near_cycles", "dram.latency_far_cycles"),
        ),
        ("gpgpu_simple_dram_model", 0, ()),
        ("gpgpu_dram_scheduler", 1, ()),
        (
            "gpgpu_frfcfs_dram_sched_queue_size",
            dram.queue_entries_per_channel,
            ("dram.queue_entries_per_channel",),
        ),
        ("gpgpu_dram_return_queue_size", 192, ()),
        ("gpgpu_n_mem_per_ctrlr", 1, ()),
        ("gpgpu_dram_buswidth", 16, ()),
        ("gpgpu_dram_burst_length", 2, ()),
        ("dram_data_command_freq_ratio", 2, ()),
        ("gpgpu_mem_address_mask", 1, ()),
        (
            "gpgpu_mem_addr_mapping",
            "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
            ("l2.hash_granule_bytes", "dram.channel_hash_granule_bytes"),
        ),
        ("gpgpu_dram_timing_opt", dram_timing(config, memory), DRAM_FIELDS),
        ("dram_dual_bus_interface", 1, ()),
        ("dram_bnk_indexing_policy", 0, ()),
        ("dram_bnkgrp_indexing_policy", 1, ()),
    ]  # fmt: skip
    if version == "2.0":
        options += [
            ("gpgpu_n_chiplet_partition", l2.partitions, ("l2.partitions",)),
            ("inter_chiplet_queue_size", 256, ()),
            ("gpgpu_chiplet_interleave", 0, ()),
            ("gpgpu_lrc_enabled", 1, ()),
            ("gpgpu_lrc_max_entries", 1024, ()),
            ("gpgpu_lrc_max_merged", 4, ()),
        ]
    return options


DRAM_FIELDS = ("dram.row_cycle_ns", "dram.row_miss_ns", "dram.write_to_read_ns")
MAX_BANKS = 16  # address bits that the mapping gives to banks


def dram_timing(config: SimConfig, memory: Memory) -> str:
    """Timing in DRAM cycles: rows from the configuration; CL, WL, WR and RRD in the proportions of Accel-Sim's HBM3."""
    dram = config.dram

    def cycles(nanoseconds: float) -> int:
        return max(1, round(nanoseconds * memory.dram_mhz / 1e3))

    row_cycle, half_miss = cycles(dram.row_cycle_ns), cycles(dram.row_miss_ns / 2)
    after_write = cycles(dram.write_to_read_ns - dram.row_miss_ns / 2)  # without CL, which follows it
    values = {
        "nbk": MAX_BANKS, "CCD": 1, "RRD": cycles(2), "RCD": half_miss, "RAS": row_cycle - half_miss, "RP": half_miss,
        "RC": row_cycle, "CL": half_miss, "WL": cycles(2), "CDLR": after_write, "WR": cycles(7),
        "nbkgrp": 4, "CCDL": 2, "RTPL": cycles(2.6),
    }  # fmt: skip
    return ":".join(f"{name}={value}" for name, value in values.items())
