"""SimConfig and launch to the engine's state: every name resolved to an integer, every array allocated, once."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ssmsim.architecture import SECTOR_BYTES, SUBCORES
from ssmsim.config.schema import SimConfig
from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded import block_scheduler, event_queue
from ssmsim.engines.embedded import event_queue as wheel
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.first_wave import first_wave
from ssmsim.engines.embedded.host.huge_pages import Room
from ssmsim.engines.embedded.memory import dram, noc, tag_store
from ssmsim.engines.embedded.memory.l2 import slice_cache, slice_queues
from ssmsim.engines.embedded.sm import cluster_barrier, core, fetch, instruction
from ssmsim.engines.embedded.sm.memory import l1, lsu, mbarrier, performed, prefetch_buffer
from ssmsim.engines.embedded.sm.stalls import STALLS
from ssmsim.engines.embedded.state import counts
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.occupancy import occupancy
from ssmsim.engines.embedded.state.parameters import cpcs, parameters
from ssmsim.engines.embedded.state.parts import BY_ADDRESS, ORDER, Arrays, Parts, addresses, groups
from ssmsim.engines.embedded.state.records import Records
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch

BULK_LINES = 2048  # of bulk copies on their way, for which an SM has entries; the hardware's number is not known


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
    prefetched: Records
    mbarriers: Records
    clusters: Records
    signals: Records
    performed: Records
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

    def arrays(self) -> dict[str, np.ndarray]:
        """Every array that the loop reads, by its name in parts.py; stalls as one record an instruction."""
        renamed = {"run": self.gpu, "stalls": self.stalls.view(STALLS).reshape(-1).view(np.recarray)}
        return {name: renamed[name] if name in renamed else getattr(self, name) for name in ORDER}

    def parts(self) -> Parts:
        """The groups that the cycle path passes on, for calling a unit by itself."""
        return groups(self.arrays())

    def table(self) -> Any:
        """What loop.run takes. The state must outlive it, and an array that is replaced needs another table."""
        return addresses(self.arrays()) if BY_ADDRESS else Arrays(**self.arrays())


def build(code: np.ndarray, launch: Launch, config: SimConfig, block_total: int) -> State:
    """All state at the start of the kernel: caches empty, nothing in flight."""
    fits = occupancy(launch, config)
    if block_total > fits.blocks * config.sm_count and (code["shrinks"] == 1).any():
        what = (
            "that a block gives shared memory back before it ends (USETSHMSZ), so that another starts, is not modelled"
        )
        raise SsmsimError(what, launch.folder, "a launch whose blocks all fit on the GPU at once can be timed")
    machine = parameters(code, launch, config, fits, block_total)
    m, room = machine[0], Room()
    order = first_wave(config, fits.blocks, block_total)
    m.first_places = len(order) if config.launch.apart_turns else 0
    sms = streaming_multiprocessors(room, int(m.sms), config, block_total)
    subs = room.records(core.SUBCORE, SUBCORES * len(sms))
    warps = room.records(core.WARP, len(subs) * int(m.sm.warp_slots_per_subcore))
    warps.ready, warps.block = r.INF, r.NONE
    warps.bit = 1 << np.arange(len(warps)) % m.sm.warp_slots_per_subcore
    subs.wake, subs.greedy = r.INF, r.NONE
    bulk_lines = BULK_LINES if (code["kind"] == instruction.BULK).any() else 0
    l0_entries = len(subs) * int(m.l0_sets * m.l0_ways)
    state = State(
        machine=machine, gpu=room.records(counts.RUN, 1), counts=room.records(COUNTS, 1), sms=sms, subs=subs, warps=warps,
        blocks=room.records(block_scheduler.BLOCK, len(sms) * int(m.block_places)),
        loaded=room.records(block_scheduler.LOADED, int(m.loaded_capacity)),
        order=order,
        code=code, stream=np.zeros(0, np.int32), accesses=room.records(coalesce.ACCESS, 0),
        lines=np.zeros(0, np.int64), events=room.records(event_queue.EVENT, wheel.WHEEL + (1 << 19)),
        requests=room.records(lsu.REQUEST, 1 + SUBCORES * len(sms) * int(m.mio.queue_entries_per_subcore) + len(sms) * 1024),
        fills=room.records(noc.TRANSFER, 1 + len(sms) * (int(m.l1.miss_lines + m.l1.store_bytes // SECTOR_BYTES + 64) * 2 + bulk_lines)),
        coalescer=room.records(noc.COALESCED, max(1, int(m.gpcs * m.noc.coalescer_entries_per_gpc))),
        l1_tags=room.records(tag_store.TAG, len(sms) * int(m.l1_sets * m.l1_ways)),
        l1_lines=room.records(l1.L1_LINE, len(sms) * int(m.l1_sets * m.l1_ways)),
        prefetched=room.records(prefetch_buffer.PREFETCHED, max(1, len(sms) * int(m.prefetch_places))),
        mbarriers=room.records(mbarrier.MBARRIER_WORD, len(sms) * int(m.block_places) * mbarrier.MBARRIERS if m.mbarriers else 1),
        clusters=room.records(cluster_barrier.CLUSTER_RECORD, len(sms) * int(m.block_places) if m.cluster_barriers else 1),
        signals=room.records(lsu.SIGNALS, 1024),
        performed=room.records(performed.PERFORMED, performed.PLACES),
        slices=room.records(slice_cache.SLICE, config.l2.slices),
        nodes=room.records(slice_queues.NODE, 4 * config.l2.slices * int(m.cpcs + m.sms + 3)),
        l2_tags=room.records(tag_store.TAG, int(m.l2.slices * m.l2_sets * m.l2.ways)),
        l2_lines=room.records(slice_cache.L2_LINE, int(m.l2.slices * m.l2_sets * m.l2.ways)),
        transactions=room.records(dram.TRANSACTION, 1 + config.l2.slices * (config.l2.miss_lines_per_slice + 64) * 3),
        channels=room.records(dram.CHANNEL, config.dram.channels),
        l0=room.records(fetch.CODE_LINE, l0_entries), l1i=room.records(fetch.CODE_LINE, len(sms) * int(m.l1i_sets * m.fetch.l1_ways)),
        gpci=room.records(fetch.CODE_LINE, max(1, int(m.gpcs * m.gpci_sets))),
        l2i=room.records(fetch.CODE_LINE, int(m.code_lines)),
        imc=room.records(fetch.CODE_LINE, len(sms) * int(m.imc_lines)),
        idc=room.records(fetch.CODE_LINE, len(sms) * int(m.idc_lines)),
        stalls=room.array(len(code) * len(STALL_REASONS), np.int64).reshape(len(code), -1),
    )  # fmt: skip
    state.gpu[0].answer_by = r.INF
    wheel.prepare(state.events)
    first = int(m.launch.start_cycles + m.launch.first_instruction_cycles)  # when the first warps ask for it
    share_code(state, m.fetch.launch_prefetch_bytes // m.fetch.l0_line_bytes, first + int(m.fetch.l2_latency_cycles))
    for pool in (state.requests, state.fills, state.transactions):
        pool.next[:-1] = np.arange(1, len(pool))
        pool.next[-1] = 0
    state.fills[0].payload = len(state.fills) - 1
    state.transactions[0].sectors = len(state.transactions) - 1
    return state


def streaming_multiprocessors(room: Room, count: int, config: SimConfig, block_total: int) -> Records:
    """SM[count]: where each lies, and that nothing is in it."""
    sms = room.records(core.SM, count)
    sms.wake, sms.lsu_next = r.INF, r.INF
    gpc_of = np.repeat(np.arange(len(config.gpu.sms_per_gpc)), config.gpu.sms_per_gpc)
    sms.number, sms.gpc, sms.cpc = np.arange(len(sms)), gpc_of, cpcs(config)
    busy = np.bincount(gpc_of) * min(1.0, block_total / len(sms))  # SMs of each GPC that get a block
    port = np.rint(config.fetch.gpc_port_cycles * busy).astype(np.int64)
    sms.refill_interval = np.maximum(config.fetch.gpc_interval_cycles, port)[gpc_of]
    sms.side = gpc_of * config.l2.partitions // len(config.gpu.sms_per_gpc)
    sms.tma_next = r.INF
    first = config.gpu.sms_per_gpc[0]
    sms.takes_clusters = (np.arange(len(sms)) >= first) | (np.arange(len(sms)) < first - config.cluster.sms_apart)
    return sms


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
