"""Command line of a table script: `tables/NAME.py` has `make(data) -> DataFrame` and ends with `main(make)`."""

import sys
from collections.abc import Callable

import pandas as pd

from analysis.data import Data, read
from ssmsim.files import whole_file


def main(make: Callable[[Data], pd.DataFrame]) -> None:
    """FOLDER OUTPUT: write the table as CSV, whole numbers in full, others with five significant digits."""
    folder, output = sys.argv[1:]
    with whole_file(output) as temporary:
        counts(make(read(folder))).to_csv(temporary, index=False, float_format="%.5g")


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """Float columns that hold only whole numbers (and gaps) as integers."""
    whole = [
        name
        for name in table.select_dtypes("float")
        if (table[name].dropna() % 1 == 0).all() and (table[name].abs().dropna() < 2**53).all()
    ]
    return table.astype(dict.fromkeys(whole, "Int64"))
