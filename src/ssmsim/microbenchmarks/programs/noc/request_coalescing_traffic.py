"""L2 request coalescer: sectors that reach the L2 when several SMs read the same lines, by how far they are apart in time.

Each SM reads 256 KB (8,192 sectors) that are in L2; counted: the L2's read sectors, hits, and traffic between partitions.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import u32, u64
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import SETS, sms

METRICS = [
    ("none", ["lts__t_sectors_op_read.sum"]),
    ("none", ["lts__t_sectors_srcunit_tex_lookup_hit.sum"]),
    ("none", ["lts__t_sectors_srcunit_ltcfabric.sum"]),
]
BYTES = 256 << 10
GROUPS = ("1sm", "tpc", "2tpc", "2gpc", "gpc4", "gpc", "8gpc", "all")
DELAYS = (0, 50, 100, 200, 500, 2000)  # ns from one SM to the next


def counted(session: Any) -> Iterator[str]:
    sink, base = session.buffer(256), session.buffer(BYTES)
    for group in GROUPS:
        for delay in DELAYS if group != "1sm" else (0, 0):
            session.launch("follow", 132, 32, u64(sink), u64(base), u32(BYTES), u32(delay), sms(*SETS[group]),
                           shared=120 << 10)  # fmt: skip
            session.gpu.synchronize()
            yield f"{group}.{delay}ns"


SECONDS = 60
