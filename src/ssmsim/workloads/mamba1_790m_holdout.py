"""The selective scan of Mamba 790M at a ragged length: kept for validation, nothing is tuned on it."""

from ssmsim.workloads._selective_scan import selective_scan

WORKLOAD = selective_scan("mamba1-790m-holdout", batch=2, inner=3072, seqlen=1000, state=16)
