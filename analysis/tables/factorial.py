"""What each axis of the factorial design is worth, to every launch and to the whole block, and what then.

`given` is empty for the mean over all settings of the other axes, or names the axis that is relieved besides.
"""

import pandas as pd

from analysis.data import Data
from analysis.factorial import responses
from analysis.table import main

COLUMNS = ["workload", "launch", "given", "axis", "factor", "speedup", "low", "high", "share"]


def make(data: Data) -> pd.DataFrame:
    tables = [pd.DataFrame(columns=COLUMNS)]
    for launches in (True, False):
        for (workload, launch), runs in responses(data, launches).items():
            for given in [None, *runs.axes]:
                table = runs.worth() if given is None else runs.given(given)
                about = {"workload": workload, "launch": launch, "given": given or "", "factor": runs.factor}
                tables.append(table.reset_index().assign(**about)[COLUMNS])
    return pd.concat(tables[1:] or tables, ignore_index=True)


if __name__ == "__main__":
    main(make)
