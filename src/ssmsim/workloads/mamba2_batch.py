"""Mamba-2 with many short sequences and heads of 128 in chunks of 256."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-batch", batch=8, seqlen=1024, heads=32, head_dim=128, state=128, groups=4, chunk=256)
