"""CUDA graphs, streams and launch attributes on a real Hopper GPU: `pytest -m gpu tests/contract/test_capture_graphs_gpu.py`."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ssmsim.capture import measure
from ssmsim.launch import read_launch
from tests.contract.test_capture_gpu import PROGRAM, capture

pytestmark = pytest.mark.gpu
PREPARED = PROGRAM[: PROGRAM.index("step()\ntorch.cuda.synchronize()\ntorch.cuda.cudart")]
GRAPH = (
    PREPARED.replace("    return (x * 2)", "    out.add_(1)\n    return (x * 2)")
    + """
step()
torch.cuda.synchronize()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    step()
g.replay()
torch.cuda.synchronize()
torch.cuda.cudart().cudaProfilerStart()
for _ in range(3):
    g.replay()
torch.cuda.synchronize()
torch.cuda.cudart().cudaProfilerStop()
assert torch.allclose(out, x + y + 1), "each kernel of the graph ran once per launch"
"""
)
COMPILED = """
import torch
f = torch.compile(lambda x, w: torch.softmax(torch.relu(x @ w), -1).sum(0), mode="reduce-overhead")
x, w = torch.randn(2, 256, 256, device="cuda")
for _ in range(4):
    f(x, w).clone()
torch.cuda.synchronize()
torch.cuda.profiler.start()
got = f(x, w).clone()
torch.cuda.profiler.stop()
torch.testing.assert_close(got, torch.softmax(torch.relu(x @ w), -1).sum(0), rtol=1e-3, atol=1e-3)
"""
ALLOCATES = """
import torch
x, out = torch.ones(1024, device="cuda"), torch.zeros(1024, device="cuda")
x * 2 * 3
torch.cuda.synchronize()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    out.add_((x * 2) * 3)
torch.cuda.profiler.start()
g.replay()
torch.cuda.profiler.stop()
torch.cuda.synchronize()
assert (out == 6).all()
"""
BY_DRIVER = """
import ctypes, torch
from ctypes import byref, c_size_t, c_uint, c_uint64, c_ulonglong, c_void_p
PTX = b'''.version 8.0
.target sm_90
.address_size 64
.visible .entry add_one(.param .u64 p, .param .u32 n) { .reg .pred %q; .reg .b32 %r<6>; .reg .b64 %a<4>;
ld.param.u64 %a0, [p]; ld.param.u32 %r5, [n]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %r0, %r1, %r2; setp.ge.u32 %q, %r3, %r5; @%q ret; mul.wide.u32 %a1, %r3, 4; add.s64 %a2, %a0, %a1;
ld.global.u32 %r4, [%a2]; add.u32 %r4, %r4, 1; st.global.u32 [%a2], %r4; ret; }'''
data = torch.zeros(1024, device="cuda", dtype=torch.int32)
torch.cuda.synchronize()
cuda = ctypes.CDLL("libcuda.so.1")

class Kernel(ctypes.Structure):
    _fields_ = [("func", c_void_p), ("sizes", c_uint * 7), ("params", c_void_p), ("rest", c_void_p * 3)]

class Fill(ctypes.Structure):
    _fields_ = [("dst", c_uint64), ("pitch", c_size_t), ("value", c_uint), ("size", c_uint), ("width", c_size_t),
                ("height", c_size_t)]

def call(name, *arguments):
    assert getattr(cuda, name)(*arguments) == 0, name

def params(n):
    values = c_uint64(data.data_ptr()), c_uint(n)
    table = (c_void_p * 2)(*map(ctypes.addressof, values))
    made = Kernel(function, (c_uint * 7)(8, 1, 1, 128, 1, 1, 0), ctypes.addressof(table))
    made.held = values, table
    return made

module, function, context, graph, fill, node, run = (c_void_p() for _ in range(7))
call("cuModuleLoadData", byref(module), PTX)
call("cuModuleGetFunction", byref(function), module, b"add_one")
call("cuCtxGetCurrent", byref(context))
call("cuGraphCreate", byref(graph), 0)
call("cuGraphAddMemsetNode", byref(fill), graph, None, c_size_t(0), byref(Fill(data.data_ptr(), 0, 5, 4, 1024, 1)), context)
call("cuGraphAddKernelNode_v2", byref(node), graph, (c_void_p * 1)(fill.value), c_size_t(1), byref(params(1024)))
call("cuGraphInstantiateWithFlags", byref(run), graph, c_ulonglong(0))
call("cuGraphExecKernelNodeSetParams_v2", run, node, byref(params(512)))
torch.cuda.profiler.start()
call("cuGraphLaunch", run, None)
torch.cuda.profiler.stop()
torch.cuda.synchronize()
assert (data[:512] == 6).all() and (data[512:] == 5).all()
"""


def operations_of(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "sequence.json").read_text())["operations"]
    return found


def test_kernels_of_a_graph_are_captured_and_stored_once(tmp_path: Path):
    out = capture(tmp_path, GRAPH)
    steps = [one for one in operations_of(out) if "launch" in one]
    assert not [one for one in operations_of(out) if "refused" in one]
    of = [[one["launch"] for one in steps if one.get("graph") == k] for k in range(3)]
    assert len(of[0]) > 5 and of[0] == of[1] == of[2]
    assert [read_launch(out / name).kernel for name in of[0][:2]] == ["add_kernel", "add_kernel"]
    first, second = (read_launch(out / name) for name in of[0][:2])
    assert [b.name for b in first.buffers] == ["x_ptr", "y_ptr", "out_ptr"] and second.cluster == (2, 1, 1)
    times = measure.event_times([sys.executable, str(tmp_path / "program.py")], measure.launched(out))
    assert all(len(values) >= 5 for values in times.values())


def test_compiled_with_reduced_overhead(tmp_path: Path):
    steps = operations_of(capture(tmp_path, COMPILED))
    assert any("graph" in one for one in steps) and not any("refused" in one for one in steps)


def test_a_graph_by_the_driver_api(tmp_path: Path):
    """A memset and a kernel from PTX, whose parameters are set anew in the executable graph."""
    out = capture(tmp_path, BY_DRIVER)
    fill, step = operations_of(out)
    assert (fill["set"]["width"], fill["set"]["value"], fill["set"]["count"]) == (4, 5, 1024) and step["graph"] == 0
    launch = read_launch(out / step["launch"])
    assert launch.kernel == "add_one" and launch.grid == (8, 1, 1)
    assert launch.param_bytes[8:12] == (512).to_bytes(4, "little")


def test_streams_and_launch_attributes(tmp_path: Path):
    change = "    add_kernel[(64,)](x, y, out, 65536, BLOCK=1024, num_ctas=2)\n"
    options = "    add_kernel[(64,)](x, y, out, 65536, BLOCK=1024, launch_pdl=True)\n"
    options += "    add_kernel[(64,)](x, y, out, 65536, BLOCK=1024, launch_cooperative_grid=True)\n"
    options += "    side = torch.cuda.Stream()\n    side.wait_stream(torch.cuda.current_stream())\n"
    options += (
        "    with torch.cuda.stream(side):\n        out.mul_(2)\n    torch.cuda.current_stream().wait_stream(side)\n"
    )
    assert change in PROGRAM
    out = capture(tmp_path, PROGRAM.replace(change, options))
    steps = [one for one in operations_of(out) if "launch" in one]
    assert [one["stream"] for one in steps[:5]] == [0, 0, 0, 1, 0]
    plain, programmatic, cooperative = (read_launch(out / one["launch"]) for one in steps[:3])
    assert plain.attributes is None and not plain.cooperative
    assert programmatic.attributes == {"programmatic_stream_serialization": 1}
    assert cooperative.cooperative


def test_a_graph_with_allocations_is_refused_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync")
    refused = [one["refused"] for one in operations_of(capture(tmp_path, ALLOCATES)) if "refused" in one]
    assert [one["kernel"] for one in refused] == ["CUDA graph"] and "a memory" in refused[0]["reason"]
