"""The state-space block of Mamba-2 2.7B at training shape."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-2.7b", batch=8, seqlen=2048, heads=80, head_dim=64, state=128, groups=1, chunk=256)
