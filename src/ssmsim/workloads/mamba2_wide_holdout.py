"""Mamba-2 with heads of 128, half the state and a last chunk that is not full: kept for validation, nothing is tuned on it."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-wide-holdout", batch=2, seqlen=3000, heads=24, head_dim=128, state=64, groups=2, chunk=128)
"""Captured when the model was finished: its kernels were not looked at before."""
