"""Capture, measure and replay on a real Hopper GPU: `pytest -m gpu tests/contract/test_capture_gpu.py`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ssmsim.capture import child, measure
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_folder
from ssmsim.launch import read_launch

pytestmark = pytest.mark.gpu
SMALL = Path(__file__).parents[1] / "data" / "captures"

PROGRAM = """
import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)

x, y = torch.randn(2, 65536, device="cuda").unbind(0)
out, a = torch.empty_like(x), torch.randn(512, 512, device="cuda", dtype=torch.bfloat16)

def step():
    add_kernel[(64,)](x, y, out, 65536, BLOCK=1024)
    add_kernel[(64,)](x, y, out, 65536, BLOCK=1024, num_ctas=2)
    return (x * 2).sum(), a @ a, torch.cumsum(x, 0)

step()
torch.cuda.synchronize()
torch.cuda.cudart().cudaProfilerStart()
step()
torch.cuda.cudart().cudaProfilerStop()
torch.cuda.synchronize()
"""


def capture(tmp_path: Path, text: str, out: str = "out") -> Path:
    script = tmp_path / "program.py"
    script.write_text(text)
    with whole_folder(tmp_path / out, "capture") as folder:
        child.run_inside([sys.executable, str(script)], {"out": str(folder), "mode": "capture"})
    return tmp_path / out


@pytest.mark.parametrize("name", ["ssd-small", "ssd-ragged", "mamba1-small"])
def test_replay_gives_what_the_framework_gave(name: str):
    """Triton's, PyTorch's and CUDA C++ kernels, from captured cubins and parameters in fresh memory.

    In a process of its own: a replay that fails would take the CUDA context of the others with it. Sums by atomics
    differ in the last bits from run to run; everything else must have the same bits.
    """
    code = "import sys, json; from pathlib import Path; from ssmsim.capture import relaunch as replay\n"
    code += "folder = Path(sys.argv[1]); outputs = replay.outputs(folder, replay.replay(folder))\n"
    code += "print(json.dumps(replay.compare(folder, outputs)))"
    line = [sys.executable, "-c", code, str(SMALL / name)]
    done = subprocess.run(line, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    by_atomics = {"dA", "dB", "dC", "dD", "ddelta_bias", "ddt_bias", "ddt"}
    for output, (same, error) in json.loads(done.stdout).items():
        assert same or (output in by_atomics and error < 1e-4), (output, error)


def test_every_kind_of_kernel_is_seen(tmp_path: Path):
    launches = [read_launch(f.parent) for f in sorted(capture(tmp_path, PROGRAM).glob("*/launch.json"))]
    names = [launch.kernel for launch in launches]
    assert names[:2] == ["add_kernel", "add_kernel"] and launches[1].cluster == (2, 1, 1)
    assert launches[0].cubin != launches[1].cubin, "two kernels of one name are told apart"
    assert [b.name for b in launches[0].buffers] == ["x_ptr", "y_ptr", "out_ptr"]
    assert launches[0].buffers[1].pointer is not None, "y starts inside the allocation that it shares with x"
    for part in ("vectorized_elementwise_kernel", "reduce_kernel", "gemm", "Scan"):
        assert any(part in name or (part == "gemm" and "nvjet" in name) for name in names), part


@pytest.mark.parametrize(
    ("change", "needle"),
    [
        (("cudart().cudaProfilerStart()\nstep()", "cudart().cudaProfilerStart()"), "launches no kernel"),
        (("torch.cuda.cudart().cudaProfilerStart()\n", ""), "no captured region"),
        (("import torch,", "raise SystemExit(4)\nimport torch,"), "failed with exit code 4"),
    ],
)  # fmt: skip
def test_what_cannot_be_captured_is_told(tmp_path: Path, change: tuple[str, str], needle: str):
    assert change[0] in PROGRAM
    with pytest.raises(SsmsimError, match=needle):
        capture(tmp_path, PROGRAM.replace(*change))
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


def test_another_kernel_is_not_measured(tmp_path: Path):
    out = capture(tmp_path, PROGRAM)
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.replace("tl.load(x_ptr + i, i < n) +", "tl.load(x_ptr + i, i < n) -"))
    with pytest.raises(SsmsimError, match=r"runs code .* captured"):
        measure.event_times([sys.executable, str(script)], measure.captured(out))
    assert not (out / "measured.csv").exists()


def test_event_times(tmp_path: Path):
    out = capture(tmp_path, PROGRAM)
    times = measure.event_times([sys.executable, str(tmp_path / "program.py")], measure.captured(out))
    assert all(len(values) == 5 and 0.5 < min(values) < 1000 for values in times.values())


def test_replay_of_one_cluster_launch(tmp_path: Path):
    """A launch with a cluster, replayed from what `ssmsim capture --contents all` recorded."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    out = tmp_path / "out"
    out.mkdir()
    child.run_inside([sys.executable, str(script)], {"out": str(out), "mode": "capture", "contents": "all"})
    code = (
        "import sys; from pathlib import Path; from ctypes import *; import numpy as np\n"
        "from ssmsim.capture import driver, relaunch as replay\nfrom ssmsim.contents import read_contents\n"
        "from ssmsim.launch import read_launch\n"
        "driver.call('cuInit', 0); context = c_void_p()\n"
        "driver.call('cuDevicePrimaryCtxRetain', byref(context), 0); driver.call('cuCtxSetCurrent', context)\n"
        "launch = read_launch(Path(sys.argv[1])); x, y, out = launch.buffers\n"
        "memory = replay.Memory([(b.address, b.bytes) for b in launch.buffers])\n"
        "data = {b.address: read_contents(launch.folder / b.contents) for b in (x, y)}\n"
        "[memory.write(at, bytes_) for at, bytes_ in data.items()]\n"
        "replay.run(launch, memory, {})\n"
        "f = lambda b: np.frombuffer(data[b.address][b.passed - b.address:], np.float32)[:65536]\n"
        "got = np.frombuffer(memory.read(out.passed, 4 * 65536), np.float32)\n"
        "assert (got == f(x) + f(y)).all()\n"
    )
    line = [sys.executable, "-c", code, str(out / "01-add_kernel")]
    done = subprocess.run(line, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif("ACCELSIM_TRACER_TOOL" not in os.environ, reason="ACCELSIM_TRACER_TOOL names no tracer_tool.so")
def test_nvbit_traces_of_another_run_agree_with_the_captured_launches(tmp_path: Path):
    """Triton's and PyTorch's kernels under Accel-Sim's tracer: every instruction, mask and address as emulated."""
    from ssmsim.capture.nvbit import trace_capture
    from ssmsim.tracers.emulated.report import agreement_row, agreement_table

    text = PROGRAM.replace(", num_ctas=2", "").replace(
        "a @ a, torch.cumsum(x, 0)", "a + a"
    )  # no code of cuBLAS and CUB
    out = capture(tmp_path, text)
    tool = Path(os.environ["ACCELSIM_TRACER_TOOL"])
    manifest = trace_capture([sys.executable, str(tmp_path / "program.py")], out, tool)
    assert not manifest["untraced"] and len(manifest["traces"]) >= 4
    rows = [agreement_row(read_launch(out / name)) for name in manifest["traces"]]
    assert not any(row.faults for row in rows), agreement_table(rows)


CONSTANT = """
import ctypes, struct, sys
from pathlib import Path

cuda = ctypes.CDLL("libcuda.so.1")

def call(name, *arguments):
    assert getattr(cuda, name)(*arguments) == 0, name

context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
taps, size, out, data = ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_uint64(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), Path(CUBIN).read_bytes())
call("cuModuleGetFunction", ctypes.byref(function), module, b"sum")
call("cuModuleGetGlobal_v2", ctypes.byref(taps), ctypes.byref(size), module, b"taps")
call("cuMemcpyHtoD_v2", taps, struct.pack("<i", 9), ctypes.c_size_t(4))
call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(1 << 20))
call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(1 << 20))
parameters = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(data))
call("cuProfilerStart")
call("cuLaunchKernel", function, 8, 1, 1, 128, 1, 1, 0, None, parameters, None)
call("cuProfilerStop")
call("cuCtxSynchronize")
"""


def test_a_constant_that_the_host_set_is_recorded(tmp_path: Path):
    """Then the launch replays with it: 9 rows of 32 warps of 4 sectors."""
    from ssmsim.tracers.emulated.totals import emulate_totals

    cubin = Path(__file__).parents[1] / "data" / "cases" / "constant-symbol" / "kernel.cubin"
    folder = capture(tmp_path, CONSTANT.replace("CUBIN", repr(str(cubin))))
    launch = read_launch(next(folder.glob("*/launch.json")).parent)
    (taps,) = launch.variables or ()
    assert (taps.name, taps.kind, taps.bytes) == ("taps", "constant", 4)
    counters = emulate_totals(launch).counters()
    assert counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 9 * 32 * 4
