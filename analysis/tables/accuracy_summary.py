"""How far the simulator is from the GPU: a line per cache state, length of kernel, simulated GPU and workload.

`simulated_on` is the whole GPU or a part of it from which the whole is estimated; a launch that ran on both counts where
it ran whole.
"""

import pandas as pd

from analysis.data import (
    BANDWIDTH,
    CYCLES,
    INSTRUCTIONS,
    ISSUE,
    L1_HIT,
    L2_HIT,
    LONG_US,
    READ,
    WRITE,
    Data,
    correlation,
)
from analysis.table import main

ALL = "all"
METRICS = (CYCLES, INSTRUCTIONS, L1_HIT, L2_HIT, READ, WRITE, BANDWIDTH, ISSUE)
TRAFFIC = 1e6  # bytes; below, the traffic is a few cache lines and a relative error says nothing


def make(data: Data) -> pd.DataFrame:
    tables = {metric: data.pairs(metric) for metric in METRICS}
    lines = []
    for part in (False, True):
        on = data.part_text(tables[CYCLES]) if part else "whole GPU"
        for cache in ("cold", "warm"):
            for long in (True, False):

                def chosen(
                    table: pd.DataFrame, part: bool = part, cache: str = cache, long: bool = long
                ) -> pd.DataFrame:
                    return table[
                        ((table.part_sms > 0) == part) & (table.cache == cache) & ((table.us >= LONG_US) == long)
                    ]

                group = {metric: chosen(table) for metric, table in tables.items()}
                kernels = f"at least {LONG_US} us" if long else f"below {LONG_US} us"
                about = {"cache": cache, "simulated_on": on, "kernels": kernels}
                workloads = list(dict.fromkeys(group[CYCLES].workload))
                for workload in [*workloads, ALL] if workloads else []:
                    own = {m: t if workload == ALL else t[t.workload == workload] for m, t in group.items()}
                    lines.append(about | {"workload": workload} | _line(own))
    return pd.DataFrame(lines)


def _line(group: dict[str, pd.DataFrame]) -> dict[str, object]:
    cycles = group[CYCLES]
    worst = cycles.loc[cycles.error.abs().idxmax()]
    traffic = pd.concat([group[READ], group[WRITE]])
    traffic = traffic[traffic.measured > TRAFFIC]

    def points(metric: str) -> float:
        return float((group[metric].simulated - group[metric].measured).abs().mean())

    return {
        "count": len(cycles),
        "cycles_mean_absolute_error_pct": 100 * cycles.error.abs().mean(),
        "cycles_mean_error_pct": 100 * cycles.error.mean(),
        "cycles_worst_pct": 100 * worst.error,
        "worst_kernel": f"{worst.workload} {worst['name']}",
        "cycles_r": correlation(cycles),
        "instructions_exact": int((group[INSTRUCTIONS].error == 0).sum()),
        "l1_hit_points": points(L1_HIT),
        "l2_hit_points": points(L2_HIT),
        "dram_bytes_error_pct": 100 * traffic.error.abs().mean(),
        "dram_throughput_points": points(BANDWIDTH),
        "issue_active_points": points(ISSUE),
    }


if __name__ == "__main__":
    main(make)
