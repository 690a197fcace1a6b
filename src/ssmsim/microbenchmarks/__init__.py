"""Our own CUDA programs that measure what the baseline configuration needs, one .cu and one .py each in programs/GROUP/.

A group is a unit of the GPU: sm, sm_memory (from the MIO queue to the write-back, shared memory and LDGSTS included), l1,
noc, l2, dram, launch (the block scheduler) and clock. `ssmsim microbench --list` names them all. Nothing here is used to
simulate. On a machine with a GPU, `ssmsim microbench -o DIR` runs them and writes DIR/GROUP/NAME.json; fields of the
configuration name what they come from as GROUP/NAME: sample. The modules up to `run` need only NumPy, so that they
also run where the rest of ssmsim is not installed.
"""
