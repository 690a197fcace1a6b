"""What a simulated GPU is made of: every parameter of the model, unit in its name, bounds and contradictions."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1, le=1 << 40)]
NonNegative = Annotated[float, Field(ge=0, le=1 << 20)]
Cycles = Annotated[int, Field(ge=0, le=1 << 20)]
# To what answers at the SM's unit, the cycle of asking included, which the engine takes off: 0 would be before it asked.
Latency = Annotated[int, Field(ge=1, le=1 << 20)]
Rate = Annotated[float, Field(gt=0, le=1e6)]
Nanoseconds = Annotated[float, Field(ge=0, le=1e6)]
Kind = Literal["datasheet", "paper", "microbenchmark", "assumption", "modification"]


class Provenance(BaseModel):
    """Where a baseline value comes from; an assumption also says how much the result depends on it, once known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    kind: Kind
    sensitivity: str = ""


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Gpu(Group):
    """The die. Cycles everywhere are SM cycles unless the name says otherwise."""

    compute_capability: str = Field(pattern=r"^\d+\.\d$", description="as the driver reports it, '9.0' for Hopper")
    sm_clock_mhz: Count
    cycles_at_mhz: Count = Field(
        description="SM clock at which cycles of the L2, the GPCs' ports and DRAM are stated; they have clocks of their own"
    )
    sms_per_gpc: Annotated[tuple[Count, ...], Field(max_length=32)] = Field(
        description="one entry per GPC; the sum is the number of SMs"
    )
    sms_per_cpc: Count = Field(
        description="SMs of a cluster of TPCs; the last one of a GPC has what remains. Each gets as much of a busy slice"
    )


class Sm(Group):
    """One streaming multiprocessor: sub-cores, their pipes, residency limits."""

    subcores: Literal[4] = Field(description="issue slots; warp w of an SM lives in sub-core w mod 4")
    warp_slots_per_subcore: Annotated[int, Field(ge=1, le=32)]
    issue_per_subcore_per_cycle: Annotated[int, Field(ge=1, le=8)] = Field(
        description="distinct warps it may issue from"
    )
    blocks: Annotated[int, Field(ge=1, le=64)]
    registers: Count = Field(description="32-bit registers of the whole SM")
    register_allocation_unit: Count = Field(description="registers per warp are rounded up to this")
    fp32_lanes_per_subcore: Count = Field(
        description="both FMA pipes together, half pairs included; IMAD uses the heavy half only"
    )
    alu_lanes_per_subcore: Count = Field(description="integer add, logic, compare, select, fp32 compare")
    fp64_lanes_per_subcore: Count
    xu_lanes_per_subcore: Count = Field(description="MUFU and conversions")
    xu_front_cycles: Cycles = Field(
        description="dispatch to the first lanes; the unit holds two instructions and reads their source until their place is free"
    )
    wide_multiply_cycles: Annotated[int, Field(ge=0)] = Field(
        description="IMAD.WIDE and IMAD.HI: more in the dispatch stage"
    )
    wide_factor_latency_cycles: Cycles = Field(description="to IMAD.WIDE from what makes its factor")
    uniform_interval_cycles: Count = Field(description="one uniform-datapath instruction per this many cycles")
    branch_interval_cycles: Count
    branch_latency_cycles: Cycles = Field(description="branch issue to the next issue of the same warp")
    reconvergence_latency_cycles: Cycles = Field(description="BSYNC to the next instruction")
    alu_latency_cycles: Cycles
    fma_latency_cycles: Cycles
    fp16_latency_cycles: Cycles
    fp64_latency_cycles: Cycles
    xu_latency_cycles: Cycles
    uniform_latency_cycles: Cycles
    s2r_latency_cycles: Cycles = Field(description="S2R, S2UR and CS2R.32 of special registers")
    register_banks: Count = Field(description="of each sub-core's register file; Accel-Sim alone, the engine has two")
    register_ports_per_bank: Count = Field(description="1024-bit reads per bank and cycle")
    barrier_latency_cycles: Cycles = Field(description="last BAR.SYNC arrival to first issue after it")
    barrier_interval_cycles: Cycles = Field(description="the SM's barrier unit takes one arriving warp per this")


class Tensor(Group):
    """Tensor core of one sub-core: synchronous HMMA, asynchronous warpgroup HGMMA."""

    flops_per_cycle_per_subcore: Count = Field(description="dense fp16/bf16, a multiply-add is 2")
    hmma_efficiency: Annotated[float, Field(gt=0, le=1)] = Field(description="share of that rate HMMA saturates at")
    hmma_16816_latency_cycles: Cycles
    hmma_1688_latency_cycles: Cycles
    hgmma_overhead_latency_cycles: Cycles = Field(description="issue to wait of one HGMMA beyond its N/2 cycles")
    hgmma_shared_bytes_per_cycle: Rate = Field(description="per SM, operands that HGMMA reads from shared memory")
    hgmma_piece_bytes: Count = Field(description="read from shared memory at a time; between two pieces others pass")
    hgmma_queue_entries: Count = Field(description="HGMMAs a warp may have in flight before its issue stalls")
    hgmma_port_share: Annotated[float, Field(ge=0, lt=1)] = Field(
        description="share of each register bank's read slots that a running HGMMA takes"
    )
    hgmma_result_cycles: Count = Field(
        description="while an HGMMA runs, cycles from one slot for another result to the next, per bank of the first operand"
    )
    hgmma_load_cycles: Annotated[float, Field(ge=1)] = Field(
        description="while an HGMMA runs, cycles of each wavefront of a load from shared memory at least"
    )
    hgmma_results_held_cycles: Annotated[int, Field(ge=0, le=1 << 20)] = Field(
        description="while an HGMMA runs, cycles' worth of loaded results for which there is room until they find a slot"
    )
    hgmma_spare_share: Annotated[float, Field(gt=0, le=1)] = Field(
        description="share of shared memory's cycles that HGMMAs leave when their operands would take all"
    )


class Fetch(Group):
    """Instruction supply of one SM."""

    l0_bytes_per_subcore: Count
    l0_ways: Count
    l0_line_bytes: Count
    l0_prefetch_lines: Annotated[int, Field(ge=0, le=64)] = Field(description="stream buffer ahead of a miss")
    buffer_instructions: Annotated[int, Field(ge=0, le=64)] = Field(
        description="decoded instructions that a warp holds; 0: it asks for a line when it needs it"
    )
    l1_bytes: Count = Field(description="the SM's own instruction cache (L1.5), shared with constants")
    l1_ways: Count
    l1_latency_cycles: Cycles = Field(description="L0 miss that hits there")
    l1_interval_cycles: Count = Field(description="cycles between two lines it gives to its sub-cores")
    gpc_bytes: Annotated[int, Field(ge=0, le=1 << 30)] = Field(
        description="next level, shared by the SMs of a GPC; 0: none"
    )
    gpc_latency_cycles: Cycles
    gpc_interval_cycles: Count = Field(description="cycles between two lines that an SM gets from below its own cache")
    gpc_port_cycles: Annotated[float, Field(gt=0)] = Field(
        description="cycles between two lines that the level gives when all of its SMs ask"
    )
    l2_latency_cycles: Cycles = Field(description="instruction line that must come from L2")
    launch_prefetch_bytes: Annotated[int, Field(ge=0, le=1 << 30)] = Field(
        description="a kernel's first bytes of code, brought to the level that SMs share before its first block starts"
    )


class Constant(Group):
    """Constant banks: operands c[bank][offset] and LDC."""

    imc_bytes: Count = Field(description="immediate constant cache of one SM")
    line_bytes: Count
    miss_latency_cycles: Cycles
    ldc_latency_cycles: Cycles
    ldc_bytes: Count = Field(description="indexed constant cache of one SM, read by LDC; empty when a kernel starts")
    ldc_miss_cycles: Cycles = Field(description="what an LDC takes longer when its line is not there")


class Mio(Group):
    """Memory input/output: the queues between sub-cores and the shared memory unit of an SM."""

    queue_entries_per_subcore: Count = Field(description="instructions waiting before issue stalls (mio_throttle)")
    subcore_interval_cycles: Count = Field(description="a sub-core hands on one memory instruction per this")
    shared_interval_cycles: Count = Field(description="the SM's unit accepts one memory instruction per this")
    lg_queue_entries: Count = Field(description="local and global instructions waiting before lg_throttle")
    handed_entries_per_subcore: Count = Field(
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
    copies_awaited: Count = Field(
        description="copies through the L1 that may be on their way in an SM; its unit waits with the next, and they end in the order it asked in"
    )
    place_share: Annotated[float, Field(gt=0, le=1)] = Field(
        description="part of such a place that a copy past the L1, one that hits or fills with zeros takes, and a load or an atomic that waits"
    )
    copy_latency_cycles: Cycles = Field(description="arrival of a copy's last line to the end of its group")
    copy_fill_cycles: NonNegative = Field(description="each line that comes past the L1 holds the unit this long")
    copy_sector_cycles: Cycles = Field(
        description="and is written this long per sector: for each such cycle stores to shared memory take one more"
    )
    shuffle_latency_cycles: Latency
    shuffle_interval_cycles: Count
    lane_register_latency_cycles: Latency = Field(description="S2R of a thread's or lane's own number, issue to use")
    lane_register_cycles: NonNegative = Field(description="and holds the SM's unit this long")


class Shared(Group):
    """Shared memory of one SM."""

    max_bytes_per_sm: Count
    max_bytes_per_block: Count
    reserved_bytes_per_block: Annotated[int, Field(ge=0)]
    allocation_unit_bytes: Count
    carveouts_kib: tuple[Annotated[int, Field(ge=0)], ...] = Field(description="sizes the driver can choose, ascending")
    banks: Count = Field(description="Accel-Sim alone: the engine has 32 banks of 4 bytes")
    wavefronts_per_cycle: Rate = Field(description="passes over the banks for loads and stores of the SM")
    load_latency_cycles: Latency = Field(description="LDS.32 without conflict, issue to use")
    ldsm_latency_cycles: Latency = Field(description="LDSM.x1")
    warp_wavefront_cycles: Cycles = Field(description="between two wavefronts of one warp")
    wide_wavefront_cycles: Cycles = Field(description="the same for results of LDS.64 and LDS.128")
    store_latency_cycles: Cycles = Field(description="STS: issue to visible for a later LDS")
    atomic_latency_cycles: Latency


class L1(Group):
    """L1 data cache of one SM."""

    unified_bytes: Count = Field(description="L1 and shared memory together")
    reserved_bytes: Annotated[int, Field(ge=0)] = Field(description="of these, what neither can use")
    line_bytes: Literal[128]
    sector_bytes: Literal[32]
    ways: Count
    hit_latency_cycles: Latency = Field(description="LDG.32 hit, issue to use, by pointer chase")
    tags_per_cycle: Rate = Field(description="128-byte lines looked up per cycle")
    bytes_per_cycle: Count = Field(
        description="data returned to registers; bounds and Accel-Sim alone: the engine has shared.wavefronts_per_cycle"
    )
    miss_lines: Count = Field(description="lines with sectors outstanding (MSHRs)")
    awaited_lines_beyond: Annotated[int, Field(ge=0)] = Field(
        description="loads and copies through the L1 wait when those not yet answered asked for more lines than it holds and these"
    )
    store_bytes: Count = Field(description="of stores on their way to the slice that is to take them")
    write_through_bytes_per_cycle: Count
    store_backlog_cycles: Cycles = Field(
        description="stores that wait for their port hold up loads when the port is further behind than this"
    )
    prefetch_lead_cycles: Cycles = Field(
        description="unloaded latency below the L1 that a DMA engine running ahead hides; bandwidth and queues stay"
    )


class Noc(Group):
    """Crossbar between SMs and L2 slices."""

    request_bytes_per_cycle_per_sm: Rate = Field(description="stores and atomics, data and header")
    reply_bytes_per_cycle_per_sm: Rate
    reply_bytes_per_cycle_per_gpc: Rate = Field(description="data that the links of all slices to one GPC carry")
    request_bytes_per_cycle_per_gpc: Rate
    coalescer_entries_per_gpc: Annotated[int, Field(ge=0)] = Field(
        description="loads it can merge others into; 0: none"
    )
    coalescer_merges: Count = Field(description="loads that one L2 request may serve")
    coalescer_window_cycles: Annotated[int, Field(ge=0)] = Field(
        description="how long others may join a load whose answer is ready; not longer than that takes to the SM"
    )
    header_bytes: Annotated[int, Field(ge=0, le=128)]
    request_flit_bytes: Count = Field(description="what the request of a load takes of the ports")
    partition_link_bytes_per_cycle: Rate = Field(description="between the two L2 partitions, each way")


class L2(Group):
    """Second-level cache: slices in two partitions, write-back."""

    bytes: Count
    partitions: Annotated[int, Field(ge=1, le=2)]
    slices: Count
    ways: Count
    line_bytes: Literal[128]
    sector_bytes: Literal[32]
    hash_granule_bytes: Count = Field(description="consecutive bytes that stay in one slice")
    hash_page_bytes: Count = Field(description="consecutive bytes that stay in one partition")
    far_copies: bool = Field(description="a line read across the partitions is kept in the reader's partition too")
    hit_latency_near_cycles: Cycles = Field(description="whole path, pointer chase from an SM")
    hit_latency_far_cycles: Cycles
    own_clock_share: Annotated[float, Field(ge=0, le=1)] = Field(
        description="of a near hit's latency, what passes at the L2's clock; the rest passes at the SMs'"
    )
    hit_latency_spread_cycles: Annotated[tuple[int, ...], Field(min_length=7, max_length=7)] = Field(
        description="how far slices lie off the mean: the nearest, 5, 25, 50, 75 and 95 % of them, the farthest"
    )
    slice_bytes_per_cycle: Rate = Field(description="data a slice gives, per SM cycle")
    slice_write_bytes_per_cycle: Rate = Field(description="data of stores that a slice takes, per SM cycle")
    slice_fill_bytes_per_cycle: Rate = Field(description="data from DRAM that a slice takes, per SM cycle")
    slice_interval_cycles: Rate = Field(description="SM cycles between two lookups of a slice")
    miss_lines_per_slice: Count = Field(
        description="lines that a slice awaits from DRAM, and as many on their way there"
    )
    copy_hit_answers: Annotated[int, Field(ge=0)] = Field(
        description="so many answers from the other partition a hit on a copy of its line waits for, of those awaited"
    )
    dirty_fraction: Annotated[float, Field(gt=0, le=1)] = Field(description="share of lines that may await write-back")
    fetch_bytes: Count = Field(description="smallest piece that a read miss fetches from DRAM (sector promotion)")
    atomic_interval_cycles: Rate = Field(description="per slice, one 32-byte sector of 32-bit atomics")
    atomic_same_cycles: Rate = Field(
        description="between two atomics to the same sector that follow each other in a slice"
    )
    atomic_latency_cycles: Cycles = Field(description="beyond a load's")
    turns_after_cycles: Cycles = Field(
        description="a slice is taken for so long in order of arrival before loads and atomics wait for turns of their SMs"
    )
    atomic_queue_sectors: Count = Field(
        description="sectors of atomics that may wait in a slice before reads wait behind them"
    )
    slice_atomic_bytes_per_cycle: Rate = Field(
        description="atomics of its partition's SMs that a slice takes or passes on, data and headers, per SM cycle"
    )


class Dram(Group):
    """High-bandwidth memory."""

    peak_gb_per_s: Rate
    attained_share: Annotated[float, Field(gt=0, le=1)] = Field(description="of the peak, by reads alone")
    channels: Count = Field(description="independent data buses (HBM3 pseudo channels)")
    banks_per_channel: Annotated[int, Field(ge=1, le=64)] = Field(description="that open rows independently")
    access_bytes: Count = Field(description="one burst")
    channel_hash_granule_bytes: Count = Field(description="Accel-Sim alone: the engine's channels belong to slices")
    latency_near_cycles: Cycles = Field(description="unloaded L2 miss, whole path, pointer chase from an SM")
    latency_far_cycles: Cycles = Field(
        description="Accel-Sim alone: the engine adds the far hit's excess to the near miss"
    )
    row_cycle_ns: Nanoseconds = Field(description="tRC, activate to activate of one bank")
    row_miss_ns: Nanoseconds = Field(description="tRP + tRCD")
    column_ns: Nanoseconds = Field(description="tCCD_L, between two accesses of one row")
    write_recovery_ns: Nanoseconds = Field(description="beyond tRC, when the row was written")
    read_idle_ns: Nanoseconds = Field(
        description="without reads, before a channel's bus turns to fewer writes than a turn"
    )
    read_to_write_ns: Nanoseconds = Field(description="from the decision to write to the first data")
    write_to_read_ns: Nanoseconds = Field(description="from the last data written to the first data read")
    refresh_interval_ns: Nanoseconds = Field(description="tREFI; 0 switches refresh off")
    refresh_ns: Nanoseconds = Field(description="time a bank is closed per refresh")
    refresh_groups: Count = Field(
        description="even times of an interval at which some bank is refreshed; each channel has one for each bank"
    )
    queue_entries_per_channel: Count = Field(description="reads among which a slice's channels choose, per channel")
    look_ns: Nanoseconds = Field(description="a read is answered so much later for each older one to choose from")
    idle_turn_lines: Count = Field(description="at least written where a turn began because no read waited")
    write_turn_lines: Count = Field(
        description="writes that make a channel's bus turn; as many go at least before it turns back to reads that wait"
    )


class Launch(Group):
    """Start and end of a kernel, and the block scheduler."""

    start_cycles: Cycles = Field(description="gpc cycle counter runs before the first block can start")
    end_cycles: Cycles = Field(description="last warp's exit or last store in the L2 to the end of the counter")
    blocks_per_cycle: Rate = Field(description="rate of the whole GPU's block scheduler while SMs have room")
    successor_blocks_per_cycle: Rate = Field(description="its rate once blocks must end before others start")
    sm_interval_cycles: Cycles = Field(description="between two block launches on one SM")
    first_instruction_cycles: Cycles = Field(description="block launch to the first issue of its warps")
    release_cycles: Cycles = Field(description="last warp's exit to a successor block's launch")
    skip_prologue: bool = Field(
        description="after the first wave, warps start at their first global access: a persistent kernel's tile loop"
    )


class SimConfig(Group):
    """A whole simulated GPU. `name`, `files` and `provenance` are set by the loader."""

    name: str = "unnamed"
    files: tuple[str, ...] = ()
    provenance: dict[str, Provenance] = {}
    gpu: Gpu
    sm: Sm
    tensor: Tensor
    fetch: Fetch
    constant: Constant
    mio: Mio
    shared: Shared
    l1: L1
    noc: Noc
    l2: L2
    dram: Dram
    launch: Launch

    @property
    def sm_count(self) -> int:
        return sum(self.gpu.sms_per_gpc)

    @property
    def assumptions(self) -> dict[str, Provenance]:
        """Fields whose value nobody measured, for the report's list."""
        return {field: p for field, p in self.provenance.items() if p.kind == "assumption"}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for wrong, field, why in _contradictions(self):
            if wrong:
                raise ValueError(f"{field}|{why}")
        return self


def _contradictions(config: SimConfig) -> list[tuple[bool, str, str]]:
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
