"""How far the simulator is from the GPU, in one line per cache state and length of kernel."""

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


def make(data: Data) -> pd.DataFrame:
    lines = []
    for cache in ("cold", "warm"):
        for group in ("long", "short"):

            def pairs(metric: str, cache: str = cache, group: str = group) -> pd.DataFrame:
                table = data.pairs(metric)
                return table[(table.cache == cache) & ((table.us >= LONG_US) == (group == "long"))]

            cycles = pairs(CYCLES)
            if cycles.empty:
                continue
            worst = cycles.loc[cycles.error.abs().idxmax()]
            traffic = pd.concat([pairs(READ), pairs(WRITE)])
            traffic = traffic[traffic.measured > 1e6]
            lines.append(
                {
                    "cache": cache,
                    "kernels": f"at least {LONG_US} us" if group == "long" else f"below {LONG_US} us",
                    "count": len(cycles),
                    "cycles_mean_absolute_error_pct": 100 * cycles.error.abs().mean(),
                    "cycles_mean_error_pct": 100 * cycles.error.mean(),
                    "cycles_worst_pct": 100 * worst.error,
                    "worst_kernel": f"{worst.workload} {worst['name']}",
                    "cycles_r": correlation(cycles),
                    "instructions_exact": int((pairs(INSTRUCTIONS).error == 0).sum()),
                    "l1_hit_points": (pairs(L1_HIT).simulated - pairs(L1_HIT).measured).abs().mean(),
                    "l2_hit_points": (pairs(L2_HIT).simulated - pairs(L2_HIT).measured).abs().mean(),
                    "dram_bytes_error_pct": 100 * traffic.error.abs().mean(),
                    "dram_throughput_points": (pairs(BANDWIDTH).simulated - pairs(BANDWIDTH).measured).abs().mean(),
                    "issue_active_points": (pairs(ISSUE).simulated - pairs(ISSUE).measured).abs().mean(),
                }
            )
    return pd.DataFrame(lines)


if __name__ == "__main__":
    main(make)
