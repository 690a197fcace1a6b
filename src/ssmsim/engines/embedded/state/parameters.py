"""Parameters of a run, as the compiled loop reads them: m.GROUP.FIELD is the configuration's field of that name.

Groups and fields come from the schema (config/schema.py), so a parameter is declared there and nowhere else. Whole numbers
keep their name. What the loop cannot compute with is converted, and its name says so: cycles and shares that need not be
whole become fixed point (`_cycles_fp`, `_share_fp`), nanoseconds become SM cycles (`_ns` to `_cycles`). Rates, tables and
texts have no field: what follows from them, and from the launch, is derived below and lies in m itself.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from ssmsim.architecture import LANES
from ssmsim.config.clocks import in_sm_cycles
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded.memory import dram_schedulers, replacement
from ssmsim.engines.embedded.memory.l2 import hash
from ssmsim.engines.embedded.memory.l2.hash.mixed_rounds import SLICE_ROUND
from ssmsim.engines.embedded.memory.noc import DISTANCES
from ssmsim.engines.embedded.plugins import number
from ssmsim.engines.embedded.sm import schedulers
from ssmsim.engines.embedded.sm.instruction import (
    ALU,
    BRANCH,
    CLUSTER_ARRIVE,
    FP64,
    HEAVY,
    LITE,
    LOCAL,
    MBARRIER,
    PIPES,
    TENSOR,
    UNIFORM,
    XU,
)
from ssmsim.engines.embedded.state.records import FP, PORT_FP, Records, record, records
from ssmsim.launch import Launch

if TYPE_CHECKING:
    from ssmsim.engines.embedded.state.occupancy import Occupancy

QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)  # of hit_latency_spread_cycles
LOADED_CAPACITY = 8192  # blocks that may be loaded and not yet finished, at least
HMMA_FLOPS = 2 * 16 * 8 * 16  # of HMMA.16816

# Plug-in points: field of m, package of the policies, field of the configuration.
POLICIES: tuple[tuple[str, ModuleType, str, str], ...] = (
    ("warp_scheduler", schedulers, "issue", "policy"),
    ("l1_replacement", replacement, "l1", "replacement"),
    ("l2_replacement", replacement, "l2", "replacement"),
    ("slice_hash", hash, "l2", "hash"),
    ("dram_scheduler", dram_schedulers, "dram", "scheduler"),
)

# Derived, by unit.
DERIVED: tuple[str | tuple[str, int], ...] = (
    "sms", "gpcs", "cpcs", "blocks_per_sm", "first_places", "most_blocks", "warp_units", "subcore_units",
    "warps_per_block", "subcore_warps", "block_total", "loaded_capacity",
    "persistent", "tiles_overlap", "places", "block_places", "launch_total",
    "issue_fp", ("interval_fp", len(PIPES) + 1),
    "code_lines", "l0_sets", "l0_ways", "l1i_sets", "gpci_sets", "imc_lines", "idc_lines",
    "wavefront_fp", "places_fp", "copy_early",
    "gmma_port_fp", "gmma_room_fp", "gmma_piece_fp",
    "prefetch_places", "l1_sets", "l1_ways", "l1_latency", "l1_awaited", "tag_fp", "store_fp",
    "request_latency", "reply_latency", "far_latency", ("distances", DISTANCES), "coalescer_window",
    "request_sm_fp", "request_gpc_fp", "reply_sm_fp", "reply_link_fp", "link_fp",
    "l2_sets", "l2_granule", "l2_page", "l2_pieces", "l2_pairs", "l2_pair", "dirty_half_ways",
    "slice_sector_fp", "slice_write_fp", "slice_fill_fp", "slice_atomic_fp", "adds_waiting_fp",
    "burst_fp", "dram_latency", "dram_queue", "look_fp",
    "launch_fp", "successor_fp",
    "handover", "execution_driven", "answer_cycles",
    "mbarriers", "cluster_size", "cluster_barriers", ("gpc_first", 33), "cluster_load_fp", "cluster_store_fp", "cluster_gpc_fp",
    *(name for name, *_ in POLICIES),
)  # fmt: skip


def converted(group: type[BaseModel]) -> dict[str, str]:
    """Engine's name to schema's name of each field of a group that the loop reads."""
    found = {}
    for name, field in group.model_fields.items():
        kind = field.annotation
        if kind is float and name.endswith("_ns"):
            found[name.removesuffix("_ns") + "_cycles"] = name
        elif kind is float and name.endswith(("_cycles", "_share")):
            found[name + "_fp"] = name
        elif kind in (int, bool) or ("Literal" in str(kind) and "'" not in str(kind)):
            found[name] = name
    return found


GROUPS = {
    name: converted(field.annotation)
    for name, field in SimConfig.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel) and converted(field.annotation)
}
PARAMETERS = record(*((group, record(*fields)) for group, fields in GROUPS.items()), *DERIVED)


def fixed(value: float) -> int:
    """Fixed point; what takes time takes the smallest at least."""
    return max(1, round(value * (1 << FP)))


def parameters(code: np.ndarray, launch: Launch, config: SimConfig, fits: Occupancy, block_total: int) -> Records:
    """PARAMETERS[1] of a launch under a configuration."""
    table = records(PARAMETERS, 1)
    m, c = table[0], in_sm_cycles(config)
    for group, fields in GROUPS.items():
        for name, source in fields.items():
            value = getattr(getattr(c, group), source)
            if source.endswith("_ns"):
                value = round(value * c.gpu.sm_clock_mhz / 1000)
            m[group][name] = fixed(value) if name.endswith("_fp") else value
    for name, package, group, source in POLICIES:
        m[name] = number(package, getattr(getattr(c, group), source), f"{config.name}: {group}.{source}")
    residency(m, c, launch, fits, block_total)
    execution(m, c)
    instruction_supply(m, c, int(code[-1].line) + 1)
    shared_memory(m, c)
    l1_cache(m, c, fits.l1_bytes // c.l1.line_bytes)
    crossbar(m, c)
    clusters(m, c, code, launch)
    l2_cache(m, c)
    dram_channels(m, c)
    run_ahead(m, c.l1.prefetch_lead_cycles)
    code["spill_bytes"][code["space"] == LOCAL] = fits.spill_bytes
    m.coalescer_window = min(c.noc.coalescer_window_cycles, int(m.reply_latency))  # a load that the SM has is gone
    return table


def residency(m: Any, c: SimConfig, launch: Launch, fits: Occupancy, block_total: int) -> None:
    """SMs, the blocks and warps that they hold, and the block scheduler's pace."""
    m.sms, m.gpcs, m.cpcs = c.sm_count, len(c.gpu.sms_per_gpc), int(cpcs(c).max()) + 1
    m.blocks_per_sm, m.warps_per_block, m.block_total = fits.blocks, launch.warps_per_block, block_total
    m.loaded_capacity = max(LOADED_CAPACITY, 2 * c.sm_count * fits.most)
    m.most_blocks = fits.most
    m.places, m.block_places, m.launch_total = c.sm_count * fits.blocks, fits.most, block_total
    if c.launch.schedule == "persistent":  # any of the tiles to come may be the next of a place
        m.persistent, m.tiles_overlap, m.block_places = 1, fits.overlaps, 2 * fits.blocks
        m.launch_total, m.loaded_capacity = min(block_total, m.places), max(m.loaded_capacity, block_total)
    unit = c.sm.register_allocation_unit
    m.warp_units, m.subcore_units = (
        -(-launch.registers_per_thread * LANES // unit),
        c.sm.registers // c.sm.subcores // unit,
    )
    registers = int(m.warp_units) * unit
    slots = c.sm.warp_slots_per_subcore
    m.subcore_warps = min(slots, c.sm.registers // c.sm.subcores // registers if registers else slots)
    m.launch_fp, m.successor_fp = fixed(1 / c.launch.blocks_per_cycle), fixed(1 / c.launch.successor_blocks_per_cycle)


def execution(m: Any, c: SimConfig) -> None:
    """Issue slots, pipes, and what HGMMAs leave of register ports and shared memory."""
    m.issue_fp = (1 << FP) // c.sm.issue_per_subcore_per_cycle
    half = c.sm.fp32_lanes_per_subcore // 2
    lanes = {HEAVY: half, LITE: half, ALU: c.sm.alu_lanes_per_subcore, FP64: c.sm.fp64_lanes_per_subcore,
             XU: c.sm.xu_lanes_per_subcore}  # fmt: skip
    for pipe, width in lanes.items():
        m.interval_fp[pipe] = fixed(LANES / width)
    m.interval_fp[TENSOR] = fixed(HMMA_FLOPS / c.tensor.flops_per_cycle_per_subcore / c.tensor.hmma_efficiency)
    m.interval_fp[UNIFORM] = fixed(c.sm.uniform_interval_cycles)
    m.interval_fp[BRANCH] = fixed(c.sm.branch_interval_cycles)
    m.gmma_port_fp = fixed(1 / (c.sm.register_ports_per_bank * (1 - c.tensor.hgmma_port_share)))
    m.gmma_room_fp = c.tensor.hgmma_results_held_cycles << FP
    m.gmma_piece_fp = fixed(c.tensor.hgmma_piece_bytes / c.tensor.hgmma_shared_bytes_per_cycle)


def instruction_supply(m: Any, c: SimConfig, code_lines: int) -> None:
    f, lines = c.fetch, c.fetch.l0_bytes_per_subcore // c.fetch.l0_line_bytes
    m.code_lines, m.l0_ways = code_lines, min(f.l0_ways, lines)
    m.l0_sets = lines // m.l0_ways
    m.l1i_sets = max(1, f.l1_bytes // f.l0_line_bytes // f.l1_ways)
    m.gpci_sets = f.gpc_bytes // f.l0_line_bytes
    m.imc_lines = max(1, c.constant.imc_bytes // c.constant.line_bytes)
    m.idc_lines = max(1, c.constant.ldc_bytes // c.constant.line_bytes)


def shared_memory(m: Any, c: SimConfig) -> None:
    m.wavefront_fp, m.places_fp = fixed(1 / c.shared.wavefronts_per_cycle), fixed(c.mio.copies_awaited)


def l1_cache(m: Any, c: SimConfig, lines: int) -> None:
    """lines: that the launch and the prefetcher leave of the unified memory."""
    m.prefetch_places = c.l1.prefetcher_bytes // c.l1.line_bytes
    m.l1_sets = max(1, lines // c.l1.ways)
    m.l1_ways = lines // m.l1_sets  # about the ways that the configuration names, so that the sizes come out
    m.l1_latency = c.l1.hit_latency_cycles - 1  # issue to use, of which the way to the LSU is the first cycle
    m.l1_awaited = max(32, lines + c.l1.awaited_lines_beyond)  # one access has 32 at most
    m.tag_fp, m.store_fp = fixed(1 / c.l1.tags_per_cycle), fixed(c.l1.sector_bytes / c.l1.write_through_bytes_per_cycle)
    m.copy_early = max(0, m.l1_latency - m.l1_latency // 2 - c.mio.copy_latency_cycles)  # no way back to registers


def crossbar(m: Any, c: SimConfig) -> None:
    path, port = c.l2.hit_latency_near_cycles - c.l1.hit_latency_cycles, 1 << PORT_FP
    m.request_latency, m.reply_latency = path // 2, path - path // 2
    m.far_latency = c.l2.hit_latency_far_cycles - c.l2.hit_latency_near_cycles
    shares = (np.arange(DISTANCES) + 0.5) / DISTANCES
    m.distances = np.rint(np.interp(shares, QUANTILES, c.l2.hit_latency_spread_cycles))
    m.request_sm_fp = int(port / c.noc.request_bytes_per_cycle_per_sm)
    m.reply_sm_fp = int(port / c.noc.reply_bytes_per_cycle_per_sm)
    m.request_gpc_fp = int(port / c.noc.request_bytes_per_cycle_per_gpc)
    links = c.l2.slices // c.l2.partitions if c.l2.far_copies else c.l2.slices
    m.reply_link_fp = int(port * links / c.noc.reply_bytes_per_cycle_per_gpc)
    m.link_fp = int(port / c.noc.partition_link_bytes_per_cycle)


def clusters(m: Any, c: SimConfig, code: np.ndarray, launch: Launch) -> None:
    """Clusters of blocks, their network, and whether there are barriers to keep."""
    m.mbarriers = int((code["space"] == MBARRIER).any())
    m.cluster_size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2]
    m.cluster_barriers = int(m.cluster_size > 1 or (code["kind"] == CLUSTER_ARRIVE).any())
    m.gpc_first[: m.gpcs + 1] = np.concatenate([[0], np.cumsum(c.gpu.sms_per_gpc)])
    port = 1 << PORT_FP
    m.cluster_load_fp = int(port / c.cluster.load_bytes_per_cycle)
    m.cluster_store_fp = int(port / c.cluster.store_bytes_per_cycle)
    m.cluster_gpc_fp = int(port / c.cluster.gpc_bytes_per_cycle)


def l2_cache(m: Any, c: SimConfig) -> None:
    l2, per_side = c.l2, c.l2.slices // c.l2.partitions
    m.l2_granule, m.l2_page = l2.hash_granule_bytes // l2.line_bytes, l2.hash_page_bytes // l2.line_bytes
    m.l2_pieces = m.l2_page // (SLICE_ROUND * m.l2_granule)
    m.l2_pair = 2 if per_side % 2 == 0 else 1
    m.l2_pairs = per_side // m.l2_pair
    m.l2_sets = l2.bytes // (l2.slices * l2.ways * l2.line_bytes)
    m.dirty_half_ways = round(2 * l2.dirty_fraction * l2.ways)
    m.slice_write_fp = fixed(l2.sector_bytes / l2.slice_write_bytes_per_cycle)
    m.slice_fill_fp = fixed(l2.sector_bytes / l2.slice_fill_bytes_per_cycle)
    m.slice_sector_fp = fixed(l2.sector_bytes / l2.slice_bytes_per_cycle)
    m.slice_atomic_fp = fixed(l2.sector_bytes / l2.slice_atomic_bytes_per_cycle)
    m.adds_waiting_fp = l2.atomic_queue_sectors * fixed(l2.atomic_interval_cycles)


def dram_channels(m: Any, c: SimConfig) -> None:
    d, cycles = c.dram, c.gpu.sm_clock_mhz / 1000  # per nanosecond
    m.burst_fp = fixed(d.access_bytes * d.channels / (d.attained_share * d.peak_gb_per_s / cycles))
    beyond = d.latency_near_cycles - c.l2.hit_latency_near_cycles
    m.dram_latency = max(0, beyond - m.dram.row_miss_cycles - (m.burst_fp >> FP))
    m.dram_queue = max(1, d.queue_entries_per_channel * d.channels // c.l2.slices)  # of a slice's channels together
    m.look_fp = fixed(d.look_ns * cycles)


def run_ahead(m: Any, lead: int) -> None:
    """Take `lead` cycles off the unloaded latency below the L1, nearest first; what waits in queues still waits."""
    for part in ("request_latency", "reply_latency", "dram_latency", "far_latency"):
        cut = min(lead, int(m[part]))
        m[part] -= cut
        lead -= cut


def cpcs(config: SimConfig) -> np.ndarray:
    """Number of each SM's CPC, [SMs]: those of a GPC follow one another, the last has what remains."""
    numbers: list[int] = []
    for sms in config.gpu.sms_per_gpc:
        first = numbers[-1] + 1 if numbers else 0
        numbers += [first + i // config.gpu.sms_per_cpc for i in range(sms)]
    return np.array(numbers)
