// Streams of a few MB, for a cold L2; the profiler counts.
#include "streams.cuh"

STREAM(1, 0, 4) STREAM(0, 1, 4) STREAM(1, 1, 4) STREAM(2, 1, 2) STREAM(1, 2, 2) STREAM(7, 1, 1)
