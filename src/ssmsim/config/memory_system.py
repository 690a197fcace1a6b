"""Parameters of the memory system: crossbar, L2 slices, HBM channels."""

from typing import Annotated, Literal

from pydantic import Field

from ssmsim.architecture import LINE_BYTES, MOST_DRAM_BANKS, MOST_PARTITIONS, SECTOR_BYTES
from ssmsim.config.fields import (
    LONGEST,
    Bandwidth,
    Bytes,
    Cycles,
    Entries,
    Group,
    Interval,
    Nanoseconds,
    Policy,
    Rate,
    Room,
    Share,
)

Offset = Annotated[int, Field(ge=-LONGEST, le=LONGEST)]


class Noc(Group):
    """Crossbar between SMs and L2 slices."""

    request_bytes_per_cycle_per_sm: Rate = Field(description="stores and atomics, data and header")
    reply_bytes_per_cycle_per_sm: Rate
    reply_bytes_per_cycle_per_gpc: Rate = Field(description="data that the links of all slices to one GPC carry")
    request_bytes_per_cycle_per_gpc: Rate
    coalescer_entries_per_gpc: Annotated[int, Field(ge=0, le=1 << 16)] = Field(
        description="loads it can merge others into; 0: none"
    )
    coalescer_merges: Entries = Field(description="loads that one L2 request may serve")
    coalescer_window_cycles: Cycles = Field(
        description="how long others may join a load whose answer is ready; not longer than that takes to the SM"
    )
    header_bytes: Annotated[int, Field(ge=0, le=128)]
    shared_reply_skew_cycles: Interval = Field(
        description="an answer that TPCs of a GPC share comes to some of them up to so many cycles later"
    )
    atomic_header_bytes: Bytes = Field(description="that an atomic of up to four sectors sends beside its data")
    atomic_lane_header_bytes: Room = Field(description="the same of an atomic of one lane")
    request_flit_bytes: Bytes = Field(description="what the request of a load takes of the ports")
    partition_link_bytes_per_cycle: Rate = Field(description="between the two L2 partitions, each way")


class L2(Group):
    """Second-level cache: slices in two partitions, write-back."""

    bytes: Bytes
    partitions: Annotated[int, Field(ge=1, le=MOST_PARTITIONS)]
    slices: Entries
    ways: Entries
    line_bytes: Literal[LINE_BYTES]  # type: ignore[valid-type]
    sector_bytes: Literal[SECTOR_BYTES]  # type: ignore[valid-type]
    replacement: Policy = Field(description="which way a new line takes; see the engine's memory/replacement")
    hash: Policy = Field(description="which slice owns a line; see the engine's memory/l2/hash")
    hash_granule_bytes: Bytes = Field(description="consecutive bytes that stay in one slice")
    hash_page_bytes: Bytes = Field(description="consecutive bytes that stay in one partition")
    word_masks: bool = Field(
        description="the L2 knows which words of a sector are written: several stores can fill one without a fetch"
    )
    far_copies: bool = Field(description="a line read across the partitions is kept in the reader's partition too")
    hit_latency_near_cycles: Cycles = Field(description="whole path, pointer chase from an SM")
    hit_latency_far_cycles: Cycles
    own_clock_share: Annotated[float, Field(ge=0, le=1)] = Field(
        description="of a near hit's latency, what passes at the L2's clock; the rest passes at the SMs'"
    )
    hit_latency_spread_cycles: Annotated[tuple[Offset, ...], Field(min_length=7, max_length=7)] = Field(
        description="how far slices lie off the mean: the nearest, 5, 25, 50, 75 and 95 % of them, the farthest"
    )
    slice_bytes_per_cycle: Rate = Field(description="data a slice gives, per SM cycle")
    slice_write_bytes_per_cycle: Rate = Field(description="data of stores that a slice takes, per SM cycle")
    slice_fill_bytes_per_cycle: Rate = Field(description="data from DRAM that a slice takes, per SM cycle")
    slice_interval_cycles: Rate = Field(description="SM cycles between two lookups of a slice")
    miss_lines_per_slice: Entries = Field(
        description="lines that a slice awaits from DRAM, and as many on their way there"
    )
    copy_hit_answers: Room = Field(
        description="so many answers from the other partition a hit on a copy of its line waits for, of those awaited"
    )
    dirty_fraction: Share = Field(description="share of lines that may await write-back")
    fetch_bytes: Bytes = Field(description="smallest piece that a read miss fetches from DRAM (sector promotion)")
    atomic_interval_cycles: Rate = Field(description="per slice, one 32-byte sector of atomics, of whatever words")
    atomic_fp64_interval_cycles: Rate = Field(description="the same of fp64 and of compare-and-swap")
    atomic_same_cycles: Rate = Field(
        description="between two additions of floats to the same sector that follow each other in a slice"
    )
    atomic_integer_same_cycles: Rate = Field(description="the same of integers and of compare-and-swap")
    atomic_latency_cycles: Cycles = Field(description="beyond a load's")
    turns_after_cycles: Cycles = Field(
        description="a slice is taken for so long in order of arrival before loads and atomics wait for turns of their SMs"
    )
    atomic_queue_sectors: Entries = Field(
        description="sectors of atomics that may wait in a slice before reads wait behind them"
    )
    slice_atomic_bytes_per_cycle: Rate = Field(
        description="atomics of its partition's SMs that a slice takes or passes on, data and headers, per SM cycle"
    )


class Dram(Group):
    """High-bandwidth memory."""

    peak_gb_per_s: Bandwidth
    attained_share: Share = Field(description="of the peak, by reads alone")
    channels: Entries = Field(description="independent data buses (HBM3 pseudo channels)")
    banks_per_channel: Annotated[int, Field(ge=1, le=MOST_DRAM_BANKS)] = Field(
        description="that open rows independently"
    )
    access_bytes: Bytes = Field(description="one burst")
    scheduler: Policy = Field(description="which transaction a channel serves; see the engine's memory/dram_schedulers")
    channel_hash_granule_bytes: Bytes = Field(description="Accel-Sim alone: the engine's channels belong to slices")
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
    refresh_groups: Entries = Field(
        description="even times of an interval at which some bank is refreshed; each channel has one for each bank"
    )
    refresh_idle_groups: Room = Field(description="times of an interval, beside those, at which no bank is refreshed")
    queue_entries_per_channel: Entries = Field(description="reads among which a slice's channels choose, per channel")
    look_ns: Nanoseconds = Field(description="a read is answered so much later for each older one to choose from")
    idle_turn_lines: Entries = Field(description="at least written where a turn began because no read waited")
    write_turn_lines: Entries = Field(
        description="writes that make a channel's bus turn; as many go at least before it turns back to reads that wait"
    )
