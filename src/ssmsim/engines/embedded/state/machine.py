"""SimConfig and launch to the engine's state: every name resolved to an integer, every array allocated, once."""

from dataclasses import dataclass

import numpy as np

from ssmsim.config.clocks import in_sm_cycles
from ssmsim.config.schema import SimConfig
from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded import event_queue as wheel
from ssmsim.engines.embedded.host.huge_pages import Room
from ssmsim.engines.embedded.memory.address_map import TURNS
from ssmsim.engines.embedded.sm.stalls import STALLS
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parts import Arrays
from ssmsim.engines.embedded.state.records import Records
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch

LOADED_RING = 8192  # blocks that may be loaded and not yet finished
PORT_FP = 16  # fraction bits of a port's cycles per byte
QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)  # of hit_latency_spread_cycles


@dataclass
class State:
    """All arrays of a run. stalls: int64[instructions, STALL_REASONS]; others are records, see where each is declared."""

    machine: Records
    gpu: Records
    counts: Records
    sms: Records
    subs: Records
    warps: Records
    blocks: Records
    loaded: Records
    order: Records
    code: Records
    stream: Records
    accesses: Records
    lines: Records
    events: Records
    requests: Records
    fills: Records
    coalescer: Records
    l1_tags: Records
    l1_lines: Records
    slices: Records
    nodes: Records
    l2_tags: Records
    l2_lines: Records
    transactions: Records
    channels: Records
    l0: Records
    l1i: Records
    gpci: Records
    l2i: Records
    imc: Records
    idc: Records
    stalls: Records

    def arrays(self) -> Arrays:
        """What loop.run takes, by name; stalls as one record an instruction."""
        named = {name: getattr(self, name) for name in Arrays._fields}
        return Arrays(**named | {"stalls": self.stalls.view(STALLS).reshape(-1).view(np.recarray)})


@dataclass(frozen=True)
class Occupancy:
    """Blocks of this launch that fit on one SM, and what is left of the unified memory for the L1."""

    blocks: int
    limits: dict[str, int]
    carveout_bytes: int
    l1_bytes: int


def occupancy(launch: Launch, config: SimConfig) -> Occupancy:
    """Limits as in the CUDA occupancy calculator. Raises SsmsimError when not even one block fits."""
    sm, shared = config.sm, config.shared
    warps = launch.warps_per_block
    # Each sub-core has its own register file; a block needs no whole number of warps per sub-core.
    registers = _up(launch.registers_per_thread * 32, sm.register_allocation_unit)
    register_warps = sm.subcores * (sm.registers // sm.subcores // registers) if registers else sm.blocks * warps
    memory = _up(launch.shared_memory_bytes + shared.reserved_bytes_per_block, shared.allocation_unit_bytes)
    limits = {
        "warps": sm.subcores * sm.warp_slots_per_subcore // _up(warps, 1),
        "blocks": sm.blocks,
        "registers": register_warps // warps,
        "shared memory": shared.max_bytes_per_sm // memory if memory else sm.blocks,
    }
    if launch.shared_memory_bytes > shared.max_bytes_per_block:
        limits["shared memory"] = 0
    blocks, reason = min((count, name) for name, count in limits.items())
    if blocks == 0:
        raise SsmsimError(f"a block does not fit on an SM of {config.name}: too much of its {reason}", launch.folder,
                          "give the configuration more, or capture another launch")  # fmt: skip
    carveout = next(k * 1024 for k in shared.carveouts_kib if k * 1024 >= blocks * memory)
    return Occupancy(blocks, limits, carveout, config.l1.unified_bytes - carveout - config.l1.reserved_bytes)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def build(code: np.ndarray, launch: Launch, config: SimConfig, block_total: int) -> State:
    """All state at the start of the kernel: caches empty, nothing in flight."""
    fits = occupancy(launch, config)
    m = machine_record(code, launch, config, fits, block_total)
    one, room = m[0], Room()
    sms = room.records(r.SM, int(one.sms))
    subs = room.records(r.SUBCORE, 4 * len(sms))
    warps = room.records(r.WARP, len(subs) * int(one.slots))
    warps.ready, warps.block = r.INF, r.NONE
    warps.bit = 1 << np.arange(len(warps)) % one.slots
    subs.wake, subs.greedy, sms.wake, sms.lsu_next = r.INF, r.NONE, r.INF, r.INF
    gpc_of = np.repeat(np.arange(len(config.gpu.sms_per_gpc)), config.gpu.sms_per_gpc)
    sms.number, sms.gpc, sms.cpc = np.arange(len(sms)), gpc_of, cpcs(config)
    busy = np.bincount(gpc_of) * min(1.0, block_total / len(sms))  # SMs of each GPC that get a block
    port = np.rint(config.fetch.gpc_port_cycles * busy).astype(np.int64)
    sms.refill_interval = np.maximum(config.fetch.gpc_interval_cycles, port)[gpc_of]
    sms.side = gpc_of * config.l2.partitions // len(config.gpu.sms_per_gpc)
    l0_entries = len(subs) * int(one.l0_sets * one.l0_ways)
    state = State(
        machine=m, gpu=room.records(r.GPU, 1), counts=room.records(r.COUNTS, 1), sms=sms, subs=subs, warps=warps,
        blocks=room.records(r.BLOCK, len(sms) * fits.blocks),
        loaded=room.records(r.LOADED, int(one.loaded_capacity)),
        order=np.arange(len(sms)),  # SMs are numbered GPC by GPC
        code=code, stream=np.zeros(0, np.int32), accesses=room.records(r.ACCESS, 0),
        lines=np.zeros(0, np.int64), events=room.records(r.EVENT, wheel.WHEEL + (1 << 19)),
        requests=room.records(r.REQUEST, 1 + 4 * len(sms) * int(one.queue) + len(sms) * 1024),
        fills=room.records(r.FILL, 1 + len(sms) * int(one.miss_lines + one.store_bytes // 32 + 64) * 2),
        coalescer=room.records(r.COALESCED, max(1, int(one.gpcs * one.coalescer))),
        l1_tags=room.records(r.TAG, len(sms) * int(one.l1_sets * one.l1_ways)),
        l1_lines=room.records(r.L1_LINE, len(sms) * int(one.l1_sets * one.l1_ways)),
        slices=room.records(r.SLICE, config.l2.slices),
        nodes=room.records(r.NODE, 4 * config.l2.slices * int(one.cpcs + one.sms + 3)),
        l2_tags=room.records(r.TAG, int(one.l2_slices * one.l2_sets * one.l2_ways)),
        l2_lines=room.records(r.L2_LINE, int(one.l2_slices * one.l2_sets * one.l2_ways)),
        transactions=room.records(r.TRANSACTION, 1 + config.l2.slices * (config.l2.miss_lines_per_slice + 64) * 3),
        channels=room.records(r.CHANNEL, config.dram.channels),
        l0=room.records(r.CODE_LINE, l0_entries), l1i=room.records(r.CODE_LINE, len(sms) * int(one.l1i_sets * one.l1i_ways)),
        gpci=room.records(r.CODE_LINE, max(1, int(one.gpcs * one.gpci_sets))),
        l2i=room.records(r.CODE_LINE, int(one.code_lines)),
        imc=room.records(r.CODE_LINE, len(sms) * int(one.imc_lines)),
        idc=room.records(r.CODE_LINE, len(sms) * int(one.idc_lines)),
        stalls=room.array(len(code) * len(STALL_REASONS), np.int64).reshape(len(code), -1),
    )  # fmt: skip
    wheel.prepare(state.events)
    first = int(one.start + one.first_issue)  # when the first warps ask for it
    share_code(state, config.fetch.launch_prefetch_bytes // config.fetch.l0_line_bytes, first + int(one.l2i_latency))
    for pool in (state.requests, state.fills, state.transactions):
        pool.next[:-1] = np.arange(1, len(pool))
        pool.next[-1] = 0
    state.fills[0].payload = len(state.fills) - 1
    state.transactions[0].sectors = len(state.transactions) - 1
    return state


def share_code(state: State, count: int, ready: int) -> None:
    """The first `count` lines of the kernel's code are in the L2 and, from cycle `ready` on, in the GPCs' caches if they fit.

    Code that has not run before comes late: SMs run an empty kernel 365 to 377 cycles the first time and behind another
    kernel, 131 again (traces, empty: 01-empty_kernel, a block per SM; by hand behind a store loop). From the L2, that is.
    """
    m = state.machine[0]
    lines = np.arange(min(count, int(m.code_lines)))
    state.l2i.tag[lines] = lines + 1
    for gpc in range(int(m.gpcs) if m.gpci_sets else 0):
        state.gpci.tag[gpc * m.gpci_sets + lines % m.gpci_sets] = lines + 1
        state.gpci.ready[gpc * m.gpci_sets + lines % m.gpci_sets] = ready


def _fp(value: float) -> int:
    return max(1, round(value * (1 << r.FP)))


def cpcs(config: SimConfig) -> np.ndarray:
    """Number of each SM's CPC, [SMs]: those of a GPC follow one another, the last has what remains."""
    numbers: list[int] = []
    for sms in config.gpu.sms_per_gpc:
        first = numbers[-1] + 1 if numbers else 0
        numbers += [first + i // config.gpu.sms_per_cpc for i in range(sms)]
    return np.array(numbers)


def machine_record(
    code: np.ndarray, launch: Launch, config: SimConfig, fits: Occupancy, block_total: int
) -> np.ndarray:
    """MACHINE[1] from the configuration; see config/schema.py for what each value means."""
    table = r.records(r.MACHINE, 1)
    m, c = table[0], in_sm_cycles(config)
    clock = c.gpu.sm_clock_mhz
    m.sms, m.subcores, m.slots = c.sm_count, c.sm.subcores, c.sm.warp_slots_per_subcore
    m.blocks_per_sm, m.block_total = fits.blocks, block_total
    m.loaded_capacity = max(LOADED_RING, 2 * c.sm_count * fits.blocks)
    m.warps_per_block, m.issue_width = launch.warps_per_block, c.sm.issue_per_subcore_per_cycle
    m.issue_fp = (1 << r.FP) // c.sm.issue_per_subcore_per_cycle
    registers = _up(launch.registers_per_thread * 32, c.sm.register_allocation_unit)
    m.subcore_warps = min(m.slots, c.sm.registers // c.sm.subcores // registers if registers else m.slots)
    half = c.sm.fp32_lanes_per_subcore // 2
    lanes = {r.HEAVY: half, r.LITE: half, r.ALU: c.sm.alu_lanes_per_subcore, r.FP64: c.sm.fp64_lanes_per_subcore,
             r.XU: c.sm.xu_lanes_per_subcore}  # fmt: skip
    for pipe, width in lanes.items():
        m.interval_fp[pipe] = _fp(32 / width)
    hmma_flops = 2 * 16 * 8 * 16
    m.interval_fp[r.TENSOR] = _fp(hmma_flops / c.tensor.flops_per_cycle_per_subcore / c.tensor.hmma_efficiency)
    m.interval_fp[r.UNIFORM], m.interval_fp[r.BRANCH] = (
        _fp(c.sm.uniform_interval_cycles),
        _fp(c.sm.branch_interval_cycles),
    )
    m.special_front, m.wide_cycles = c.sm.xu_front_cycles, c.sm.wide_multiply_cycles
    m.factor_latency = c.sm.wide_factor_latency_cycles
    m.branch_latency, m.join_latency = c.sm.branch_latency_cycles, c.sm.reconvergence_latency_cycles
    m.ports = c.sm.register_ports_per_bank
    m.barrier_latency, m.barrier_interval = c.sm.barrier_latency_cycles, c.sm.barrier_interval_cycles
    f = c.fetch
    lines = f.l0_bytes_per_subcore // f.l0_line_bytes
    m.l0_ways, m.l0_prefetch = min(f.l0_ways, lines), f.l0_prefetch_lines
    m.l0_sets = lines // m.l0_ways
    m.code_lines = int(code[-1].line) + 1
    m.l1i_ways, m.l1i_latency, m.l1i_interval = f.l1_ways, f.l1_latency_cycles, f.l1_interval_cycles
    m.l1i_sets = max(1, f.l1_bytes // f.l0_line_bytes // f.l1_ways)
    m.gpci_sets, m.gpci_latency = f.gpc_bytes // f.l0_line_bytes, f.gpc_latency_cycles
    m.l2i_latency = f.l2_latency_cycles
    m.imc_lines, m.imc_latency = max(1, c.constant.imc_bytes // c.constant.line_bytes), c.constant.miss_latency_cycles
    m.idc_lines, m.idc_latency = max(1, c.constant.ldc_bytes // c.constant.line_bytes), c.constant.ldc_miss_cycles
    m.queue, m.subcore_interval = c.mio.queue_entries_per_subcore, c.mio.subcore_interval_cycles
    m.handed, m.copy_hand = c.mio.handed_entries_per_subcore, c.mio.copy_hand_cycles
    m.handed_data, m.stop = c.mio.handed_registers_per_subcore, c.mio.stop_cycles
    m.shared_interval, m.lg_queue, m.read_release = (
        c.mio.shared_interval_cycles,
        c.mio.lg_queue_entries,
        c.mio.read_release_cycles,
    )
    m.gpu_fence, m.fence_lead = c.mio.gpu_fence_latency_cycles, c.mio.gpu_fence_lead_cycles
    m.fence_near, m.fence_far = c.mio.gpu_fence_near_cycles, c.mio.gpu_fence_far_cycles
    m.fence_flushed = c.mio.gpu_fence_flushed_cycles
    m.exchange_interval = c.mio.shuffle_interval_cycles
    # issue to use, of which the way to the LSU is the first cycle
    m.own_wavefront, m.commit_latency = c.shared.warp_wavefront_cycles, c.mio.commit_latency_cycles
    m.shared_latency, m.ldsm_latency = c.shared.load_latency_cycles - 1, c.shared.ldsm_latency_cycles - 1
    m.store_latency, m.shared_atomic_latency = c.shared.store_latency_cycles, c.shared.atomic_latency_cycles - 1
    m.wavefront_fp = _fp(1 / c.shared.wavefronts_per_cycle)
    m.gmma_latency, m.gmma_queue = c.tensor.hgmma_overhead_latency_cycles, c.tensor.hgmma_queue_entries
    m.gmma_port_fp = _fp(1 / (c.sm.register_ports_per_bank * (1 - c.tensor.hgmma_port_share)))
    m.gmma_result = c.tensor.hgmma_result_cycles
    m.gmma_load_fp, m.gmma_spare_fp = _fp(c.tensor.hgmma_load_cycles), _fp(c.tensor.hgmma_spare_share)
    m.gmma_room_fp = c.tensor.hgmma_results_held_cycles << r.FP
    m.gmma_piece_fp = _fp(c.tensor.hgmma_piece_bytes / c.tensor.hgmma_shared_bytes_per_cycle)
    l1_lines = fits.l1_bytes // c.l1.line_bytes
    m.l1_sets, m.l1_latency = max(1, l1_lines // c.l1.ways), c.l1.hit_latency_cycles - 1
    m.l1_ways = l1_lines // m.l1_sets  # about the ways that the configuration names, so that the sizes come out
    m.tag_fp, m.miss_lines, m.store_bytes = _fp(1 / c.l1.tags_per_cycle), c.l1.miss_lines, c.l1.store_bytes
    m.l1_awaited = max(32, l1_lines + c.l1.awaited_lines_beyond)  # one access has 32 at most
    m.store_fp = _fp(c.l1.sector_bytes / c.l1.write_through_bytes_per_cycle)
    m.store_backlog, m.flit = c.l1.store_backlog_cycles, c.noc.request_flit_bytes
    m.copy_early = max(0, m.l1_latency - m.l1_latency // 2 - c.mio.copy_latency_cycles)  # no way back to registers
    m.copy_issue_fp, m.copy_fill_fp = _fp(c.mio.copy_issue_cycles), _fp(c.mio.copy_fill_cycles)
    m.copy_l1_fp, m.copy_ahead_fp = _fp(c.mio.copy_l1_cycles), _fp(c.mio.copy_ahead_cycles)
    m.copy_miss_fp, m.copy_sector = _fp(c.mio.copy_miss_cycles), c.mio.copy_sector_cycles
    m.places_fp, m.place_share_fp = _fp(c.mio.copies_awaited), _fp(c.mio.place_share)
    path = c.l2.hit_latency_near_cycles - c.l1.hit_latency_cycles
    m.request_latency, m.reply_latency = path // 2, path - path // 2
    m.far_latency, m.header = c.l2.hit_latency_far_cycles - c.l2.hit_latency_near_cycles, c.noc.header_bytes
    shares = (np.arange(r.DISTANCES) + 0.5) / r.DISTANCES
    m.distances = np.rint(np.interp(shares, QUANTILES, c.l2.hit_latency_spread_cycles))
    port = 1 << PORT_FP
    m.request_sm_fp, m.reply_sm_fp = (
        int(port / c.noc.request_bytes_per_cycle_per_sm),
        int(port / c.noc.reply_bytes_per_cycle_per_sm),
    )
    m.request_gpc_fp = int(port / c.noc.request_bytes_per_cycle_per_gpc)
    links = c.l2.slices // c.l2.partitions if c.l2.far_copies else c.l2.slices
    m.reply_link_fp = int(port * links / c.noc.reply_bytes_per_cycle_per_gpc)
    m.link_fp, m.gpcs = int(port / c.noc.partition_link_bytes_per_cycle), len(c.gpu.sms_per_gpc)
    m.cpcs = int(cpcs(c).max()) + 1
    m.coalescer, m.coalescer_merges = c.noc.coalescer_entries_per_gpc, c.noc.coalescer_merges
    m.l2_slices, m.l2_ways, m.l2_granule = c.l2.slices, c.l2.ways, c.l2.hash_granule_bytes // c.l2.line_bytes
    m.l2_page = c.l2.hash_page_bytes // c.l2.line_bytes
    m.l2_pieces = m.l2_page // (TURNS * m.l2_granule)
    per_side = c.l2.slices // c.l2.partitions
    m.l2_pair = 2 if per_side % 2 == 0 else 1
    m.l2_pairs = per_side // int(m.l2_pair)
    m.l2_sets = c.l2.bytes // (c.l2.slices * c.l2.ways * c.l2.line_bytes)
    m.partitions, m.far_copies, m.slice_fp = c.l2.partitions, c.l2.far_copies, _fp(c.l2.slice_interval_cycles)
    m.dirty_half_ways = round(2 * c.l2.dirty_fraction * c.l2.ways)
    m.slice_write_fp = _fp(c.l2.sector_bytes / c.l2.slice_write_bytes_per_cycle)
    m.slice_fill_fp = _fp(c.l2.sector_bytes / c.l2.slice_fill_bytes_per_cycle)
    m.slice_sector_fp, m.l2_fetch = _fp(c.l2.sector_bytes / c.l2.slice_bytes_per_cycle), c.l2.fetch_bytes
    m.atomic_same_fp = _fp(c.l2.atomic_same_cycles)
    m.turns_after = c.l2.turns_after_cycles
    m.adds_waiting_fp = c.l2.atomic_queue_sectors * _fp(c.l2.atomic_interval_cycles)
    m.slice_atomic_fp = _fp(c.l2.sector_bytes / c.l2.slice_atomic_bytes_per_cycle)
    m.atomic_fp, m.atomic_latency, m.slice_misses = (
        _fp(c.l2.atomic_interval_cycles),
        c.l2.atomic_latency_cycles,
        c.l2.miss_lines_per_slice,
    )
    m.answers_awaited = c.l2.copy_hit_answers
    d = c.dram
    cycles = clock / 1000  # per nanosecond
    m.channels, m.banks, m.access_bytes = d.channels, d.banks_per_channel, d.access_bytes
    m.burst_fp = _fp(d.access_bytes * d.channels / (d.attained_share * d.peak_gb_per_s / cycles))
    m.row_miss, m.row_cycle = round(d.row_miss_ns * cycles), round(d.row_cycle_ns * cycles)
    m.column, m.write_recovery = round(d.column_ns * cycles), round(d.write_recovery_ns * cycles)
    m.dram_latency = max(0, d.latency_near_cycles - c.l2.hit_latency_near_cycles - m.row_miss - (m.burst_fp >> r.FP))
    m.read_to_write, m.write_to_read = round(d.read_to_write_ns * cycles), round(d.write_to_read_ns * cycles)
    m.refresh_interval, m.refresh = round(d.refresh_interval_ns * cycles), round(d.refresh_ns * cycles)
    m.refresh_groups = d.refresh_groups
    m.dram_queue = max(1, d.queue_entries_per_channel * d.channels // c.l2.slices)  # of a slice's channels together
    m.look_fp = _fp(d.look_ns * cycles)
    m.write_turn, m.idle_turn = d.write_turn_lines, d.idle_turn_lines
    m.read_idle = round(d.read_idle_ns * cycles)
    n = c.launch
    m.start, m.end, m.launch_fp, m.sm_launch = (
        n.start_cycles,
        n.end_cycles,
        _fp(1 / n.blocks_per_cycle),
        n.sm_interval_cycles,
    )
    m.successor_fp = _fp(1 / n.successor_blocks_per_cycle)
    m.first_issue, m.release = n.first_instruction_cycles, n.release_cycles
    m.skip_prologue = n.skip_prologue
    run_ahead(m, c.l1.prefetch_lead_cycles)
    m.coalescer_window = min(c.noc.coalescer_window_cycles, int(m.reply_latency))  # a load that the SM has is gone
    return table


def run_ahead(m, lead: int) -> None:
    """Take `lead` cycles off the unloaded latency below the L1, nearest first; what waits in queues still waits."""
    for part in ("request_latency", "reply_latency", "dram_latency", "far_latency"):
        cut = min(lead, int(m[part]))
        m[part] -= cut
        lead -= cut
