"""Mamba-2 with heads of 128, half the state and a last chunk that is not full: captured when the model was finished."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-wide-holdout", batch=2, seqlen=3000, heads=24, head_dim=128, state=64, groups=2, chunk=128)
