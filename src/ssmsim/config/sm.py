"""Parameters of a streaming multiprocessor: its pipes, tensor cores, instruction and constant caches, memory unit, L1."""

from typing import Annotated, Literal

from pydantic import Field

from ssmsim.architecture import LINE_BYTES, SECTOR_BYTES, SUBCORES
from ssmsim.config.fields import (
    LONGEST,
    Bytes,
    Count,
    Cycles,
    Entries,
    Group,
    Interval,
    Latency,
    NonNegative,
    Policy,
    Rate,
    Room,
    Share,
)

IN_STALL_COUNTS = (
    "without effect on captured code: the assembler put this latency into the stall counts of the SASS, which the engine "
    "obeys. It times an instruction that releases a dependency counter, and Accel-Sim's pipe"
)


class Issue(Group):
    """Issue slot of a sub-core."""

    policy: Policy = Field(description="which of the warps that could issue does; see the engine's sm/schedulers")


class Sm(Group):
    """One streaming multiprocessor: sub-cores, their pipes, residency limits."""

    subcores: Literal[SUBCORES] = Field(  # type: ignore[valid-type]
        description="issue slots; warp w of an SM lives in sub-core w mod 4"
    )
    warp_slots_per_subcore: Annotated[int, Field(ge=1, le=32)]
    issue_per_subcore_per_cycle: Annotated[int, Field(ge=1, le=8)] = Field(
        description="distinct warps it may issue from"
    )
    blocks: Annotated[int, Field(ge=1, le=64)]
    registers: Count = Field(description="32-bit registers of the whole SM")
    register_allocation_unit: Count = Field(description="registers per warp are rounded up to this")
    register_release: Literal["block_end", "last_use"] = Field(
        description="block_end: registers are a warp's own until its block ends. last_use: those that it can't read any more are given back"
    )
    early_blocks: Annotated[int, Field(ge=0, le=64)] = Field(
        description="blocks of an SM that may run on such registers, beside those that fit with all of theirs; shared memory has room for them"
    )
    fp32_lanes_per_subcore: Entries = Field(
        description="both FMA pipes together, half pairs included; IMAD uses the heavy half only"
    )
    alu_lanes_per_subcore: Entries = Field(description="integer add, logic, compare, select, fp32 compare")
    fp64_lanes_per_subcore: Entries
    xu_lanes_per_subcore: Entries = Field(description="MUFU and conversions")
    xu_front_cycles: Cycles = Field(
        description="dispatch to the first lanes; the unit holds two instructions and reads their source until their place is free"
    )
    fma_ahead_cycles: Cycles = Field(
        description="what both FMA pipes take may wait so long at one; what needs the heavy one may not"
    )
    wide_multiply_cycles: Cycles = Field(description="IMAD.WIDE and IMAD.HI: more in the dispatch stage")
    wide_factor_latency_cycles: Cycles = Field(description="to IMAD.WIDE from what makes its factor")
    uniform_interval_cycles: Interval = Field(description="one uniform-datapath instruction per this many cycles")
    branch_interval_cycles: Interval
    branch_latency_cycles: Cycles = Field(description="branch issue to the next issue of the same warp")
    reconvergence_latency_cycles: Cycles = Field(description="BSYNC to the next instruction")
    alu_latency_cycles: Cycles = Field(description=IN_STALL_COUNTS)
    fma_latency_cycles: Cycles = Field(description=IN_STALL_COUNTS)
    fp16_latency_cycles: Cycles = Field(description=IN_STALL_COUNTS)
    fp64_latency_cycles: Cycles
    xu_latency_cycles: Cycles
    uniform_latency_cycles: Cycles = Field(description=IN_STALL_COUNTS)
    s2r_latency_cycles: Cycles = Field(description="S2R, S2UR and CS2R.32 of special registers")
    register_banks: Entries = Field(description="of each sub-core's register file; Accel-Sim alone, the engine has two")
    register_ports_per_bank: Entries = Field(description="1024-bit reads per bank and cycle")
    barrier_latency_cycles: Cycles = Field(description="last BAR.SYNC arrival to first issue after it")
    barrier_interval_cycles: Cycles = Field(description="the SM's barrier unit takes one arriving warp per this")


class Tensor(Group):
    """Tensor core of one sub-core: synchronous HMMA, asynchronous warpgroup HGMMA."""

    flops_per_cycle_per_subcore: Count = Field(description="dense fp16/bf16, a multiply-add is 2")
    hmma_efficiency: Share = Field(description="share of that rate HMMA saturates at")
    hmma_16816_latency_cycles: Cycles = Field(description=IN_STALL_COUNTS)
    hmma_1688_latency_cycles: Cycles = Field(description=IN_STALL_COUNTS)
    dmma_interval_cycles: Interval = Field(
        description="of DMMA.8x8x4 and 16x8x4; as long again for each further 4 of K"
    )
    dmma_884_latency_cycles: Cycles = Field(description="DMMA.8x8x4 to its dependency counter")
    dmma_1684_latency_cycles: Cycles = Field(
        description="DMMA.16x8x4 to its dependency counter; see dmma_interval_cycles"
    )
    hgmma_sparse_turn_cycles: Cycles = Field(
        description="that a sparse HGMMA takes longer behind one of another warpgroup"
    )
    hgmma_overhead_latency_cycles: Cycles = Field(description="issue to wait of one HGMMA beyond its N/2 cycles")
    hgmma_shared_bytes_per_cycle: Rate = Field(description="per SM, operands that HGMMA reads from shared memory")
    hgmma_piece_bytes: Bytes = Field(description="read from shared memory at a time; between two pieces others pass")
    hgmma_queue_entries: Entries = Field(description="HGMMAs a warp may have in flight before its issue stalls")
    hgmma_port_share: Annotated[float, Field(ge=0, le=0.99)] = Field(
        description="share of each register bank's read slots that a running HGMMA takes"
    )
    hgmma_result_cycles: Interval = Field(
        description="while an HGMMA runs, cycles from one slot for another result to the next, per bank of the first operand"
    )
    hgmma_load_cycles: Annotated[float, Field(ge=1, le=LONGEST)] = Field(
        description="while an HGMMA runs, cycles of each wavefront of a load from shared memory at least"
    )
    hgmma_results_held_cycles: Cycles = Field(
        description="while an HGMMA runs, cycles' worth of loaded results for which there is room until they find a slot"
    )
    hgmma_spare_share: Share = Field(
        description="share of shared memory's cycles that HGMMAs leave when their operands would take all"
    )


class Fetch(Group):
    """Instruction supply of one SM."""

    l0_bytes_per_subcore: Bytes
    l0_ways: Entries
    l0_line_bytes: Bytes
    l0_prefetch_lines: Annotated[int, Field(ge=0, le=64)] = Field(description="stream buffer ahead of a miss")
    buffer_instructions: Annotated[int, Field(ge=0, le=64)] = Field(
        description="decoded instructions that a warp holds; 0: it asks for a line when it needs it"
    )
    l1_bytes: Bytes = Field(description="the SM's own instruction cache (L1.5), shared with constants")
    l1_ways: Entries
    l1_latency_cycles: Cycles = Field(description="L0 miss that hits there")
    l1_interval_cycles: Interval = Field(description="cycles between two lines it gives to its sub-cores")
    gpc_bytes: Annotated[int, Field(ge=0, le=1 << 30)] = Field(
        description="next level, shared by the SMs of a GPC; 0: none"
    )
    gpc_latency_cycles: Cycles
    gpc_interval_cycles: Interval = Field(
        description="cycles between two lines that an SM gets from below its own cache"
    )
    gpc_port_cycles: Annotated[float, Field(ge=1e-3, le=LONGEST)] = Field(
        description="cycles between two lines that the level gives when all of its SMs ask"
    )
    l2_latency_cycles: Cycles = Field(description="instruction line that must come from L2")
    launch_prefetch_bytes: Annotated[int, Field(ge=0, le=1 << 30)] = Field(
        description="a kernel's first bytes of code; the level that SMs share has them l2_latency_cycles after its first warps ask"
    )


class Constant(Group):
    """Constant banks: operands c[bank][offset] and LDC."""

    imc_bytes: Bytes = Field(description="immediate constant cache of one SM")
    line_bytes: Bytes
    miss_latency_cycles: Cycles
    ldc_latency_cycles: Cycles
    ldc_bytes: Bytes = Field(description="indexed constant cache of one SM, read by LDC; empty when a kernel starts")
    ldc_miss_cycles: Cycles = Field(description="what an LDC takes longer when its line is not there")


class Mio(Group):
    """Memory input/output: the queues between sub-cores and the shared memory unit of an SM."""

    queue_entries_per_subcore: Entries = Field(description="instructions waiting before issue stalls (mio_throttle)")
    subcore_interval_cycles: Interval = Field(description="a sub-core hands on one memory instruction per this")
    shared_interval_cycles: Interval = Field(description="the SM's unit accepts one memory instruction per this")
    lg_queue_entries: Entries = Field(description="local and global instructions waiting before lg_throttle")
    handed_entries_per_subcore: Entries = Field(
        description="of those, so many have been handed on: their registers are read"
    )
    handed_registers_per_subcore: Count = Field(description="and so many registers of stores' data among them")
    copy_hand_cycles: Cycles = Field(description="an SM's sub-cores together hand on one LDGSTS per this")
    read_release_cycles: Cycles = Field(
        description="to the release of the read barrier, beyond the interval for each source register"
    )
    commit_latency_cycles: Cycles = Field(description="LDGDEPBAR from its turn at the SM's unit to its counter")
    stop_cycles: Cycles = Field(
        description="a barrier or MEMBAR.CTA stops the SM's unit for so long, and half as long as the access before it took"
    )
    view_fence_cycles: Cycles = Field(
        description="FENCE.VIEW.ASYNC from its turn at the SM's unit, and from the end of the warp's stores there"
    )
    gpu_fence_latency_cycles: Cycles = Field(description="MEMBAR of GPU or system scope with nothing outstanding")
    gpu_fence_lead_cycles: Latency = Field(
        description="a fence to its first trip; others of the SM until then go with it"
    )
    gpu_fence_near_cycles: Cycles = Field(description="fence to the end of that trip: own partition's lines accessed")
    gpu_fence_far_cycles: Cycles = Field(description="the same when lines of the other partition were, too")
    gpu_fence_flushed_cycles: Cycles = Field(
        description="that trip when the SM has accessed nothing since the last one"
    )
    copy_issue_cycles: NonNegative = Field(description="an LDGSTS holds the SM's unit this long beyond its wavefronts")
    copy_l1_cycles: NonNegative = Field(
        description="at least so long through the L1; past it they follow each other so far apart"
    )
    copy_miss_cycles: NonNegative = Field(
        description="one that misses there passes twice, and holds up other copies through the L1 this much longer in all"
    )
    copy_ahead_cycles: NonNegative = Field(
        description="copies past the L1 ask for a line per cycle; the unit takes on as many as this time has room for"
    )
    copies_awaited: Entries = Field(
        description="copies through the L1 that may be on their way in an SM; its unit waits with the next, and they end in the order it asked in"
    )
    place_share: Share = Field(
        description="part of such a place that a copy past the L1, one that hits or fills with zeros takes, and a load or an atomic that waits"
    )
    copy_latency_cycles: Cycles = Field(description="arrival of a copy's last line to the end of its group")
    copy_fill_cycles: NonNegative = Field(description="each line that comes past the L1 holds the unit this long")
    copy_sector_cycles: Cycles = Field(
        description="and is written this long per sector: for each such cycle stores to shared memory take one more"
    )
    shuffle_latency_cycles: Latency
    shuffle_interval_cycles: Interval
    lane_register_latency_cycles: Latency = Field(description="S2R of a thread's or lane's own number, issue to use")
    lane_register_cycles: NonNegative = Field(description="and holds the SM's unit this long")


class Shared(Group):
    """Shared memory of one SM."""

    max_bytes_per_sm: Bytes
    max_bytes_per_block: Bytes
    reserved_bytes_per_block: Room
    allocation_unit_bytes: Bytes
    carveouts_kib: Annotated[tuple[Room, ...], Field(min_length=1, max_length=64)] = Field(
        description="sizes the driver can choose, ascending"
    )
    banks: Entries = Field(description="Accel-Sim alone: the engine has 32 banks of 4 bytes")
    wavefronts_per_cycle: Rate = Field(description="passes over the banks for loads and stores of the SM")
    load_latency_cycles: Latency = Field(description="LDS.32 without conflict, issue to use")
    ldsm_latency_cycles: Latency = Field(description="LDSM.x1")
    warp_wavefront_cycles: Cycles = Field(description="between two wavefronts of one warp")
    wide_wavefront_cycles: Cycles = Field(description="the same for results of LDS.64 and LDS.128")
    store_latency_cycles: Cycles = Field(description="STS: issue to visible for a later LDS")
    atomic_latency_cycles: Latency
    spill_space: bool = Field(
        description="local memory (LDL, STL) lies in shared memory that resident blocks leave, as far as it fits"
    )


class L1(Group):
    """L1 data cache of one SM."""

    unified_bytes: Bytes = Field(description="L1 and shared memory together")
    reserved_bytes: Room = Field(description="of these, what neither can use")
    line_bytes: Literal[LINE_BYTES]  # type: ignore[valid-type]
    sector_bytes: Literal[SECTOR_BYTES]  # type: ignore[valid-type]
    replacement: Policy = Field(description="which way a new line takes; see the engine's memory/replacement")
    ways: Entries
    hit_latency_cycles: Latency = Field(description="LDG.32 hit, issue to use, by pointer chase")
    tags_per_cycle: Rate = Field(description="128-byte lines looked up per cycle")
    bytes_per_cycle: Count = Field(
        description="data returned to registers; bounds and Accel-Sim alone: the engine has shared.wavefronts_per_cycle"
    )
    miss_lines: Entries = Field(description="lines with sectors outstanding (MSHRs)")
    awaited_lines_beyond: Room = Field(
        description="loads and copies through the L1 wait when those not yet answered asked for more lines than it holds and these"
    )
    store_bytes: Bytes = Field(description="of stores on their way to the slice that is to take them")
    write_through_bytes_per_cycle: Count
    store_backlog_cycles: Cycles = Field(
        description="stores that wait for their port hold up loads when the port is further behind than this"
    )
    prefetch_lead_cycles: Cycles = Field(
        description="a bound: unloaded latency below the L1 that an oracle hides; bandwidth and queues stay"
    )
    prefetcher_bytes: Room = Field(
        description="buffer of a prefetcher for loads and copies from global memory, out of l1.unified_bytes; 0: there is none"
    )
    prefetcher_loads: Room = Field(description="loads of a warp that it may be ahead of the warp")
    prefetcher_awaited_lines: Room = Field(description="lines that it may have on their way")
    prefetcher_interval_cycles: Interval = Field(description="it looks for one line per this")
