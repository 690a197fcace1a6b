"""Measured, the study's engine and others (Accel-Sim) on the same launches: what they say and what it costs.

Rows of other engines come from the study where it ran them (analysis/accelsim.yaml), else from traces/DEVICE/accelsim,
where they are recorded. `blocks_pct` below 100: a fragment, which only the engines replayed. Speed is warp instructions
per second of processor time; `input_bytes` is what the engine replays from: a trace, or the captured launch.
"""

import pandas as pd

from analysis.data import CYCLES, KEY, L1_HIT, L2_HIT, READ, WRITE, Data, fragment
from analysis.table import main

HIT = {"l1_hit_pct": L1_HIT, "l2_hit_pct": L2_HIT}
SUMS = {"cycles": CYCLES, "dram_read_bytes": READ, "dram_write_bytes": WRITE}
NONE = (
    "no result of another engine: build github.com/accel-sim/accel-sim-framework, set ACCELSIM_ROOT to its folder and run "
    "snakemake --cores all all --config study=analysis/accelsim.yaml"
)


def make(data: Data) -> pd.DataFrame:
    data = data.both()
    rows = data.rows[(data.rows.config == data.baseline) & (data.rows.part_sms == 0) & (data.rows.draw == 0)]
    rows = rows.assign(blocks_pct=(100 * rows.sampled_fraction).where(fragment(rows), 100.0))
    rows = rows.drop_duplicates([*KEY, "blocks_pct", "engine"])  # the study's before recorded ones
    shared = rows[rows.engine != data.engine][[*KEY, "blocks_pct"]].drop_duplicates()
    rows = rows.merge(shared).sort_values(["workload", "order", "blocks_pct", "cache"], kind="stable")
    measured = data.measured()[[*KEY, *HIT.values(), *SUMS.values()]]
    both = rows.merge(measured, "left", on=KEY, suffixes=("", " measured"))
    table = both[[*KEY, "name", "blocks_pct", "engine"]].copy()
    whole = both.blocks_pct == 100
    for short, metric in (SUMS | HIT).items():
        table[f"{short}_measured"], table[short] = both[f"{metric} measured"].where(whole), both[metric]
    for short in HIT:
        table[f"{short.removesuffix('pct')}points"] = table[short] - table[f"{short}_measured"]
    for short in SUMS:
        table[f"{short}_error_pct"] = 100 * (
            table[short] / table[f"{short}_measured"].where(table[f"{short}_measured"] > 0) - 1
        )
    seconds = both.cpu_seconds.fillna(both.wall_seconds)
    table["warp_instructions"], table["cpu_seconds"] = both.warp_instructions, both.cpu_seconds
    table["warp_instructions_per_s"] = both.warp_instructions / seconds.where(seconds > 0)
    table["peak_memory_bytes"], table["input_bytes"] = both.peak_memory_bytes, both.input_bytes
    return table if len(table) else pd.DataFrame({"engine": [NONE]})


if __name__ == "__main__":
    main(make)
