"""What a simulated GPU is made of: every parameter of the model, unit in its name, bounds and contradictions."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from ssmsim.config.fields import Count, Cycles, Group, Megahertz, Provenance, Rate
from ssmsim.config.memory_system import L2, Dram, Noc
from ssmsim.config.relations import contradictions
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
    first_instruction_cycles: Cycles = Field(description="block launch to the first issue of its warps")
    release_cycles: Cycles = Field(description="last warp's exit to a successor block's launch")
    skip_prologue: bool = Field(
        description="after the first wave, warps start at their first global access: a persistent kernel's tile loop"
    )


class SimConfig(Group):
    """A whole simulated GPU. `name`, `files` and `provenance` are set by the loader."""

    name: str = "unnamed"
    files: tuple[str, ...] = ()
    provenance: dict[str, Provenance] = Field(default_factory=dict)
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

    @property
    def sm_count(self) -> int:
        return sum(self.gpu.sms_per_gpc)

    @property
    def assumptions(self) -> dict[str, Provenance]:
        """Fields whose value nobody measured, for the report's list."""
        return {field: p for field, p in self.provenance.items() if p.kind == "assumption"}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for wrong, field, why in contradictions(self):
            if wrong:
                raise ValueError(f"{field}|{why}")
        return self
