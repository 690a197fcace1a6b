"""Command line of a table script: `tables/NAME.py` has `make(data) -> DataFrame` and ends with `main(make)`."""

import sys
from collections.abc import Callable

import pandas as pd

from analysis.data import Data, read


def main(make: Callable[[Data], pd.DataFrame]) -> None:
    """FOLDER OUTPUT: write the table as CSV, numbers with four significant digits."""
    folder, output = sys.argv[1:]
    make(read(folder)).to_csv(output, index=False, float_format="%.4g")
