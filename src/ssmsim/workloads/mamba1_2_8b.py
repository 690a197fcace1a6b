"""The selective scan of Mamba 2.8B at training shape."""

from ssmsim.workloads._selective_scan import selective_scan

WORKLOAD = selective_scan("mamba1-2.8b", batch=8, inner=5120, seqlen=2048, state=16)
