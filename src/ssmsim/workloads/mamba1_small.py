"""A selective scan small enough to emulate whole."""

from ssmsim.workloads._selective_scan import selective_scan

WORKLOAD = selective_scan("mamba1-small", batch=1, inner=64, seqlen=512, state=16)
