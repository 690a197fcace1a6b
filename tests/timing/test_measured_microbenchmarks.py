"""The engine against silicon: saved microbenchmarks replayed, cycles per loop round beside those measured.

On an H100, with turns from instruction to instruction sm/dependent_chain_throughput.exps_4 took 20 to 37 % too long,
sm/pipe_arbitration.alu2_yields 8 to 22 %; with turns of all blocks' warps sm/tile_pipeline_throughput.same4096.4.4 was 6, 29
and 22 % too short and 3 % too long; with ports of the GPCs in place of links from slices same4096.1.4.4.0 8 % too short,
same4096.2.4.6.0 12 %.
"""

import json
from pathlib import Path

import pytest
from measured_bounds import bounds

from ssmsim.microbenchmarks.simulate import compare

TRACES, CONFIGS = Path(__file__).parents[2] / "traces", Path(__file__).parents[2] / "simconfigs"
LOOPS = [  # GPU that measured, GPU whose launch it is, case, bound
    (gpu, of, case, bound)
    for gpu, of in (("h200", "h200"), ("h100", "h100"), ("h100", "h200"))
    for case, bound in bounds(gpu, "cycles_per_round", launches_of=of).items()
]
pytestmark = pytest.mark.silicon


@pytest.mark.parametrize(("gpu", "of", "case", "bound"), LOOPS, ids=["-".join(loop[:3]) for loop in LOOPS])
def test_simulated_cycles_per_round_are_those_of_the_gpu(gpu: str, of: str, case: str, bound: float) -> None:
    results = None if of == gpu else TRACES / gpu / "microbenchmarks"
    rows = compare(TRACES / of / "microbenchmarks/launches", CONFIGS / f"{gpu}.yaml", [case], results=results)
    row = next(row for row in rows if row.name == case)
    assert row.failed == ""
    assert row.error == pytest.approx(0, abs=bound), f"{row.simulated:.1f} cycles, measured {row.measured:.1f}"


def test_a_loop_that_the_other_gpu_did_not_run_is_left_out(tmp_path: Path) -> None:
    kept = json.loads((TRACES / "h100/microbenchmarks/sm/barrier_latency.json").read_text())
    del kept["loops"]["sync.1"]
    (tmp_path / "sm").mkdir()
    (tmp_path / "sm/barrier_latency.json").write_text(json.dumps(kept))
    rows = compare(TRACES / "h200/microbenchmarks/launches", CONFIGS / "h100.yaml", ["sm/barrier_latency.sync.1"],
                   results=tmp_path)  # fmt: skip
    assert [row.name for row in rows if row.name.endswith(".sync.1")] == []
