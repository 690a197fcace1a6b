"""The selective scan of Mamba 1.4B on longer sequences: replayed once, when the model is frozen."""

from ssmsim.workloads._selective_scan import selective_scan

WORKLOAD = selective_scan("mamba1-1.4b-blind", batch=4, inner=4096, seqlen=4096, state=16)
