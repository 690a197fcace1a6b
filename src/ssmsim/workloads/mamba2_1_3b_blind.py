"""The block of Mamba-2 1.3B on long sequences, in two groups: replayed once, when the model is frozen."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-1.3b-blind", batch=3, seqlen=5120, heads=64, head_dim=64, state=128, groups=2, chunk=256)
