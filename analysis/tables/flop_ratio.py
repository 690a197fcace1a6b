"""FLOP by unit, ratio of tensor to vector FLOP and arithmetic intensity of every kernel."""

import pandas as pd

from analysis.classes import kernel_class
from analysis.data import READ, WRITE, Data
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    rows = data.measured("cold").sort_values(["workload", "order"])
    table = rows[["workload", "launch", "name", "direction"]].copy()
    table["class"] = rows.apply(kernel_class, axis=1)
    table["tensor_flop"], table["vector_flop"] = rows.tensor_flop, rows.vector_flop
    table["tensor_to_vector"] = (table.tensor_flop / table.vector_flop.where(table.vector_flop > 0)).where(
        table.tensor_flop > 0
    )
    hardware = data.value("tensor.flops_per_cycle_per_subcore") / 2 / data.value("sm.fp32_lanes_per_subcore")
    table["hardware_tensor_to_vector"] = hardware
    traffic = rows[READ] + rows[WRITE]
    table["flop_per_dram_byte"] = (table.tensor_flop + table.vector_flop) / traffic.where(traffic > 0)
    return table


if __name__ == "__main__":
    main(make)
