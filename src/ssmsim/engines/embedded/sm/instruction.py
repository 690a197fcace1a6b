"""A static instruction as the issue stage sees it: which pipe, which kind of work, which memory. Filled by instructions.py."""

from ssmsim.engines.embedded.state.records import record

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
    "bulk",
    "cluster_arrive",
    "cluster_wait",
    "time",
)
(FIXED, MEMORY, JUMP, BARRIER, DEPBAR, GMMA, GMMA_WAIT, MEMBAR, QUEUED, GMMA_ARRIVE, BULK, CLUSTER_ARRIVE,
 CLUSTER_WAIT, TIME) = range(len(KINDS))  # fmt: skip

# Memory operations, as the LSU tells them apart. bulk: the TMA unit's; named_barrier: of a BAR with a register;
# cluster: of shared memory by generic address.
SPACES = (
    "none",
    "shared",
    "global",
    "local",
    "copy",
    "exchange",
    "mbarrier",
    "bulk",
    "remote_store",
    "named_barrier",
    "cluster",
)
(NO_SPACE, SHARED, GLOBAL, LOCAL, COPY, EXCHANGE, MBARRIER, BULK_SPACE, REMOTE_STORE, NAMED_BARRIER,
 CLUSTER) = range(len(SPACES))  # fmt: skip

# What a SYNCS does, and what a bulk instruction does.
INIT, INVALIDATE, CHECK, ARRIVE, DROP, COPIES_ARRIVE = range(6)
BULK_LOAD, BULK_STORE, BULK_FLUSH, BULK_BETWEEN, BULK_PREFETCH = range(5)

# What the L2 does in an atomic: floats of 4 bytes or less, integers, fp64, compare-and-swap.
FLOAT_ATOMIC, INTEGER_ATOMIC, DOUBLE_ATOMIC, SWAP_ATOMIC = range(1, 5)

PARTS = 24  # of the interval of a pipe: `share` says how many an instruction takes

# One static instruction as the issue stage sees it. Filled by instructions.py.
CODE = record(
    "kind", "blocks", "line", "wait_bits", "constant", "pipe", "space", "sources",  # of the next instruction: one line
    "stall", "yields", "write_add", "read_add", "latency", "asks", "joins", "indexed",
    "even_reads", "odd_reads", "first_bank", "writes", "wide", "share", "feeds", "fed",
    "write_long", "is_store", "is_atomic", "bypass", "matrix", "wavefront", "shift", "count", "threads",
    "gmma_fp", "gmma_smem_fp", "turn_fp", "payload", "closes", "commits", "promote", "exits", "defers", "stops", "held_fp",
    "syncs", "arrivals", "transactions", "remote",  # of a SYNCS, see asynchronous.py
    "bulk", "generic", "accessing", "shrinks",
    "port",  # cycles of the sub-core's port that it takes, 0: by its registers
    "holds", "needs",  # units of registers that a warp holds from it on, and that it needs, see register_file.py
    "spill_bytes",  # of a thread's local memory, the lowest that lie in shared memory, see spill_space.py
    whole_lines=True,
)  # fmt: skip
