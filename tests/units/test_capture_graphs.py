"""CUDA graphs: their kernels are launches of the capture, run once each, whatever a program does with its graphs."""

import ctypes
import json
import struct
from pathlib import Path
from types import SimpleNamespace

import pytest

from ssmsim.capture import cupti, driver, relaunch, writer
from ssmsim.capture.graph_nodes import KernelNode, SetNode, read_graph
from ssmsim.capture.intercept import Interceptor
from ssmsim.capture.recorded import Recorded
from ssmsim.capture.refused import Refused, launched
from ssmsim.contents import write_contents
from ssmsim.coverage.occurrences import occurrences
from ssmsim.elf_attributes import kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import Buffer, read_launch
from tests.units import fake_driver as fake
from tests.units.fake_driver import FakeDriver, FakeNode

CASE = read_launch(Path(__file__).parents[1] / "data/cases/constant-symbol")
IMAGE = CASE.cubin_path.read_bytes()
INFO = kernel_info(IMAGE, CASE.kernel)
STREAM, OTHER = 0x55, 0x66
COPY = struct.pack(
    "<4QI4x6Q4QI4x6Q3Q", 0, 0, 0, 0, 2, 0, 1 << 41, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1 << 42, 0, 0, 0, 0, 64, 1, 1
)


def params(number: int) -> list[bytes]:
    return [number.to_bytes(size, "little") for _, size in INFO.params]


def told(number: int) -> bytes:
    return b"".join(params(number))


def interceptor_of(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch, timed: bool = False) -> Interceptor:
    def subscribe(handler):
        gpu.handler = handler
        return lambda: None

    gpu.layout, gpu.name = INFO.params, CASE.kernel.encode()
    gpu.attributes = {driver.NUM_REGS: INFO.registers, driver.SHARED_SIZE_BYTES: INFO.static_shared}
    monkeypatch.setattr(driver, "library", lambda: gpu)
    monkeypatch.setattr(cupti, "subscribe", subscribe)
    made = Interceptor(None, timed)
    made._loaded(IMAGE)
    return made


@pytest.fixture(params=[True, False], ids=["arguments", "stand-in"])
def gpu(request: pytest.FixtureRequest) -> FakeDriver:
    return FakeDriver(rereads=request.param)


@pytest.fixture
def interceptor(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> Interceptor:
    return interceptor_of(gpu, monkeypatch)


def ran(gpu: FakeDriver) -> list[bytes]:
    """Parameters of the kernels that ran, and forget them."""
    found = [one[1] for one in gpu.ran if one[0] == "kernel"]
    gpu.ran.clear()
    return found


def test_kernels_of_a_graph_are_launches_and_run_once(gpu: FakeDriver, interceptor: Interceptor):
    graph = gpu.graph([gpu.kernel(params(1)), gpu.kernel(params(2), (8, 1, 1))])
    executable = gpu.instantiate(graph)
    gpu.cuGraphDestroy(graph)
    gpu.ran.clear()
    gpu.cuGraphLaunch(executable, STREAM)
    assert ran(gpu) == [told(1), told(2)], "outside the region the program's own graph runs"
    assert not interceptor.launches
    interceptor.active = True
    gpu.cuGraphLaunch(executable, STREAM)
    gpu.cuGraphLaunch(executable, STREAM)
    assert ran(gpu) == [told(1), told(2)] * 2
    assert interceptor.failure is None
    kept = [one for one in interceptor.launches if isinstance(one, Recorded)]
    assert [(one.grid, one.params.rstrip(b"\0")) for one in kept[:2]] == [
        ((4, 1, 1), told(1).rstrip(b"\0")), ((8, 1, 1), told(2).rstrip(b"\0")),
    ]  # fmt: skip
    assert [operation["graph"] for operation in interceptor.operations] == [0, 0, 1, 1]
    assert len(interceptor.timers) == 4


def test_an_order_that_the_edges_allow_and_the_child_in_its_place(gpu: FakeDriver, interceptor: Interceptor):
    child = gpu.graph([gpu.kernel(params(2)), gpu.kernel(params(3))])
    nodes = [gpu.kernel(params(4)), FakeNode(fake.GRAPH, child=child), gpu.kernel(params(1)), FakeNode(fake.EMPTY)]
    found = read_graph(gpu.graph(nodes, [(2, 1, 0), (1, 3, 0), (3, 0, 0)]))
    kernels = [node for node in found if isinstance(node, KernelNode)]
    assert [b"".join(node.values) for node in kernels] == [told(1), told(2), told(3), told(4)]


def test_sets_and_copies_of_a_graph_stand_in_the_sequence(gpu: FakeDriver, interceptor: Interceptor):
    fill = FakeNode(fake.SET, struct.pack("<QQIIQQ", 1 << 41, 64, 7, 4, 16, 2))
    executable = gpu.instantiate(gpu.graph([fill, gpu.kernel(params(1)), FakeNode(fake.COPY, COPY)]))
    interceptor.active = True
    gpu.cuGraphLaunch(executable, STREAM)
    assert interceptor.operations == [
        {"set": {"address": 1 << 41, "width": 4, "value": 7, "count": 16}},
        {"set": {"address": (1 << 41) + 64, "width": 4, "value": 7, "count": 16}},
        {"launch": 0, "stream": STREAM, "graph": 0},
        {"copy": {"to": 1 << 42, "from": 1 << 41, "bytes": 64}},
    ]
    assert "cuMemsetD2D32Async" in gpu.calls and ("copy",) in gpu.ran


def test_host_and_event_nodes_are_carried_out(gpu: FakeDriver, interceptor: Interceptor):
    host, event = FakeNode(fake.HOST, struct.pack("<QQ", 1, 2)), struct.pack("<Q", 3)
    executable = gpu.instantiate(gpu.graph([host, FakeNode(fake.RECORD, event), FakeNode(fake.WAIT, event)]))
    interceptor.active = True
    gpu.calls.clear()
    gpu.cuGraphLaunch(executable, STREAM)
    assert [call for call in gpu.calls if "Function" not in call] == [
        "cuLaunchHostFunc",
        "cuEventRecord",
        "cuStreamWaitEvent",
    ]


def test_a_graph_with_a_node_that_cannot_run_alone_is_refused_and_runs_as_it_is(
    gpu: FakeDriver, interceptor: Interceptor
):
    executable = gpu.instantiate(gpu.graph([FakeNode(fake.ALLOCATION), gpu.kernel(params(1))]))
    gpu.ran.clear()
    interceptor.active = True
    gpu.cuGraphLaunch(executable, STREAM)
    assert gpu.ran == [("node", fake.ALLOCATION), ("kernel", told(1))]
    (refused,) = interceptor.launches
    assert isinstance(refused, Refused) and "memory allocation" in refused.reason and refused.kernel == "CUDA graph"
    assert len(interceptor.timers) == 1


def test_attributes_of_nodes_and_programmatic_edges(gpu: FakeDriver, interceptor: Interceptor):
    second = gpu.kernel(params(2))
    second.told = {4: struct.pack("<3I", 2, 1, 1), 8: struct.pack("<i", -3), 2: bytes(4), 14: struct.pack("<i", 50)}
    executable = gpu.instantiate(gpu.graph([gpu.kernel(params(1)), second], [(0, 1, 1)]))
    interceptor.active = True
    gpu.calls.clear()
    gpu.cuGraphLaunch(executable, STREAM)
    first, other = interceptor.launches
    assert isinstance(first, Recorded) and isinstance(other, Recorded)
    assert first.attributes == {} and not first.explicit_cluster
    assert other.cluster == (2, 1, 1) and other.explicit_cluster and not other.cooperative
    assert other.attributes == {
        "priority": -3, "preferred_shared_memory_carveout": 50, "programmatic_stream_serialization": 1
    }  # fmt: skip
    assert [call for call in gpu.calls if call.startswith("cuLaunchKernelEx")] == [
        "cuLaunchKernelEx[]", "cuLaunchKernelEx[4, 8, 14]"
    ]  # fmt: skip


def test_updates_of_an_executable_graph(monkeypatch: pytest.MonkeyPatch):
    gpu = FakeDriver(rereads=True)
    interceptor = interceptor_of(gpu, monkeypatch)
    graph = gpu.graph([gpu.kernel(params(1)), gpu.kernel(params(2)), gpu.kernel(params(3))])
    nodes = gpu.graphs[graph]
    executable = gpu.instantiate(graph)
    node = gpu.kernel(params(9), (16, 1, 1))
    changed = ctypes.create_string_buffer(node.params)
    gpu.call(fake.SET_KERNEL, "<QQQ", [executable, nodes[0], ctypes.addressof(changed)], lambda _: 0)
    gpu.call(fake.ENABLE, "<QQI", [executable, nodes[1], 0], lambda _: 0)
    interceptor.active = True
    gpu.ran.clear()
    gpu.cuGraphLaunch(executable, STREAM)
    assert ran(gpu) == [told(9), told(3)] and interceptor.launches[0].grid == (16, 1, 1)
    gpu.call(fake.UPDATE, "<QQQ", [executable, gpu.graph([gpu.kernel(params(5))]), 0], lambda _: 0)
    gpu.call(fake.UPDATE, "<QQQ", [executable, gpu.graph([gpu.kernel(params(6))]), 0], lambda _: 910)  # failed
    gpu.cuGraphLaunch(executable, STREAM)
    assert ran(gpu) == [told(5)]
    gpu.call(714, "<QQQ", [executable, nodes[0], 0], lambda _: 0)
    gpu.cuGraphLaunch(executable, STREAM)
    assert isinstance(interceptor.launches[-1], Refused)


def test_launches_that_go_into_a_graph_are_not_recorded_but_their_buffers_are_known(
    gpu: FakeDriver, interceptor: Interceptor, monkeypatch: pytest.MonkeyPatch
):
    from ssmsim.capture import intercept

    asked: list[str] = []

    def find(kernel, _layout, _params):
        asked.append(kernel)
        return [{"address": 1 << 41, "bytes": 512, "name": "x", "recipe": "x"}]

    monkeypatch.setattr(intercept, "find_buffers", find)
    gpu.capturing = {STREAM}
    gpu.call(fake.BEGIN, "<QI", [STREAM, 0], lambda _: 0)
    gpu.launch(STREAM, params(1))
    assert not interceptor.launches and len(asked) == 1 and "cuCtxSynchronize" not in gpu.calls
    interceptor.active = True
    gpu.launch(OTHER, params(2))
    (refused,) = interceptor.launches
    assert isinstance(refused, Refused) and "recorded into a CUDA graph" in refused.reason
    assert "cuCtxSynchronize" not in gpu.calls
    gpu.call(fake.END, "<QQ", [STREAM, 0], lambda _: 0)
    gpu.capturing = set()
    gpu.cuGraphLaunch(gpu.instantiate(gpu.graph([gpu.kernel(params(1))])), STREAM)
    kept = interceptor.launches[-1]
    assert isinstance(kept, Recorded) and len(asked) == 1
    assert kept.buffers == [{"address": 1 << 41, "bytes": 512, "name": "x"}]


def test_a_recording_that_is_given_up_refuses_nothing_later(gpu: FakeDriver, interceptor: Interceptor):
    gpu.call(fake.BEGIN, "<QI", [STREAM, 0], lambda _: 0)
    interceptor.active = True
    gpu.launch(OTHER, params(1))  # the stream is no longer recorded, though nobody ended it
    assert isinstance(interceptor.launches[0], Recorded)


def test_a_graph_that_cannot_be_kept_from_running_is_refused(
    gpu: FakeDriver, interceptor: Interceptor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(gpu, "cuMemAlloc_v2", lambda *_: 2, raising=False)
    monkeypatch.setattr(gpu, "cuGetErrorString", lambda *_: 0, raising=False)
    executable = gpu.instantiate(gpu.graph([gpu.kernel(params(1))]))
    interceptor.active = True
    gpu.ran.clear()
    gpu.cuGraphLaunch(executable, STREAM)
    (refused,) = interceptor.launches
    assert isinstance(refused, Refused) and "kept from running" in refused.reason and ran(gpu) == [told(1)]


def test_a_node_that_does_not_run_ends_the_capture_with_its_name(gpu: FakeDriver, interceptor: Interceptor):
    executable = gpu.instantiate(gpu.graph([gpu.kernel(params(1))]))
    interceptor.active = True
    gpu.__dict__ |= {"cuLaunchKernelEx": lambda *_: 1, "cuGetErrorString": lambda *_: 0}
    gpu.cuGraphLaunch(executable, STREAM)
    assert isinstance(interceptor.failure, SsmsimError) and "cannot be run alone" in interceptor.failure.what
    assert interceptor.failure.where == CASE.kernel


def test_a_graph_within_a_graph_stays_one(gpu: FakeDriver, interceptor: Interceptor):
    executable = gpu.instantiate(gpu.graph([gpu.kernel(params(1))]))
    interceptor.active, gpu.capturing = True, {STREAM}
    gpu.ran.clear()
    gpu.cuGraphLaunch(executable, STREAM)
    assert not interceptor.launches and ran(gpu) == [told(1)]


def test_a_timed_run_times_each_kernel_of_a_graph(gpu: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(driver, "Gate", lambda stream: SimpleNamespace(open=lambda: None))
    interceptor = interceptor_of(gpu, monkeypatch, timed=True)
    executable = gpu.instantiate(gpu.graph([gpu.kernel(params(1)), gpu.kernel(params(2))]))
    interceptor.active = True
    gpu.cuGraphLaunch(executable, STREAM)
    assert len(interceptor.launches) == len(interceptor.timers) == 2


def test_what_the_driver_does_not_tell_is_refused(gpu: FakeDriver, interceptor: Interceptor):
    gpu.name = b""
    with pytest.raises(SsmsimError, match=r"CUDA 12\.4"):
        read_graph(gpu.graph([gpu.kernel(params(1))]))


@pytest.mark.parametrize(("change", "attributes"), [
    ({}, []), ({"cooperative": True}, [2]), ({"cluster": (2, 1, 1), "grid": (4, 1, 1)}, [4]),
    ({"cooperative": True, "cluster": (2, 1, 1), "grid": (4, 1, 1)}, [4, 2]),
])  # fmt: skip
def test_a_replay_launches_clusters_and_cooperative_kernels_as_such(
    gpu: FakeDriver, interceptor: Interceptor, change: dict, attributes: list[int]
):
    launch = CASE.model_copy(update={"buffers": [], "cooperative": False} | change)
    launch._folder = CASE.folder
    relaunch.launcher(launch, relaunch.Memory([]), {})()
    assert gpu.calls[-1] == f"cuLaunchKernelEx{attributes}"


def test_a_replay_refuses_what_a_variable_of_the_module_points_to(gpu: FakeDriver, interceptor: Interceptor):
    reached = Buffer(address=1 << 41, bytes=64, reached=True)
    launch = CASE.model_copy(update={"buffers": [reached]})
    launch._folder = CASE.folder
    with pytest.raises(SsmsimError, match="a variable of its module may"):
        relaunch.launcher(launch, relaunch.Memory([]), {})


def test_a_list_that_was_recorded_says_where_a_reached_buffer_lies(tmp_path: Path):
    write_contents(tmp_path / "list.zst", (1 << 41).to_bytes(8, "little") * 2)
    listed = Buffer(address=1 << 40, bytes=16, pointers=True, contents="list.zst")
    launch = CASE.model_copy(update={"buffers": [listed]})
    launch._folder = tmp_path
    for address, found in ((1 << 41, True), (1 << 42, False)):
        assert relaunch._listed(launch, Buffer(address=address, bytes=64, reached=True)) == found


def test_values_of_a_set_node():
    assert SetNode(1, True, 64, 0, 0xFFFFFFFF, 1, 5, 1).operations() == [
        {"set": {"address": 64, "width": 1, "value": 255, "count": 5}}
    ]


@pytest.fixture
def folder(gpu: FakeDriver, interceptor: Interceptor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Three launches of a graph of two kernels, and a launch on another stream that equals the first kernel; written."""
    executable = gpu.instantiate(gpu.graph([gpu.kernel(params(1)), gpu.kernel(params(2))]))
    interceptor.active = True
    for _ in range(3):
        gpu.cuGraphLaunch(executable, STREAM)
    gpu.launch(OTHER, params(1))
    interceptor.timers = [
        (SimpleNamespace(microseconds_to=lambda _, t=t: float(t)), None) for t in range(len(interceptor.launches))
    ]
    device = {"name": "NVIDIA H100", "compute_capability": (9, 0), "multiprocessors": 132, "l2_bytes": 52428800}
    monkeypatch.setattr(writer.device, "current", lambda: device)
    monkeypatch.setattr(writer.device, "smi", dict)

    def write(every: bool = False) -> Path:
        made = tmp_path / str(every)
        made.mkdir()
        writer.write(made, interceptor, every)
        return made

    return write


def test_equal_launches_are_stored_once_and_the_sequence_keeps_order_and_times(folder):
    made = folder()
    assert len(list(made.glob("*/launch.json"))) == 2
    operations = json.loads((made / "sequence.json").read_text())["operations"]
    a, b = operations[0]["launch"], operations[1]["launch"]
    assert [one["launch"] for one in operations] == [a, b, a, b, a, b, a]
    assert [one["time_ns"] for one in operations] == [1000 * t for t in range(7)]
    assert [one["stream"] for one in operations] == [0] * 6 + [1]
    assert [one.get("graph") for one in operations] == [0, 0, 1, 1, 2, 2, None]
    assert [(one.name, one.count, one.time_ns) for one in occurrences(made)] == [(a, 4, 12000), (b, 3, 9000)]
    found = launched(made)
    assert list(found) == [a, b] and found.order == [a, b, a, b, a, b, a] and found.graphs


def test_every_launch_on_wish(folder):
    made = folder(every=True)
    assert len(list(made.glob("*/launch.json"))) == 7
    assert not {one.count for one in occurrences(made)} - {1}


def test_other_addresses_contents_or_attributes_are_other_launches(interceptor: Interceptor, gpu: FakeDriver):
    from dataclasses import replace

    from ssmsim.capture.equal import identity

    gpu.cuGraphLaunch(gpu.instantiate(gpu.graph([gpu.kernel(params(1))])), STREAM)
    interceptor.active = True
    gpu.launch(STREAM, params(1))
    (one,) = (each for each in interceptor.launches if isinstance(each, Recorded))
    one.buffers = [{"address": 4096, "bytes": 64}]
    changes = [
        {"params": bytes(len(one.params))}, {"buffers": [{"address": 8192, "bytes": 64}]}, {"contents": {4096: "c"}},
        {"attributes": {"priority": 1}}, {"cooperative": True}, {"grid": (5, 1, 1)}, {"missing": "because"},
    ]  # fmt: skip
    names = {identity(replace(one, **change)) for change in changes}
    assert len(names) == len(changes) and identity(one) not in names
    assert identity(one) == identity(replace(one, buffers=[{"bytes": 64, "address": 4096}]))
