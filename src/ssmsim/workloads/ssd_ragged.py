"""A small Mamba-2 block whose last chunk is not full."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("ssd-ragged", batch=2, seqlen=300, heads=4, head_dim=64, state=128, groups=2, chunk=128)
