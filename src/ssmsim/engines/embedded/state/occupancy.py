"""Occupancy: how many blocks of a launch fit on an SM, by the limits of the CUDA occupancy calculator."""

from dataclasses import dataclass

from ssmsim.architecture import LANES
from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch


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
    registers = _up(launch.registers_per_thread * LANES, sm.register_allocation_unit)
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
