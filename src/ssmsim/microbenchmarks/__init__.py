"""Our own CUDA programs that measure what the baseline configuration needs, one .cu and one .py each in programs/.

Nothing here is used to simulate. On a machine with a GPU, `ssmsim microbench -o DIR` runs them all and writes one JSON
per program, each value naming the configuration field it sets. The modules up to `run` need only NumPy, so that they
also run where the rest of ssmsim is not installed.
"""
