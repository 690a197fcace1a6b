"""Mamba-2 with a long sequence that ends within a chunk and half the state."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-long", batch=1, seqlen=7000, heads=40, head_dim=64, state=64, groups=1, chunk=256)
