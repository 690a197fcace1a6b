"""`capture --tracer nvbit` without a GPU: a stand-in program leaves what the real tracer left for real launches."""

import lzma
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from ssmsim.capture.nvbit import match, summary, trace_capture
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.accelsim_reader import read_trace
from ssmsim.tracers import open_tracer

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
NAMES = ("00-chunk_cumsum_fwd_kernel", "02-state_passing_fwd_kernel", "08-state_passing_fwd_kernel")

TRACED = """
import os, pathlib, shutil, sys
assert os.environ["ACTIVE_FROM_START"] == "0" and "LD_PRELOAD" not in os.environ
assert os.environ["CUDA_INJECTION64_PATH"].endswith("tracer_tool.so")
folder = pathlib.Path(os.environ["TRACES_FOLDER"]) / "traces"  # as the tracer of 2026 does, of 2024 without the last
folder.mkdir()
lines = []
for number, source in enumerate(sys.argv[1:], 1):
    shutil.copy(source, folder / f"kernel-{number}.trace.xz")
    lines.append(f"kernel-{number}.trace.xz")
(folder / "kernelslist_ctx_0x7f6870032b50").write_text("MemcpyHtoD,0x00007f0000000000,4\\n" + "".join(line + "\\n" for line in lines))
"""


@pytest.fixture
def capture(tmp_path):
    """Three launches as `ssmsim capture` leaves them, and a file in the place of the tracer."""
    for name in NAMES:
        shutil.copytree(ORACLE / name, tmp_path / "capture" / name, ignore=shutil.ignore_patterns("*.xz"))
    (tmp_path / "tracer_tool.so").write_bytes(b"")
    return tmp_path / "capture"


def run(capture: Path, *names: str):
    program = [sys.executable, "-c", TRACED, *(str(ORACLE / name / "nvbit.trace.xz") for name in names)]
    return trace_capture(program, capture, capture.parent / "tracer_tool.so")


def test_each_trace_lies_beside_its_launch_and_what_was_not_seen_is_told(capture):
    manifest = run(capture, NAMES[0], NAMES[2])
    assert list(manifest["traces"]) == [NAMES[0], NAMES[2]] and manifest["untraced"] == [NAMES[1]]
    assert manifest["tracer_version"] == 5 and manifest["nvbit_version"] == "1.7.7.1"
    launch = read_launch(capture / NAMES[2])
    source = open_tracer("nvbit").blocks(launch, decode_launch(launch).program)
    index = np.concatenate([batch.index for batch in iter(lambda: source.next_blocks(4), None)])
    raw = read_trace(ORACLE / NAMES[2] / "nvbit.trace.xz")
    assert np.array_equal(16 * index, raw.pc)
    assert manifest["traces"][NAMES[2]]["instructions"] == len(raw.pc)
    moved = [move for about in manifest["traces"].values() for move in about["moved"]]
    assert moved and all(move["captured"] == move["traced"] for move in moved), "the same process: nothing moved"
    first, second = summary(manifest).splitlines()
    assert first == "NVBit traced 2 of 3 launches" and NAMES[1] in second and "cuLaunchKernelEx" in second


def test_an_empty_result_names_the_launch_call_that_older_tracers_ignore(capture):
    with pytest.raises(SsmsimError, match="cuLaunchKernelEx"):
        run(capture)
    assert not list(capture.rglob("nvbit*"))


def test_a_trace_of_another_program_is_refused_and_nothing_is_written(capture):
    with pytest.raises(SsmsimError, match="_chunk_state_fwd_kernel with grid"):
        run(capture, NAMES[0], "01-chunk_state_fwd_kernel")
    assert not list(capture.rglob("nvbit*"))


def test_a_program_that_fails_under_the_tracer_is_told(capture):
    with pytest.raises(SsmsimError, match="exited with 5"):
        trace_capture([sys.executable, "-c", "import sys; sys.exit(5)"], capture, capture.parent / "tracer_tool.so")


def test_without_the_tracer_the_error_says_where_it_comes_from(capture):
    with pytest.raises(SsmsimError, match="tracer_nvbit"):
        trace_capture(["true"], capture, capture / "none.so")


def test_the_same_kernel_launched_twice_is_matched_in_order():
    launches = [read_launch(ORACLE / "00-chunk_cumsum_fwd_kernel"), read_launch(ORACLE / "05-chunk_cumsum_fwd_kernel")]
    header = read_trace(ORACLE / "05-chunk_cumsum_fwd_kernel" / "nvbit.trace.xz").header
    assert [launch.folder.name[:2] for launch in match([header, header], launches)] == ["00", "05"]


def test_a_header_that_an_old_tracer_wrote_is_told(capture, tmp_path):
    """As the tracer of October 2024 wrote it on an H200 with CUDA 13: attributes of a lazily loaded kernel unread."""
    text = lzma.decompress((ORACLE / NAMES[0] / "nvbit.trace.xz").read_bytes()).decode()
    for registers, shared, what in (("8734392", "-953690640", "cannot be right: shmem"), ("47", "2048", "header has")):
        lines = ["-nregs = " + registers if line.startswith("-nregs") else line for line in text.splitlines()]
        lines = ["-shmem = " + shared if line.startswith("-shmem =") else line for line in lines]
        (tmp_path / "old").mkdir(exist_ok=True)
        with lzma.open(tmp_path / "old" / "nvbit.trace.xz", "wt") as file:
            file.write("\n".join(lines) + "\n")
        program = [sys.executable, "-c", TRACED, str(tmp_path / "old" / "nvbit.trace.xz")]
        with pytest.raises(SsmsimError, match=what):
            trace_capture(program, capture, tmp_path / "tracer_tool.so")
        assert not list(capture.rglob("nvbit*"))
