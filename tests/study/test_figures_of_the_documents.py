"""The figures that README.md and docs/how-to show as examples are drawn from a study as they stand there."""

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from small_study import ROOT
from test_study_figures import CONFIGS, write_study

from analysis import data as study_data

mpl.use("agg")


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/add-a-figure.md"])
def test_it_is_drawn(page: str, tmp_path) -> None:
    write_study(tmp_path, CONFIGS[:1], measured=True)
    shown = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    scripts = [text for text in shown if "def draw(" in text]
    assert scripts
    for text in scripts:
        space: dict[str, object] = {"__name__": "example"}
        exec(compile(text, page, "exec"), space)
        figure = space["draw"](study_data.read(tmp_path))  # type: ignore[operator]
        assert len(figure.axes[0].patches) == 6  # three kernels, cold and warm
        plt.close(figure)
