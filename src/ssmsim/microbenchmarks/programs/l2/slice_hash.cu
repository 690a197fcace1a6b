// Which slice of L2 holds a line: its latency from every SM, and whether it comes from the near or the far half.
#include "lines.cuh"
#include "reads.cuh"
#include "sweep.cuh"
