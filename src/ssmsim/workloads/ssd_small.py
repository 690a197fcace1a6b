"""A Mamba-2 block small enough to emulate whole: two heads, two chunks."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("ssd-small", batch=1, seqlen=512, heads=2, head_dim=64, state=128, groups=1, chunk=256)
