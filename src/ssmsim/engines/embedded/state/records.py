"""All state of the engine: one record type per hardware structure, allocated here and nowhere else.

Every field is int64: one width compiles to one load, and with the JIT off narrower fields would overflow (NumPy 2).
Times are SM cycles; names ending in _fp are fixed point with FP fraction bits, for rates that are not whole cycles.
"""

from typing import Any

import numpy as np

Records = Any  # an array of records, whose fields mypy does not see

HOST_LINE = 64  # bytes in a line of the cache of the machine that simulates
FP = 8  # fraction bits of fixed-point times
INF = 1 << 60  # "not before something wakes it"
NONE = -1
EXITED = -2  # in Warp.held: past the last instruction. NONE there: waits for its stores; n > 0: at barrier n - 1

MAX_BARRIERS = 16  # named barriers of a block, PTX ISA
MAX_BLOCK_WARPS = 32  # 1024 threads
LANDINGS = 8  # lines of copies that may still be written: one comes per cycle at most and takes four
COPY_GROUPS = 64  # LDGDEPBAR groups in flight per warp: the scoreboard counter has 6 bits
COUNTER_BITS = 10  # per dependency counter in Warp.scoreboard, wider than the hardware's 6: overflow is checked
COUNTER_MASK = (1 << COUNTER_BITS) - 1

OFF_BIT = 30  # in the pool's stream: set when the instruction is on in no lane
INDEX = (1 << OFF_BIT) - 1

# Execution pipes of a sub-core. FMA goes to the two halves in turn; ALL others have one server.
PIPES = ("heavy", "lite", "alu", "fp64", "tensor", "uniform", "branch", "xu", "none")
HEAVY, LITE, ALU, FP64, TENSOR, UNIFORM, BRANCH, XU, FREE = range(len(PIPES))
FMA = len(PIPES)  # not a server: HEAVY and LITE in turn

# What issue has to do with an instruction.
KINDS = (
    "fixed",
    "memory",
    "branch",
    "barrier",
    "depbar",
    "gmma",
    "gmma_wait",
    "membar",
    "queued",
    "gmma_arrive",
)
FIXED, MEMORY, JUMP, BARRIER, DEPBAR, GMMA, GMMA_WAIT, MEMBAR, QUEUED, GMMA_ARRIVE = range(len(KINDS))

# Memory operations, as the LSU tells them apart.
SPACES = ("none", "shared", "global", "local", "copy", "exchange")
NO_SPACE, SHARED, GLOBAL, LOCAL, COPY, EXCHANGE = range(len(SPACES))


def _record(*fields: str | tuple[str, int], whole_lines: bool = False) -> np.dtype:
    """whole_lines: padded, so that the fields named first share a line of the host's cache in every record."""
    packed = np.dtype([(f, np.int64) if isinstance(f, str) else (f[0], np.int64, (f[1],)) for f in fields])
    size = -(-packed.itemsize // HOST_LINE) * HOST_LINE if whole_lines else packed.itemsize
    formats, offsets = zip(*(packed.fields[name] for name in packed.names), strict=True)  # type: ignore[index,union-attr]
    return np.dtype({"names": packed.names, "formats": formats, "offsets": offsets, "itemsize": size})  # type: ignore[call-overload]


def records(dtype: np.dtype, count: int) -> Records:
    """`count` zeroed records with attribute access, compiled or not; the first begins a line of the host's cache."""
    room = np.zeros(count * dtype.itemsize + HOST_LINE, np.uint8)
    first = -room.ctypes.data % HOST_LINE
    return room[first : first + count * dtype.itemsize].view(dtype).view(np.recarray)


DISTANCES = 128  # of slices, from the nearest to the farthest

# The configuration and launch, all names resolved; read-only during a run. Filled by machine.py.
MACHINE = _record(
    "sms", "subcores", "slots", "issue_width", "issue_fp", "wavefront_fp", "blocks_per_sm", "warps_per_block", "block_total", "loaded_capacity",
    ("interval_fp", len(PIPES) + 1), "branch_latency", "join_latency", "special_front", "wide_cycles", "factor_latency",
    "barrier_latency", "barrier_interval", "ports",
    "l0_sets", "l0_ways", "l0_prefetch", "code_lines", "l1i_sets", "l1i_ways", "l1i_latency", "l1i_interval",
    "gpci_sets", "gpci_latency", "l2i_latency",
    "imc_lines", "imc_latency", "idc_lines", "idc_latency",
    "queue", "handed", "handed_data", "copy_hand", "subcore_interval", "shared_interval", "lg_queue", "read_release", "stop", "exchange_interval",
    "subcore_warps", "gpu_fence", "fence_lead", "fence_near", "fence_far", "fence_flushed",
    "shared_latency", "ldsm_latency", "store_latency", "shared_atomic_latency", "own_wavefront", "commit_latency",
    "gmma_latency", "gmma_queue", "gmma_port_fp", "gmma_result", "gmma_load_fp", "gmma_room_fp", "gmma_spare_fp", "gmma_piece_fp",
    "l1_sets", "l1_ways", "l1_latency", "tag_fp", "miss_lines", "l1_awaited", "store_bytes", "store_fp", "store_backlog", "copy_early",
    "copy_issue_fp", "copy_l1_fp", "copy_sector", "copy_fill_fp", "copy_miss_fp", "copy_ahead_fp", "places_fp", "place_share_fp",
    "request_latency", "reply_latency", "far_latency", ("distances", DISTANCES), "header", "flit", "request_sm_fp", "request_gpc_fp",
    "reply_sm_fp", "reply_link_fp", "link_fp", "gpcs", "coalescer", "coalescer_merges", "coalescer_window",
    "l2_slices", "l2_sets", "l2_ways", "l2_granule", "l2_page", "l2_pieces", "l2_pairs", "l2_pair",
    "partitions", "far_copies", "slice_fp", "slice_sector_fp", "slice_write_fp", "slice_fill_fp", "dirty_half_ways",
    "cpcs", "l2_fetch", "atomic_fp", "atomic_same_fp", "atomic_latency", "adds_waiting_fp", "turns_after", "slice_atomic_fp", "slice_misses",
    "answers_awaited",
    "channels", "banks", "burst_fp", "access_bytes", "dram_latency", "row_miss", "row_cycle", "column",
    "write_recovery", "read_to_write", "write_to_read", "refresh_interval", "refresh", "refresh_groups", "dram_queue",
    "look_fp", "write_turn", "idle_turn", "read_idle",
    "start", "end", "launch_fp", "successor_fp", "sm_launch", "first_issue", "release", "skip_prologue",
)  # fmt: skip

# What moves with time but belongs to no single unit.
GPU = _record(
    "cycle", "launch_free_fp", "launch_scheduled", "next_launch", "loaded_blocks", "blocks_done", "ages", "finish", "ended_fp",
    "fault", "warps_alive", "uses", "progress_at", ("gpc_request_fp", 32), ("link_fp", 2),
)  # fmt: skip

# Sums over the whole GPU, for the result row and the conservation checks.
COUNTS = _record(
    "issued", "retired_warps", "launched_warps", "requests", "answers", "warp_cycles", "queue_conflicts",
    "l1_sectors", "l1_hits", "l1_load_sectors", "l1_load_hits", "l1_fills", "l1_fill_sectors",
    "l2_sectors", "l2_hits", "l2_read_sectors", "l2_read_hits", "l2_write_sectors", "l2_far", "l2_fences", "link_bytes", "l2_retries",
    "l2_replies", "dram_reads", "dram_writes", "dram_row_hits", "dram_row_misses", "dram_turns",
    "dram_issued", "dram_done", "reply_bytes", "request_bytes", "merged", "lsu_cycles", "copy_conflicts",
    "fetch_misses", "fetch_lines", "imc_misses", "idc_misses", ("pipe_busy_fp", len(PIPES)),
)  # fmt: skip

# One static instruction as the issue stage sees it. Filled by instructions.py.
CODE = _record(
    "kind", "blocks", "line", "wait_bits", "constant", "pipe", "space", "sources",  # of the next instruction: one line
    "stall", "yields", "write_add", "read_add", "latency", "asks", "joins", "indexed",
    "even_reads", "odd_reads", "first_bank", "writes", "wide", "thirds", "feeds", "fed",
    "write_long", "is_store", "is_atomic", "bypass", "matrix", "wavefront", "shift", "count", "threads",
    "gmma_fp", "gmma_smem_fp", "payload", "closes", "commits", "promote", "exits", "defers", "stops", "held_fp",
    whole_lines=True,
)  # fmt: skip

# The fields of each line are read together.
WARP = _record(
    "ready",  # earliest issue of the current instruction; INF when something must wake it
    "bit",  # of its slot, in masks of the sub-core
    "current",
    "mark",  # cycles before this are in the stall table
    "state",  # stall reason until `ready`
    "yielded",
    "age",
    "turn",  # of its block, in the order of launches
    "issued",  # cycle of its last instruction
    "branched",  # cycle at which it went on from its last branch, or was launched
    "stall_end",  # end of the previous instruction's stall count
    "scoreboard",  # six dependency counters of COUNTER_BITS each
    "long",  # the counters whose last producer was a local or global access
    "position", "end", "line", "held", "deferred",
    "opened", "made", "off", "access", "given", "outstanding", "leaving", "gmma_pending",
    "block", "number", "gathering", "fence", "started", "stored", "paced", "first_answer", "last_answer",
    "copy_group", "copy_closed", "copy_oldest", ("copy_left", COPY_GROUPS), ("copy_add", COPY_GROUPS), ("copy_told", COPY_GROUPS),
    whole_lines=True,
)  # fmt: skip

SUBCORE = _record(
    "wake",
    "awake",  # Warp.bit of at least those warps whose `ready` is not INF
    "refused",  # and of those that found the queue of memory instructions full
    "greedy", "hold_fp", "stage_free_fp", "even_free_fp", "odd_free_fp",
    "fma_turn", "issued", "special_room", ("pipe_free_fp", len(PIPES) + 1),
    "queue_head", "queue_tail", "queue_count", "queue_last", "unread", "handed", "handed_data", "lg_count", "given", "given_turn",
    "taken", "warps", "active_since", "active",
    whole_lines=True,
)  # fmt: skip

SM = _record(
    "wake", "number", "gpc", "cpc", "side", "blocks", "warps", "next_subcore", "fenced_until", "active_since", "active", "launch_free",
    "lsu_free", "lsu_next", "tags_free", "back_head", "back_tail", "back_last", "through", "hand_free",
    "request_free_fp", "reply_free_fp", "tensor_free_fp", "tensor_shadow_fp", "port_share_fp",
    "pieces_from_fp", "piece_period_fp", "piece_fp", "results_free_fp",
    "store_free_fp", "storing_from", "storing_until", "copy_debt_fp", "copy_free_fp", "copy_past_free_fp", "copy_back_fp", "copy_written",
    "misses", "awaited",
    "places_taken_fp", "oldest", "newest",
    ("landing_from", LANDINGS), ("landing_until", LANDINGS), "landings",
    "fetch_free", "prefetch_free", "refill_free", "refill_ahead", "refill_interval", "stores", "barrier_free",
    "last_access", "last_far", "stores_issued", "stores_acknowledged", "fences_waiting", "clean", ("fence_began", 2), ("fence_over", 2),
    "fence_state", "fence_group", "fence_next", "fence_sent", "fence_until", "fence_target",
)  # fmt: skip

BLOCK = _record(
    "id", "live", "sm", "used", "first_subcore", ("warps", MAX_BLOCK_WARPS), ("arrived", MAX_BARRIERS), ("expected", MAX_BARRIERS), "loaded",
    ("gmma_issued", MAX_BLOCK_WARPS), ("gmma_done", MAX_BLOCK_WARPS // 4), ("gmma_arrived", MAX_BLOCK_WARPS // 4),
)  # fmt: skip

# A block that the tracer has delivered: where its warps lie in the pool. turn: of record k the number of the record whose
# block is launched k-th, counted round the array.
LOADED = _record(
    "turn",
    "id",
    "done",
    "launched",
    "finished",
    "sm",
    "slot",
    ("first", MAX_BLOCK_WARPS + 1),
    ("access", MAX_BLOCK_WARPS),
)

# One executed memory instruction in the pool: its lines, and the cycles it occupies the data stage.
ACCESS = _record("first_line", "lines", "wavefronts")

# A memory instruction in flight in an SM.
REQUEST = _record(
    "next", "warp", "code", "access", "arrival", "left", "group", "space", "off", "last",
    "ordered", "there", "later",  # answers of a warp in order, see return_order.py
    "passes",  # wavefronts of a load when its data are there, see writeback.py
    "place_fp", "standing", "older", "newer",  # what is on its way in the order of the SM, see ldgsts_inflight.py
    "room",  # lines of the L1 that it keeps until it is answered
)  # fmt: skip

# A line on its way from or to an SM.
FILL = _record(
    "next", "line", "sectors", "slice", "home", "set", "store", "atomic",  # set: of the slice, as tag_store.py counts them
    "remote", "payload", "sm", "request", "way", "full", "waiters", "promote", "merged", "merges", "port", "since", "stale",
    "passed",  # an atomic that has been through the other partition
    whole_lines=True,
)  # fmt: skip

# A way of a cache: number of the line that it holds plus one (0: none) and last use; see tag_store.py.
TAG = _record("line", "used")
# What a way holds: sectors valid, on their way and (L1) written; for each sector on its way, who brings it.
L1_LINE = _record("valid", "pending", "stored", ("awaited", 4))
L2_LINE = _record("valid", "pending", "dirty", "partial", ("awaited", 4))
# A load on its way from a GPC to the L2, as the request coalescer knows it: when it is answered (0: not yet), until when
# others may join it.
COALESCED = _record("line", "first", "answered", "closes")

SLICE = _record(
    "free_fp",
    "data_free_fp",
    "write_free_fp",
    "add_free_fp",
    ("link_fp", 32),  # when the link to each GPC is free
    "coming_fp",  # time of the unit that additions on the link will take
    "misses",
    "writes",
    "choosable",  # reads among which its channels choose
    "first_queued",  # reads that wait to be among them
    "last_queued",
    "asked",
    "first_asked",
    "last_asked",
    "waiting",
    "atomic_line",
    "atomic_sectors",
    "atomic_start_fp",
    ("resuming", 4),  # of each kind of queue
)
# What waits at a slice, by CPC and SM: of a queue its CPCs, of a CPC its SMs, of an SM its requests; see slice_queues.py.
NODE = _record("first", "last", "following")
CODE_LINE = _record("tag", "ready", "used", "fresh")

# A burst group on its way from or to DRAM.
TRANSACTION = _record(
    "next",
    "channel",
    "remote",
    "slice",
    "bank",
    "row",
    "sectors",
    "write",
    "waiters",
    "l2",
    "arrival",
    "late",
    "earlier",
    "later",
)
# A channel; queues: [reads, writes].
CHANNEL = _record("free_fp", ("head", 2), ("tail", 2), "reads", "writes", "writing", "turn", "least", "scheduled",
                  ("row", 64), ("last", 64), ("ready", 64))  # fmt: skip

EVENT = _record("next", "when", "kind", "a", "b", "tail")
