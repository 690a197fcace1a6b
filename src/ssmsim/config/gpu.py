"""What a simulated GPU is made of: the die, its units, and the start and end of a kernel on it."""

from typing import Annotated, Literal

from pydantic import Field

from ssmsim.config.asynchronous import Cluster, Mbarrier, Tma
from ssmsim.config.fields import Count, Cycles, Group, Megahertz, Rate, Room
from ssmsim.config.memory_system import L2, Dram, Noc
from ssmsim.config.sm import L1, Constant, Fetch, Issue, Mio, Shared, Sm, Tensor


class Gpu(Group):
    """The die. Cycles everywhere are SM cycles unless the name says otherwise."""

    name: str = Field(
        default="",
        max_length=64,
        description="the product, as the name of a launch's device has it; says alone which launches are its own. Empty: any",
    )
    compute_capability: str = Field(pattern=r"^\d+\.\d$", description="as the driver reports it, '9.0' for Hopper")
    sm_clock_mhz: Megahertz
    cycles_at_mhz: Megahertz = Field(
        description="SM clock at which cycles of the L2, the GPCs' ports and DRAM are stated; they have clocks of their own"
    )
    sms_per_gpc: Annotated[tuple[Annotated[int, Field(ge=1, le=64)], ...], Field(min_length=1, max_length=32)] = Field(
        description="one entry per GPC; the sum is the number of SMs"
    )
    sms_per_cpc: Count = Field(
        description="SMs of a cluster of TPCs; the last one of a GPC has what remains. Each gets as much of a busy slice"
    )


class Launch(Group):
    """Start and end of a kernel, and the block scheduler."""

    start_cycles: Cycles = Field(description="gpc cycle counter runs before the first block can start")
    end_cycles: Cycles = Field(description="last warp's exit or last store in the L2 to the end of the counter")
    blocks_per_cycle: Rate = Field(description="rate of the whole GPU's block scheduler while SMs have room")
    successor_blocks_per_cycle: Rate = Field(description="its rate once blocks must end before others start")
    sm_interval_cycles: Cycles = Field(description="between two block launches on one SM")
    apart_turns: Room = Field(
        description="while places are empty, turns of other GPCs between two of the SMs of cluster.sms_apart; 0: all get one block first"
    )
    full_block_turn: Room = Field(
        description="sub-cores by which blocks move on whose warps fill all sub-cores alike; others begin where the last one ended"
    )
    first_instruction_cycles: Cycles = Field(description="block launch to the first issue of its warps")
    release_cycles: Cycles = Field(description="last warp's exit to a successor block's launch")
    schedule: Literal["dynamic", "persistent"] = Field(
        description="dynamic: a block starts wherever there is room. persistent: as many blocks as fit stay and walk tiles at that stride"
    )
    rasterization_width: Room = Field(
        description="tiles come in columns of the grid so many wide, row by row in each; 0: whole rows"
    )
    skip_prologue: bool = Field(
        description="after the first wave, warps start at their first global access: a persistent kernel's tile loop"
    )


class Hardware(Group):
    """All groups of parameters, as a configuration gives them."""

    gpu: Gpu
    issue: Issue
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
    mbarrier: Mbarrier
    tma: Tma
    cluster: Cluster

    @property
    def sm_count(self) -> int:
        return sum(self.gpu.sms_per_gpc)
