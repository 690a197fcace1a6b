"""Parameters of what works beside the warps: mbarriers, the TMA unit, clusters and the network between their SMs."""

from pydantic import Field

from ssmsim.config.fields import Cycles, Group, Interval, Latency, NonNegative, Rate, Room


class Mbarrier(Group):
    """Barriers in shared memory that count arrivals and bytes (SYNCS)."""

    interval_cycles: Interval = Field(description="the SM's unit takes one SYNCS per this, whatever its lanes do")
    port_cycles: Interval = Field(description="a SYNCS takes its sub-core's port to the SM's unit this long")
    try_interval_cycles: Interval = Field(description="and a try at a phase per this")
    latency_cycles: Latency = Field(
        description="from its turn there to its result: a try at a phase that has completed"
    )
    wake_cycles: Cycles = Field(description="from what completes a phase to the results of tries that wait for it")
    copies_wake_cycles: Cycles = Field(
        description="the same where the end of a group of LDGSTS completes it, which is told to the barrier before a counter"
    )


class Tma(Group):
    """Tensor memory accelerator of an SM: bulk and tensor copies."""

    issue_latency_cycles: Cycles = Field(description="issue of a copy to the request of its first line")
    read_release_cycles: Latency = Field(description="issue to the release of its uniform registers")
    request_cycles: NonNegative = Field(description="between the requests of two lines, or rows that are shorter")
    prefetch_cycles: NonNegative = Field(description="between the requests of two lines of a prefetch into the L2")
    fill_cycles: NonNegative = Field(description="between two lines that are written to shared memory")
    arrival_latency_cycles: Cycles = Field(description="last line of a load written to its bytes at the mbarrier")
    group_latency_cycles: Cycles = Field(description="last line of a group of stores read to its counter")


class Cluster(Group):
    """Blocks that share their shared memory, and the network between the SMs of a GPC."""

    sms_apart: Room = Field(description="SMs of the first GPC that take no blocks of clusters of more than two")
    barrier_near_cycles: Cycles = Field(
        description="last arrival to the first issue after it, clusters of up to two blocks"
    )
    barrier_far_cycles: Cycles = Field(description="the same of more blocks")
    own_latency_cycles: Latency = Field(description="generic load from the block's own shared memory, issue to use")
    near_latency_cycles: Latency = Field(description="load from shared memory of the TPC's other SM")
    far_latency_cycles: Latency = Field(description="load from shared memory of another TPC's SM")
    own_arrive_latency_cycles: Cycles = Field(
        description="arrival at the own block's mbarrier by an address that could name another's, beyond a plain one"
    )
    arrive_latency_cycles: Cycles = Field(
        description="arrival at another block's mbarrier, from its turn at the SM's unit"
    )
    store_latency_cycles: Cycles = Field(description="the same of a store that the other block's mbarrier counts")
    copy_latency_cycles: Cycles = Field(
        description="end of a bulk copy's bytes at the port to the other block's mbarrier"
    )
    reduction_latency_cycles: Cycles = Field(description="that a bulk reduction takes longer than a copy")
    reduction_share: NonNegative = Field(description="of its bytes that a bulk reduction takes the network longer for")
    load_bytes_per_cycle: Rate = Field(description="that an SM gets of loads from others")
    store_bytes_per_cycle: Rate = Field(description="that an SM sends of stores and copies to others")
    gpc_bytes_per_cycle: Rate = Field(description="between the TPCs of a GPC, all together")
    backlog_cycles: Cycles = Field(
        description="accesses hold up the SM's unit when the port is further behind than this"
    )
