"""The block of the 8-billion-parameter Mamba-2 of "An Empirical Study of Mamba-based Language Models"."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-8b", batch=4, seqlen=4096, heads=128, head_dim=64, state=128, groups=8, chunk=128)
