"""One odd property of a tensor, a buffer or a variable does not lose the launch that gets it."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ssmsim.capture import buffers, copies, cupti, describe, driver, frameworks, intercept, writer
from ssmsim.capture.calls import Geometry
from ssmsim.capture.describe import TENSORS, Described, described
from ssmsim.capture.fields import sound
from ssmsim.capture.inputs import Inputs
from ssmsim.capture.intercept import Interceptor
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.refused import Refused
from ssmsim.elf_attributes import code_sha256, kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import DTYPE_BYTES, Buffer, read_launch

CASE = read_launch(Path(__file__).parents[1] / "data/cases/constant-symbol")
IMAGE = CASE.cubin_path.read_bytes()
AT = 0x7F00_0000_0000
# torch.dtype's names in PyTorch 2.11, with what Tensor.element_size() says
TORCH = {
    "float8_e4m3fn": 1, "float8_e4m3fnuz": 1, "float8_e5m2": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
    "float4_e2m1fn_x2": 1, "uint16": 2, "uint32": 4, "uint64": 8, "complex32": 4, "complex64": 8, "complex128": 16,
    "qint8": 1, "quint8": 1, "qint32": 4, "quint4x2": 1, "quint2x4": 1, "bits1x8": 1, "bits2x4": 1, "bits4x2": 1,
    "bits8": 1, "bits16": 2, "uint1": 1, "uint7": 1, "int1": 1, "int4": 1, "bool": 1, "bfloat16": 2, "float64": 8,
}  # fmt: skip


class Tensor:
    """As PyTorch's, as far as a capture looks."""

    def __init__(self, dtype: str = "torch.float32", shape: Any = (4, 8), element: int = 4, at: int = AT) -> None:
        self.dtype, self.shape, self.element, self.at = dtype, shape, element, at

    def data_ptr(self) -> int:
        return self.at

    def stride(self) -> tuple[int, ...]:
        return tuple(8**k for k in reversed(range(len(self.shape))))

    def element_size(self) -> int:
        return self.element


class Raises(Tensor):
    """What sparse, fake and nested tensors do when they are asked for something that they lack."""

    def __init__(self, lacks: str) -> None:
        super().__init__()
        self.lacks = lacks

    def __getattribute__(self, name: str) -> Any:
        if name not in ("lacks", "__class__") and name == self.lacks:
            raise RuntimeError(f"no {name}")
        return super().__getattribute__(name)


class Symbol:
    def __int__(self) -> int:
        raise RuntimeError("a nested int has no value")


@pytest.mark.parametrize("dtype", TORCH)
def test_every_type_of_pytorch_has_its_size(dtype: str) -> None:
    assert DTYPE_BYTES[dtype] == TORCH[dtype]
    found = described("x", Tensor(f"torch.{dtype}", element=TORCH[dtype]))
    assert found == Described("x", AT, 32 * TORCH[dtype], dtype, (4, 8), (8, 1))
    assert Buffer(address=AT, bytes=4096, dtype=dtype, shape=(4, 8), stride=(8, 1)).dtype == dtype


def test_every_type_of_this_pytorch() -> None:
    torch = pytest.importorskip("torch")
    names = {str(v).removeprefix("torch."): v.itemsize for v in vars(torch).values() if isinstance(v, torch.dtype)}
    assert {name: DTYPE_BYTES.get(name) for name in names} == names


def test_a_type_that_nobody_knows_is_bytes_and_triton_s_names_are_pytorch_s() -> None:
    found = described("x", Tensor("torch.float6_of_tomorrow", element=3))
    assert found == Described("x", AT, 96, "uint8", (96,), (1,))
    renamed = described("x", Tensor("fp8e4nv", element=1))
    assert renamed is not None and renamed.dtype == "float8_e4m3fn"


@pytest.mark.parametrize("lacks", ["data_ptr", "dtype"])
def test_what_has_no_address_is_not_described(lacks: str) -> None:
    assert described("x", Raises(lacks)) is None
    assert described("x", 3) is None and described("x", SimpleNamespace(data_ptr=5, dtype="torch.int8")) is None


@pytest.mark.parametrize("lacks", ["shape", "stride", "element_size"])
def test_what_has_no_layout_is_known_by_name_and_address(lacks: str) -> None:
    assert described("x", Raises(lacks)) == Described("x", AT, 0, None, None, None)


def test_symbolic_sizes_other_numbers_of_strides_and_no_elements() -> None:
    nested = described("x", Tensor(shape=(4, Symbol())))
    assert nested == Described("x", AT, 0, None, None, None)
    odd = Tensor()
    odd.stride = lambda: (1,)  # type: ignore[method-assign]
    found = described("x", odd)
    assert found is not None and found.dtype is None and found.bytes == 128
    assert described("x", Tensor(shape=(0, 8), at=0)) == Described("x", 0, 0, "float32", (0, 8), (8, 1))


def test_a_named_tensor_without_an_address_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe, "TENSORS", {})
    describe.tensor("x", Raises("data_ptr"))
    describe.tensor("y", Raises("stride"))
    assert {at: one.name for at, one in describe.TENSORS.items()} == {AT: "y"}


def test_facts_of_a_program_are_what_json_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe, "PROGRAM", {})
    describe.program(shape=(1, 2), device=Path("cuda"))
    assert describe.PROGRAM == {"shape": [1, 2], "device": "cuda"}


def test_a_triton_kernel_runs_whatever_it_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Function:
        arg_names = ("a", "b", "n")

        def run(self, *args: Any, **kwargs: Any) -> list[Described]:
            return list(frameworks.triton_tensors())

    for name in ("triton", "triton.runtime"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, "triton.runtime.jit", SimpleNamespace(JITFunction=Function))
    frameworks.watch_triton()
    seen = Function().run(Raises("data_ptr"), Tensor("torch.float8_e5m2", element=1), 3, extra=Raises("stride"))
    assert [(one.name, one.dtype) for one in seen] == [("b", "float8_e5m2"), ("extra", None)]


def test_buffers_of_such_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "Allocations", lambda: SimpleNamespace(find=lambda pointer: (AT, 4096)))
    monkeypatch.setitem(TENSORS, AT, Described("x", AT, 0, None, None, None))
    (found,) = buffers.find_buffers("k", [(0, 8)], AT.to_bytes(8, "little"))
    assert found == {"address": AT, "bytes": 4096, "name": "x", "tensor": "x"}


def test_allocations_while_pytorch_is_being_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert frameworks.Allocations().blocks == []


def test_what_contradicts_itself_is_left_out_of_a_buffer() -> None:
    place = {"address": AT, "bytes": 64}
    assert sound(place | {"dtype": "float9", "name": "x"}) == place | {"name": "x"}
    assert sound(place | {"shape": (1, 2), "stride": (1,)}) == place
    assert sound(place | {"pointer": AT - 8}) is None


@pytest.fixture
def interceptor(monkeypatch: pytest.MonkeyPatch) -> Interceptor:
    """Without CUPTI and a driver, whose memory cannot be read."""
    info = kernel_info(IMAGE, CASE.kernel)
    told = {driver.NUM_REGS: info.registers, driver.SHARED_SIZE_BYTES: info.static_shared}

    def unreadable(address: int, count: int) -> bytes:
        raise SsmsimError("cuMemcpyDtoH_v2: invalid argument", "", "")

    monkeypatch.setattr(cupti, "subscribe", lambda handler: lambda: None)
    monkeypatch.setattr(driver, "module_of", lambda function: 7)
    monkeypatch.setattr(driver, "resolve", lambda function: function)
    monkeypatch.setattr(driver, "function_attribute", lambda function, attribute: told.get(attribute, 1))
    monkeypatch.setattr(driver, "parameters_of", lambda function: info.params)
    monkeypatch.setattr(driver, "global_of", lambda module, name: (AT, 64))
    monkeypatch.setattr(driver, "synchronize", lambda: None)
    monkeypatch.setattr(driver, "read_memory", unreadable)
    monkeypatch.setattr(driver, "Timer", lambda stream: SimpleNamespace(microseconds_to=lambda other: 1.0))
    monkeypatch.setattr(intercept, "parameter_bytes", lambda info, geometry: CASE.param_bytes)
    monkeypatch.setattr(
        intercept, "find_buffers", lambda *_: [{"name": "x", "address": AT, "bytes": 64, "dtype": "float8_e5m2"}]
    )
    found = Interceptor()
    found._loaded(IMAGE)
    return found


GEOMETRY = Geometry(5, CASE.grid, CASE.block, None, 0, 0, 0, 0)


def test_memory_that_cannot_be_read_loses_contents_alone(interceptor: Interceptor, tmp_path: Path) -> None:
    interceptor.inputs = Inputs(tmp_path, "all")
    interceptor._began(CASE.kernel, GEOMETRY)
    (launch,) = interceptor.launches
    assert isinstance(launch, Recorded) and "could be read: cuMemcpyDtoH_v2" in launch.missing
    assert launch.variables and all(v.data is None for v in launch.variables)


def test_a_copy_that_cannot_be_read_is_none(interceptor: Interceptor) -> None:
    held = copies.Copies()
    held.at[AT] = Described("x", AT, 64, "uint8", (64,), (1,), {"seed": 1})
    buffer = {"address": AT, "bytes": 64}
    held.recognise([buffer])
    assert buffer == {"address": AT, "bytes": 64}


def test_what_fails_in_an_unforeseen_way_costs_one_launch(
    interceptor: Interceptor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> list[dict[str, Any]]:
        raise TypeError("no such thing")

    interceptor._began(CASE.kernel, GEOMETRY)
    monkeypatch.setattr(intercept, "find_buffers", fails)
    interceptor._began(CASE.kernel, GEOMETRY)
    kept, lost = interceptor.launches
    assert isinstance(kept, Recorded) and isinstance(lost, Refused) and lost.reason == "TypeError: no such thing"


def test_a_launch_is_written_with_such_buffers(tmp_path: Path) -> None:
    image = Cubin(IMAGE, "1", (CASE.kernel,))
    launch = Recorded(
        kernel=CASE.kernel, cubin=image, code_sha256=code_sha256(IMAGE, CASE.kernel), info=kernel_info(IMAGE, CASE.kernel),
        grid=CASE.grid, block=CASE.block, cluster=(1, 1, 1), shared=0, registers=CASE.registers_per_thread,
        params=CASE.param_bytes, buffers=[b.model_dump(exclude_none=True) | {"dtype": "float9"} for b in CASE.buffers],
    )  # fmt: skip
    (tmp_path / "k.cubin").write_bytes(IMAGE)
    device = {"name": "NVIDIA H100", "compute_capability": (9, 0)}
    assert writer._try_launch(tmp_path / "00-k", {"1": "k.cubin"}, launch, device, {}) == ""
    assert [b.dtype for b in read_launch(tmp_path / "00-k").buffers] == [None] * len(CASE.buffers)
    assert writer._try_launch(tmp_path / "01-k", {"1": "k.cubin"}, launch, device, {"odd": object()}) != ""
