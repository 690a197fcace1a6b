"""Mamba-2 780M at one long sequence: kept for validation, nothing is tuned on it."""

from ssmsim.workloads._ssd import ssd

WORKLOAD = ssd("mamba2-780m-holdout", batch=1, seqlen=4096, heads=48, head_dim=64, state=128, groups=1, chunk=256)
