"""The real Accel-Sim, where ACCELSIM_ROOT names one: our traces and NVBit's, latencies as configured."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.accelsim import AccelSim
from ssmsim.engines.request import Request
from ssmsim.launch import Device, Launch, read_launch
from ssmsim.results import read_result
from ssmsim.sass.decode import decode_launch
from ssmsim.study.rows import told_options
from ssmsim.trace.types import INSTRUCTION, BlockTrace, Program
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
ORACLE = ROOT / "tests" / "data" / "oracle"
RECORDED = ROOT / "tests" / "data" / "accelsim" / "rows"
FORWARD = sorted(ORACLE.glob("0[0-4]-*"))
CAPTURES = ROOT / "tests" / "data" / "captures"
TWO_RUNS = sorted(
    folder
    for name, kernels in (("ssd-small", "0[0-4]-*"), ("mamba2-780m-forward", "0[0-2]-*"))
    for folder in (CAPTURES / name).glob(kernels)
)  # the trace is of another run than the launch, see nvbit.json there
CONFIG = load(ROOT / "simconfigs" / "h200.yaml")
real = pytest.mark.skipif("ACCELSIM_ROOT" not in os.environ, reason="ACCELSIM_ROOT names no Accel-Sim")


@pytest.mark.parametrize("folder", FORWARD, ids=lambda folder: folder.name)
def test_recorded_runs_from_our_trace_and_from_nvbits_took_the_same_cycles(folder):
    rows = [read_result(RECORDED / f"{folder.name}.{tracer}.json") for tracer in ("nvbit", "emulated")]
    cycles = [row.counters["gpc__cycles_elapsed.max"] for row in rows]
    assert cycles[0] == pytest.approx(cycles[1], rel=0.01)
    for name in ("smsp__inst_executed.sum", "lts__t_sectors.sum", "dram__bytes_read.sum"):
        assert rows[0].counters[name] == pytest.approx(rows[1].counters[name], rel=0.01), name


@pytest.mark.parametrize("folder", TWO_RUNS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_recorded_runs_from_a_trace_of_another_run_took_the_same_cycles(folder):
    """To the cycle, but for kernels with LDGSTS, whose lanes that fill with zeros lie elsewhere in the other run."""
    rows = [read_result(RECORDED / f"{folder.parent.name}.{folder.name}.{t}.json") for t in ("nvbit", "emulated")]
    cycles = [row.counters["gpc__cycles_elapsed.max"] for row in rows]
    decoded = decode_launch(read_launch(folder)).program
    copies = any(name.startswith("LDGSTS") for name in decoded.opcodes)
    assert cycles[0] == pytest.approx(cycles[1], rel=0.01 if copies else 0)
    assert rows[0].counters["smsp__inst_executed.sum"] == rows[1].counters["smsp__inst_executed.sum"]
    for name in ("lts__t_sectors.sum", "dram__bytes_read.sum"):
        assert rows[0].counters[name] == pytest.approx(rows[1].counters[name], rel=0.05 if copies else 0), name


@real
@pytest.mark.parametrize(
    "folder", [*FORWARD[0:3:2], *TWO_RUNS[3:6:2]], ids=lambda folder: f"{folder.parent.name}-{folder.name}"
)
def test_our_trace_and_nvbits_take_the_same_cycles(folder):
    launch = read_launch(folder)
    program = decode_launch(launch).program
    rows = [
        open_engine("accelsim").simulate(Request(program, open_tracer(tracer).blocks(launch, program), launch, CONFIG))
        for tracer in ("nvbit", "emulated")
    ]
    cycles = [row.counters["gpc__cycles_elapsed.max"] for row in rows]
    assert cycles[0] == pytest.approx(cycles[1], rel=0.01)


class Chain:
    """One lane of one warp: `count` dependent loads, then EXIT."""

    warps_per_block = block_count = 1

    def __init__(self, addresses: np.ndarray) -> None:
        count = len(addresses)
        index = np.array([0] * count + [1], np.int32)
        mask = np.array([1] * count + [0xFFFFFFFF], np.uint32)
        rows = np.repeat(addresses[:, None], 32, axis=1).astype(np.int64)
        ends = np.array([0, count + 1])
        self._batch: BlockTrace | None = BlockTrace(np.array([0]), ends, index, mask, mask, np.array([0, count]), rows)

    def next_blocks(self, count: int) -> BlockTrace | None:
        batch, self._batch = self._batch, None
        return batch


BASE = 0x7F10_0000_0000
CHASES = [
    ("LDG.E.64", lambda i: BASE + 0 * i, CONFIG.l1.hit_latency_cycles),
    ("LDS.64", lambda i: 0 * i, CONFIG.shared.load_latency_cycles),
    (
        "LDG.E.64.STRONG.GPU",
        lambda i: BASE + 32 * (i % 4),
        (CONFIG.l2.hit_latency_near_cycles + CONFIG.l2.hit_latency_far_cycles) / 2,
    ),
    (
        "LDG.E.64.STRONG.GPU",
        lambda i: BASE + 37 * 4096 * i,
        (CONFIG.dram.latency_near_cycles + CONFIG.dram.latency_far_cycles) / 2,
    ),
]


@real
@pytest.mark.parametrize(("opcode", "address", "wanted"), CHASES, ids=["l1", "shared", "l2", "dram"])
def test_a_pointer_chase_takes_the_configured_latency(opcode, address, wanted):
    """The paths that render.py subtracts are right for this build, to 3 %."""
    operands = "R2, [R2]" if opcode.startswith("LDS") else "R2, desc[UR4][R2.64]"
    records = np.zeros(2, INSTRUCTION)
    records["pc"], records["opcode"], records["accesses"] = [0, 16], [0, 1], [1, 0]
    program = Program("chase", records, (opcode, "EXIT"), (f"{opcode} {operands}", "EXIT"))
    launch = Launch(
        format="launch/1", kernel="chase", device=Device(name="H200", compute_capability=(9, 0)), grid=(1, 1, 1),
        block=(32, 1, 1), shared_memory_bytes=0, registers_per_thread=16, cubin="k", params="", buffers=[],
    )  # fmt: skip
    cycles = []
    for count in (100, 300):
        source = Chain(address(np.arange(count)))
        row = open_engine("accelsim").simulate(Request(program, source, launch, CONFIG))
        cycles.append(row.counters["gpc__cycles_elapsed.max"])
    assert (cycles[1] - cycles[0]) / 200 == pytest.approx(wanted, rel=0.03)


@real
def test_a_what_if_changes_the_answer_and_the_row_says_what_was_asked():
    """Twice the latency of DRAM costs cycles; a launch cost changes nothing, for want of an option, to the cycle."""
    launch = read_launch(FORWARD[0])
    program, rows = decode_launch(launch).program, {}
    dram = CONFIG.dram.model_copy(update={"latency_near_cycles": 1300, "latency_far_cycles": 1500})
    start = CONFIG.launch.model_copy(update={"first_instruction_cycles": 0, "release_cycles": 0})
    for name, update in (("base", {}), ("dram", {"dram": dram}), ("launch", {"launch": start})):
        source, config = open_tracer("emulated").blocks(launch, program), CONFIG.model_copy(update=update)
        rows[name] = open_engine("accelsim").simulate(Request(program, source, launch, config))
    cycles = {name: row.counters["gpc__cycles_elapsed.max"] for name, row in rows.items()}
    assert cycles["dram"] > cycles["base"] == cycles["launch"]
    told = {name: told_options(row.notes) for name, row in rows.items()}
    assert told["base"]["options"] == told["launch"]["options"] != told["dram"]["options"]
    assert told["base"]["options_lacking"] == "none"
    assert any(note.startswith("Accel-Sim accelsim-commit-") for note in rows["base"].notes)


@real
def test_an_unknown_instruction_is_named_with_the_last_words_of_the_real_program(tmp_path):
    from ssmsim.errors import SsmsimError

    folder = tmp_path / "trace"
    folder.mkdir()
    text = (
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 90\n"
        "-accelsim tracer version = 5\n\n#traces format\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
        "0000 ffffffff 0 NOSUCHOP 0 0 0\n0010 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n"
    )
    (folder / "kernel-1.traceg").write_text(text)
    (folder / "kernelslist.g").write_text("kernel-1.traceg\n")
    with pytest.raises(SsmsimError, match=re.escape("does not know the instruction NOSUCHOP")):
        AccelSim(log=tmp_path / "log").simulate_list(folder / "kernelslist.g", CONFIG)
