"""shared.spill_space: local memory in what resident blocks leave of the SM's shared memory.

A thread's lowest bytes lie there, as many as fit for all threads of all blocks that may be resident; the rest stays local.
Occupancy is not lowered, the carve-out grows, and the L1 has what is left. A word of all 32 lanes of a warp lies in one
row of the banks, as local memory is laid out (CUDA guide, local memory), so lanes never conflict: each register takes a
wavefront. Spilling to shared memory without lower occupancy: Sakdhnagool et al., RegDem, ICS 2019.
"""

from ssmsim.architecture import LANES
from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.sass.opcodes import Space

WIDEST = 16  # bytes of an access: none lies on both sides of the end


def spill_bytes(launch: Launch, config: SimConfig, blocks: int, tiles: int = 1) -> int:
    """Bytes of each thread's local memory that lie in shared memory, with so many blocks on an SM; 0 without local memory.

    tiles: of a block that each have their own shared memory. Raises SsmsimError for a stack whose size the compiler does
    not know.
    """
    if not config.shared.spill_space:
        return 0
    code = decode_launch(launch)
    local = next((ins for ins in code.instructions if ins.entry.space == Space.LOCAL), None)
    if local is None:
        return 0
    if code.kernel.grows_stack or len(code.kernel.symbols) > 2:
        raise SsmsimError("functions that it calls have a stack of their own, of which the cubin gives no size", local.where,
                          "leave its local memory where it is (shared.spill_space: false)")  # fmt: skip
    sizes = range(-(-code.kernel.local_bytes // WIDEST) * WIDEST, 0, -WIDEST)
    return next((size for size in sizes if _fits(launch, config, blocks, size, tiles)), 0)


def block_bytes(launch: Launch, config: SimConfig, spilled: int, tiles: int = 1) -> int:
    """Shared memory that a block takes, with so many bytes of each thread's local memory."""
    taken = _own(launch, spilled, tiles) + config.shared.reserved_bytes_per_block
    return -(-taken // config.shared.allocation_unit_bytes) * config.shared.allocation_unit_bytes


def _own(launch: Launch, spilled: int, tiles: int) -> int:
    return tiles * launch.shared_memory_bytes + launch.warps_per_block * LANES * spilled


def _fits(launch: Launch, config: SimConfig, blocks: int, spilled: int, tiles: int) -> bool:
    within = _own(launch, spilled, tiles) <= config.shared.max_bytes_per_block
    return within and blocks * block_bytes(launch, config, spilled, tiles) <= config.shared.max_bytes_per_sm
