"""What the model takes as given of the architecture: Hopper, sm_90. Whatever a configuration may change is not here.

For another architecture, look at what uses these names, and at:
- sass/control.py, sass/opcodes.py and sass/records.py: the machine words, opcodes and pipes of its binaries, and the
  cubin's attributes; tracers/emulated: special registers and the layout of constant bank 0.
- engines/embedded/instructions.py and sm/: which pipes a sub-core has, HGMMA, LDGSTS, named and dependency barriers.
- a complete configuration in simconfigs/ (`gpu.compute_capability`), each value with its source.

Sources: CUDA C++ Programming Guide, compute capability 9.0 (sub-cores, warps); Nsight Compute's documentation, memory
tables (sectors of 32 bytes, four to a line); our microbenchmark l2/partition_hit_traffic (two partitions of the L2).
"""

COMPUTE_CAPABILITY = (9, 0)
SM_VERSION = 10 * COMPUTE_CAPABILITY[0] + COMPUTE_CAPABILITY[1]  # as in sm_90, and in a cubin's header

LANES = 32  # threads of a warp
SUBCORES = 4  # of an SM; warp w of it runs on sub-core w mod 4
WARPGROUP_WARPS = 4  # that issue an HGMMA together
MAX_CLUSTER = 16  # blocks, with the non-portable size

SECTOR_BYTES = 32
SECTORS_PER_LINE = 4
LINE_BYTES = SECTOR_BYTES * SECTORS_PER_LINE  # of L1 and L2
SECTOR_SHIFT, LINE_SHIFT = 5, 7  # byte address to number of its sector, of its line
ALL_SECTORS = (1 << SECTORS_PER_LINE) - 1  # mask of a whole line

BANK_BYTES = 4  # word of a shared-memory bank; a pass over all banks is a line
WORDS_PER_SECTOR = SECTOR_BYTES // BANK_BYTES
MOST_PARTITIONS = 2  # of the L2
MOST_DRAM_BANKS = 128  # of a channel, that the engine has room for
