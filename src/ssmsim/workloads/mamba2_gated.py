"""A Mamba-2 block with a gate inside its scan and a skip weight per channel."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-gated", batch=2, seqlen=2048, heads=32, head_dim=64, state=64, groups=1, chunk=256, gated=True)
