"""Accel-Sim as a child process: every way it is known to end, on a stand-in that behaves as recorded from real runs."""

import contextlib
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.accelsim import AccelSim, FirstBlocks
from ssmsim.engines.accelsim.install import find_install
from ssmsim.engines.accelsim.parse import parse_log
from ssmsim.engines.accelsim.render import render
from ssmsim.engines.request import Request, Views, WindowRequest
from ssmsim.engines.run_launch import replay
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "data" / "accelsim"
ORACLE = ROOT / "tests" / "data" / "oracle" / "04-chunk_scan_fwd_kernel"
CONFIG = load(ROOT / "simconfigs" / "h200.yaml")

STAND_IN = """#!{python}
import os, sys, time
arguments = sys.argv[1:]
assert arguments[:2] == ["-trace", "./kernelslist.g"] and arguments.count("-config") == 2, arguments
name = open("kernelslist.g").read().strip()
options = dict(line.split(" ", 1) for line in open("gpgpusim.config").read().splitlines())
assert options["-gpgpu_kernel_launch_latency"] == "0" and os.path.exists("trace.config")
{before}
data = open(name).read() if {reads} else ""
print(open({log!r}).read(), flush=True)
{after}
"""


def stand_in(tmp_path: Path, log: str, before: str = "", after: str = "", reads: bool = True) -> Path:
    """A folder as Accel-Sim's, with a program that prints a recorded log."""
    recorded = RECORDED / log if log.endswith(".log") else tmp_path / "said.log"
    if recorded.parent == tmp_path:
        recorded.write_text(log)
    binary = tmp_path / "gpu-simulator" / "bin" / "release" / "accel-sim.out"
    binary.parent.mkdir(parents=True)
    binary.write_text(
        STAND_IN.format(python=sys.executable, log=str(recorded), before=before, after=after, reads=reads)
    )
    binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def simulate(root: Path, **options):
    return AccelSim(root=root, **options).simulate(request())


def request(**more) -> Request:
    launch = read_launch(ORACLE)
    program = decode_launch(launch).program
    tracer = open_tracer("nvbit")
    return Request(program, tracer.blocks(launch, program), launch, CONFIG, tracer, **more)


def test_success_gives_a_row_with_what_accelsim_printed(tmp_path):
    told = []
    result = simulate(stand_in(tmp_path, "chunk_scan.log"), log=tmp_path / "kept.log", progress=told.append)
    (statistics,) = parse_log(tmp_path / "kept.log")
    start_and_end = CONFIG.launch.start_cycles + CONFIG.launch.end_cycles
    assert result.counters["gpc__cycles_elapsed.max"] == statistics.get("gpu_sim_cycle") + start_and_end
    assert result.counters["smsp__inst_executed.sum"] == result.warp_instructions == 185152
    assert result.counters["dram__bytes_read.sum"] == 32 * statistics.dram_reads > 0
    assert 0 < result.counters["lts__t_sector_hit_rate.pct"] < 100
    assert result.counters["sm__cycles_active.max"] is None
    assert result.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] is None  # the kernel has LDGSTS
    assert result.engine == "accelsim" and result.sampled is None and told[-1] == 16
    assert any("L2 slices instead of" in note for note in result.notes)
    assert result.notes[1] == (
        "Accel-Sim accelsim-commit-c4d00b5_modified_1.0_26-11-21-11-10-58, "
        "GPGPU-Sim 4.2.0 gpgpu-sim_git-commit-fa235ebc_modified_1.0"
    )


def test_a_kernelslist_of_the_same_stream_gives_the_same_row(tmp_path):
    root = stand_in(tmp_path, "chunk_scan.log")
    listed = tmp_path / "trace"
    listed.mkdir()
    (listed / "kernel-1.trace.xz").write_bytes((ORACLE / "nvbit.trace.xz").read_bytes())
    (listed / "kernelslist").write_text("MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.trace.xz\n")
    from_list = replay(listed / "kernelslist", ROOT / "simconfigs" / "h200.yaml", AccelSim(root=root))
    assert from_list.counters == simulate(root).counters and from_list.warp_instructions == 185152
    with pytest.raises(SsmsimError, match="no control bits"):
        replay(listed / "kernelslist", ROOT / "simconfigs" / "h200.yaml", "embedded")


FAILURES = [
    ("opcode.log", "os.abort()", "does not know the instruction UTMALDG.4D"),
    ("binary.log", "", "does not know sm_100"),
    ("assertion.log", "os.abort()", "reg_srcs_num <= MAX_SRC"),
    ("ipoly.log", "os.abort()", "16, 32 or 64"),
    ("option.log", "sys.exit(1)", "does not know the option '-gpgpu_opndcoll_model'"),
    ("resources.log", "os.abort()", "needs more than an SM"),
    ("GPGPU-Sim uArch: ERROR ** deadlock detected: last writeback core 7", "os.abort()", "deadlock"),
    ("terminate called after throwing an instance of 'std::bad_alloc'", "os.abort()", "out of memory"),
    ("thread block = 0,0,0", "os.abort()", "aborted by signal 6"),
    ("thread block = 0,0,0", "sys.exit(3)", "exited with 3"),
    ("thread block = 0,0,0", "", "exited with 0 but did not finish"),
    ("GPGPU-Sim: *** exit detected ***", "", "statistics of 0 kernels"),
    ("kernel_name = k\\nGPGPU-Sim: *** exit detected ***", "", "printed no gpu_sim_cycle"),
]


@pytest.mark.parametrize(("log", "after", "message"), FAILURES, ids=range(len(FAILURES)))
def test_a_failure_is_recognised_and_quotes_the_log(tmp_path, log, after, message):
    root = stand_in(tmp_path, log.replace("\\n", "\n"), after=after)
    with pytest.raises(SsmsimError, match=message) as error:
        simulate(root, log=tmp_path / "kept.log")
    assert str(tmp_path / "kept.log") in str(error.value) and "\n" not in str(error.value)
    assert (tmp_path / "kept.log").stat().st_size


def test_statistics_of_fewer_instructions_than_were_sent_are_not_believed(tmp_path):
    text = (RECORDED / "chunk_scan.log").read_text().replace("gpgpu_n_tot_w_icount = 18", "gpgpu_n_tot_w_icount = 17")
    with pytest.raises(SsmsimError, match="gpgpu_n_tot_w_icount"):
        simulate(stand_in(tmp_path, text))


@pytest.mark.long
def test_a_program_that_hangs_is_stopped_with_all_that_it_started(tmp_path):
    child = "import subprocess; child = subprocess.Popen(['sleep', '61.25'])"
    root = stand_in(tmp_path, "thread block = 1,0,0", before=child, after="time.sleep(90)")
    with pytest.raises(SsmsimError, match=r"longer than 8 s .* thread block = 1,0,0"):
        simulate(root, time_limit_s=8)
    assert not running("61.25")


def test_the_child_ends_with_the_process_that_started_it(tmp_path):
    root = stand_in(tmp_path, "nothing", before="import subprocess; os.execvp('sleep', ['sleep', '62.5'])", reads=False)
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; from pathlib import Path; "
        f"from tests.units.test_accelsim_run import simulate; simulate(Path({str(root)!r}))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not running("62.5") and time.monotonic() < deadline and parent.poll() is None:
        time.sleep(0.1)
    assert running("62.5")
    parent.kill()
    parent.wait()
    while running("62.5") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not running("62.5")


def running(seconds: str) -> bool:
    """Whether a `sleep SECONDS` is there."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if file.read_bytes() == b"sleep\0" + seconds.encode() + b"\0":
                return True
    return False


def test_a_program_that_hangs_before_it_reads_the_trace_is_stopped(tmp_path):
    with pytest.raises(SsmsimError, match="longer than 1 s"):
        simulate(stand_in(tmp_path, "nothing", before="time.sleep(60)", reads=False), time_limit_s=1)


def test_a_program_that_leaves_without_reading_the_trace_is_judged_by_its_log(tmp_path):
    with pytest.raises(SsmsimError, match="sm_100"):
        simulate(stand_in(tmp_path, "binary.log", reads=False))


def test_a_fault_of_the_tracer_is_the_error_that_is_shown(tmp_path):
    class Broken:
        warps_per_block, block_count = 4, 16

        def next_blocks(self, count: int) -> BlockTrace | None:
            raise SsmsimError("an access outside every buffer", "PC 0x0130")

    launch = read_launch(ORACLE)
    program = decode_launch(launch).program
    root = stand_in(tmp_path, "nothing", after="time.sleep(60)")
    with pytest.raises(SsmsimError, match="outside every buffer"):
        AccelSim(root=root, time_limit_s=30).simulate(Request(program, Broken(), launch, CONFIG))


def test_memory_beyond_the_limit_is_named(tmp_path):
    root = stand_in(tmp_path, "never", before="data = b'x' * (3 << 30)")
    with pytest.raises(SsmsimError, match="exited with 1"):
        simulate(root, memory_limit_bytes=1 << 30)


def test_no_installation_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.delenv("ACCELSIM_ROOT", raising=False)
    with pytest.raises(SsmsimError, match="ACCELSIM_ROOT"):
        find_install()
    with pytest.raises(SsmsimError, match=r"accel-sim\.out"):
        find_install(tmp_path)


def test_the_family_of_versions_is_read_from_the_program_itself(tmp_path):
    root = stand_in(tmp_path, "binary.log")
    assert find_install(root).version == "1.3"
    binary = root / "gpu-simulator" / "bin" / "release" / "accel-sim.out"
    binary.write_text(binary.read_text() + "# -gpgpu_n_chiplet_partition\n")
    os.utime(binary, (1, 1))
    assert find_install(root).version == "2.0"


def test_options_are_read_from_the_program_and_those_it_lacks_are_not_given(tmp_path):
    root = stand_in(tmp_path, "chunk_scan.log")
    assert find_install(root).has("anything")  # a program that shows none is believed to have all
    library = root / "gpu-simulator" / "gpgpu-sim" / "lib" / "gcc" / "cuda" / "release" / "libcudart.so"
    library.parent.mkdir(parents=True)
    config = render(CONFIG, "1.3")
    names = {line.split(" ")[0] for text in config.files.values() for line in text.splitlines() if line[0] == "-"}
    names = {name.rstrip("0123456789") if "spec" in name else name for name in names} - {"-dram_latency"}
    library.write_bytes(b"\0".join([b"", *(name.encode() for name in sorted(names)), b""]))
    assert not find_install(root).has("dram_latency") and find_install(root).has("specialized_unit_3")
    assert "options that this Accel-Sim lacks: dram_latency" in simulate(root).notes


@pytest.mark.parametrize(("more", "message"), [
    ({"warm": (ORACLE,)}, "cold caches"),
    ({"sm_clock_mhz": 1500}, "configuration's clock"),
    ({"views": Views(timeline=Path("t.json"))}, "no view timeline"),
    ({"views": Views(stalls=Path("s.csv"))}, "no view stalls"),
])  # fmt: skip
def test_what_accelsim_does_not_do_is_refused_by_name(more, message):
    with pytest.raises(SsmsimError, match=message):
        open_engine("accelsim").simulate(request(**more))


def test_accelsim_takes_no_pieces_of_launches():
    asked, engine = request(), open_engine("accelsim")
    with pytest.raises(SsmsimError, match="no piece"):
        engine.window(WindowRequest(asked.program, asked.launch, CONFIG, open_tracer("nvbit"), waves=2))
    with pytest.raises(SsmsimError, match="how many blocks"):
        engine.resident(asked.launch, CONFIG)


def test_first_blocks_end_where_asked():
    launch: Launch = read_launch(ORACLE)
    source = FirstBlocks(open_tracer("nvbit").blocks(launch, decode_launch(launch).program), 5)
    got = [batch.blocks for batch in iter(lambda: source.next_blocks(3), None)]
    assert source.block_count == 5 and np.concatenate(got).tolist() == [0, 1, 2, 3, 4]
