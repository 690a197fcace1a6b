"""Occupancy: how many blocks of a launch fit on an SM, by the limits of the CUDA occupancy calculator."""

from dataclasses import dataclass

from ssmsim.architecture import LANES
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded.state import spill_space
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch


@dataclass(frozen=True)
class Occupancy:
    """Blocks of this launch that fit on one SM, and what is left of the unified memory for the L1.

    most: blocks that may be resident when some start early, on registers that others have given back (sm/register_file.py).
    overlaps: each of these blocks, if persistent, has shared memory for its next tile, too.
    spill_bytes: of each thread's local memory, those that lie in shared memory (spill_space.py).
    """

    blocks: int
    limits: dict[str, int]
    carveout_bytes: int
    l1_bytes: int
    most: int
    overlaps: bool = False
    spill_bytes: int = 0


def occupancy(launch: Launch, config: SimConfig) -> Occupancy:
    """Limits as in the CUDA occupancy calculator. Raises SsmsimError when not even one block fits."""
    sm, shared = config.sm, config.shared
    warps = launch.warps_per_block
    # Each sub-core has its own register file; a block needs no whole number of warps per sub-core.
    registers = _up(launch.registers_per_thread * LANES, sm.register_allocation_unit)
    register_warps = sm.subcores * (sm.registers // sm.subcores // registers) if registers else sm.blocks * warps
    memory = spill_space.block_bytes(launch, config, 0)
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
    twice = spill_space.block_bytes(launch, config, 0, tiles=2)
    overlaps = config.launch.schedule == "persistent" and (
        2 * launch.shared_memory_bytes <= shared.max_bytes_per_block and blocks * twice <= shared.max_bytes_per_sm
    )
    most = min(blocks + sm.early_blocks, *(count for name, count in limits.items() if name != "registers"))
    tiles = 2 if overlaps else 1
    spilled = spill_space.spill_bytes(launch, config, most, tiles)
    wanted = most * spill_space.block_bytes(launch, config, spilled, tiles)
    carveout = next(k * 1024 for k in shared.carveouts_kib if k * 1024 >= wanted)
    left = config.l1.unified_bytes - carveout - config.l1.reserved_bytes - config.l1.prefetcher_bytes
    if config.l1.prefetcher_bytes and left < config.l1.line_bytes:
        raise SsmsimError(f"l1.prefetcher_bytes {config.l1.prefetcher_bytes} of {config.name} leaves no L1 beside {carveout} "
                          "bytes of shared memory", launch.folder, "make the prefetcher's buffer smaller")  # fmt: skip
    return Occupancy(blocks, limits, carveout, left, most, overlaps, spilled)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
