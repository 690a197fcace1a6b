"""Contents at capture: which buffers' bytes a launch needs, from its code; a launch written with them replays."""

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssmsim.capture import driver, follow, inputs, trial
from ssmsim.capture.inputs import Inputs, Live
from ssmsim.capture.reach import NotTaken, Reach, search
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.trial import Tried
from ssmsim.capture.writer import _write_launch
from ssmsim.elf_attributes import code_sha256, kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_image
from ssmsim.tracers.emulated.provenance import provenance
from ssmsim.tracers.emulated.totals import emulate_totals
from tests.opcodes.compiled import compile_ptx

A, B, C, D = (0x7F00_0000_0000 + (k << 24) for k in range(4))
SIZE = 4096
GPU = {"name": "H100", "compute_capability": (9, 0)}
HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"
START = """
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %a<20>; .reg .f32 %f<9>;
mov.u32 %r0, %tid.x; mul.wide.u32 %a8, %r0, 8; mul.wide.u32 %a4, %r0, 4;
ld.param.u64 %a0, [pa]; ld.param.u64 %a1, [pb]; ld.param.u64 %a2, [pc]; ld.param.u32 %r1, [n];
"""
PARAMETERS = ".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 n, .param .align 8 .b8 list[32]"
BODIES = {
    # c[i] = b[a[i]]: the indices, not what they find
    "gather": """add.s64 %a5, %a0, %a4; ld.global.s32 %r2, [%a5]; mul.wide.s32 %a6, %r2, 4; add.s64 %a6, %a1, %a6;
        ld.global.f32 %f0, [%a6]; add.s64 %a7, %a2, %a4; st.global.f32 [%a7], %f0;""",
    # an elementwise product needs nothing
    "product": """add.s64 %a5, %a0, %a4; ld.global.f32 %f0, [%a5]; add.s64 %a6, %a1, %a4; ld.global.f32 %f1, [%a6];
        mul.f32 %f0, %f0, %f1; add.s64 %a7, %a2, %a4; st.global.f32 [%a7], %f0;""",
    # where b is negative, another instruction stores to c: a mask
    "branch": """add.s64 %a6, %a1, %a4; ld.global.f32 %f1, [%a6]; setp.lt.f32 %p0, %f1, 0f00000000;
        add.s64 %a7, %a2, %a4; @%p0 st.global.f32 [%a7], %f1;""",
    # a is a list of pointers; what they point to is copied
    "pointers": """add.s64 %a5, %a0, %a8; ld.global.u64 %a6, [%a5]; add.s64 %a6, %a6, %a4; ld.global.f32 %f0, [%a6];
        add.s64 %a7, %a2, %a4; st.global.f32 [%a7], %f0;""",
    # a is a list of pointers to indices into b
    "indices": """ld.global.u64 %a6, [%a0]; add.s64 %a6, %a6, %a4; ld.global.s32 %r2, [%a6]; mul.wide.s32 %a7, %r2, 4;
        add.s64 %a7, %a1, %a7; ld.global.f32 %f0, [%a7]; add.s64 %a9, %a2, %a4; st.global.f32 [%a9], %f0;""",
    # the parameter is the list, and the block says which
    "parameters": """mov.u32 %r3, %ctaid.x; mul.wide.u32 %a5, %r3, 8; mov.u64 %a6, list; add.s64 %a6, %a6, %a5;
        ld.param.u64 %a7, [%a6]; add.s64 %a7, %a7, %a4; ld.global.s32 %r2, [%a7]; mul.wide.s32 %a9, %r2, 4;
        add.s64 %a9, %a2, %a9; st.global.f32 [%a9], 0f00000000;""",
    # indices by way of shared memory, beside a flag of one byte that numbers are no reason to keep
    "shared": """add.s64 %a5, %a0, %a4; ld.global.s32 %r2, [%a5]; mov.u32 %r4, dynamic; shl.b32 %r5, %r0, 2;
        add.u32 %r5, %r4, %r5; st.shared.u32 [%r5], %r2; bar.sync 0; xor.b32 %r6, %r5, 4; ld.shared.u32 %r7, [%r6];
        mul.wide.s32 %a6, %r7, 4; add.s64 %a6, %a2, %a6; st.global.f32 [%a6], 0f00000000;""",
    "flag": """add.s64 %a6, %a1, %a4; ld.global.f32 %f0, [%a6]; mov.u32 %r4, dynamic; shl.b32 %r5, %r0, 2;
        add.u32 %r5, %r4, %r5; st.shared.f32 [%r5+16], %f0; cvt.u16.u32 %h0, %r1; st.shared.u8 [%r4], %h0; bar.sync 0;
        ld.shared.u8 %h1, [%r4]; setp.ne.u16 %p0, %h1, 0; add.s64 %a7, %a2, %a4; ld.shared.f32 %f1, [%r5+16];
        @%p0 st.global.f32 [%a7], %f1;""",
    # numbers and indices through other words of shared memory, which the code does not tell apart
    "apart": """add.s64 %a5, %a0, %a4; ld.global.s32 %r2, [%a5]; mov.u32 %r4, dynamic; shl.b32 %r5, %r0, 2;
        add.u32 %r5, %r4, %r5; st.shared.u32 [%r5], %r2; add.s64 %a6, %a1, %a4; ld.global.u32 %r8, [%a6];
        st.shared.u32 [%r5+256], %r8; bar.sync 0; xor.b32 %r6, %r5, 4; ld.shared.u32 %r7, [%r6];
        ld.shared.u32 %r9, [%r6+256]; mul.wide.s32 %a6, %r7, 4; add.s64 %a6, %a2, %a6; st.global.u32 [%a6], %r9;""",
    # a lane reads an index from lane 0; the others' registers hold numbers
    "shuffle": """add.s64 %a6, %a1, %a4; ld.global.u32 %r2, [%a6]; mov.u32 %r3, %laneid;
        setp.eq.u32 %p0, %r3, 0; @%p0 ld.global.u32 %r2, [%a0];
        shfl.sync.idx.b32 %r7, %r2, 0, 31, -1; mul.wide.s32 %a7, %r7, 4; add.s64 %a7, %a2, %a7; st.global.u32 [%a7], %r2;""",
    # one of 32 blocks reads each pointer of a list among the parameters
    "tensors": """mov.u32 %r3, %ctaid.x; shr.u32 %r3, %r3, 4; and.b32 %r3, %r3, 1; mul.wide.u32 %a5, %r3, 8; mov.u64 %a6, list;
        add.s64 %a6, %a6, %a5; ld.param.u64 %a7, [%a6]; add.s64 %a7, %a7, %a4; ld.global.s32 %r2, [%a7];
        setp.lt.s32 %p0, %r2, 7; add.s64 %a9, %a2, %a4; @%p0 st.global.s32 [%a9], %r0;""",
    # indices by way of the stack
    "stack": """.local .align 4 .b8 room[64]; add.s64 %a5, %a0, %a4; ld.global.s32 %r2, [%a5]; mov.u32 %r4, room;
        and.b32 %r5, %r1, 12; add.u32 %r5, %r4, %r5; st.local.u32 [%r5], %r2; xor.b32 %r6, %r5, 4; st.local.u32 [%r6], %r0;
        and.b32 %r7, %r0, 4; add.u32 %r7, %r4, %r7; ld.local.u32 %r8, [%r7]; mul.wide.s32 %a6, %r8, 4;
        add.s64 %a6, %a2, %a6; st.global.f32 [%a6], 0f00000000;""",
    # what another lane stored says where to store; a says where that is
    "ticket": """add.s64 %a5, %a0, %a4; ld.global.s32 %r2, [%a5]; mul.wide.s32 %a6, %r2, 4; add.s64 %a6, %a1, %a6;
        ld.global.f32 %f0, [%a2]; st.global.f32 [%a6], %f0; bar.sync 0; ld.global.s32 %r3, [%a1]; and.b32 %r3, %r3, 7;
        mul.wide.s32 %a7, %r3, 4; add.s64 %a7, %a2, %a7; st.global.f32 [%a7], %f0;""",
    # one block of many compares with how many there are
    "last": """mov.u32 %r3, %ctaid.x; setp.ne.u32 %p0, %r3, 17; @%p0 bra ALL; ld.global.s32 %r2, [%a0];
        setp.gt.s32 %p1, %r2, 40; @%p1 bra END; ALL: add.s64 %a7, %a2, %a4; st.global.f32 [%a7], 0f00000000; END:""",
    # two levels of pointers
    "chain": """ld.global.u64 %a5, [%a0]; ld.global.u64 %a6, [%a5]; add.s64 %a6, %a6, %a4; ld.global.f32 %f0, [%a6];
        add.s64 %a7, %a2, %a4; st.global.f32 [%a7], %f0;""",
}
HELD = {
    "gather": {"a"}, "product": set(), "branch": {"b"}, "pointers": {"a"}, "indices": {"a", "d"}, "parameters": {"a", "b"},
    "shared": {"a"}, "apart": {"a"}, "shuffle": {"a"}, "tensors": {"a", "b"}, "flag": set(), "stack": {"a"},
    "chain": {"a", "d"},
}  # fmt: skip
INDICES = np.arange(SIZE // 4, dtype=np.int32)[::-1] % 64


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kernels = [f".visible .entry {name}({PARAMETERS}) {{ {START} {body} ret; }}\n" for name, body in BODIES.items()]
    return compile_ptx(HEAD + "".join(kernels), tmp_path_factory.mktemp("kernels") / "kernels.cubin")


def memory_of(name: str) -> dict[int, bytes]:
    """What device memory holds: indices where a kernel takes such, pointers where it takes those."""
    numbers = np.linspace(-1, 1, SIZE // 4, dtype=np.float32).tobytes()
    held = {A: INDICES.tobytes(), B: INDICES.tobytes() if name == "parameters" else numbers, C: bytes(SIZE), D: numbers}
    if name in ("pointers", "indices", "chain"):
        held[A] = np.full(SIZE // 8, D, np.uint64).tobytes()
        held[D] = INDICES.tobytes() if name == "indices" else numbers
    if name == "chain":
        held[D] = np.full(SIZE // 8, B, np.uint64).tobytes()
    return held


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> dict[int, bytes]:
    held: dict[int, bytes] = {}
    place = lambda pointer, _=0: next(((at, SIZE) for at in held if at <= pointer < at + SIZE), None)  # noqa: E731
    monkeypatch.setattr(driver, "current_context", lambda: 1)
    monkeypatch.setattr(driver, "synchronize", lambda: None)
    monkeypatch.setattr(inputs.device, "current", lambda: GPU)
    monkeypatch.setattr(driver, "allocation_of", place)
    monkeypatch.setattr(driver, "read_memory", lambda address, count: held[address][:count])
    return held


def recorded(cubin: Path, name: str, kept: Inputs) -> Recorded:
    """A launch of a kernel as the interceptor notes it."""
    image = cubin.read_bytes()
    info = kernel_info(image, name)
    params = struct.pack("<QQQI4xQQQQ", A, B, C, 1, A, B, 0, 0)[: info.param_bytes]
    buffers: list[dict[str, Any]] = [
        {"name": n, "address": at, "bytes": SIZE} for n, at in zip("abc", (A, B, C), strict=True)
    ]
    launch = Recorded(
        kernel=name, cubin=Cubin(image, "image", (name,)), code_sha256=code_sha256(image, name), info=info, grid=(2, 1, 1),
        block=(64, 1, 1), cluster=(1, 1, 1), shared=1024, registers=info.registers, params=params, buffers=buffers,
    )  # fmt: skip
    launch.contents, launch.missing = kept.record(launch)
    return launch


def written(cubin: Path, launch: Recorded, folder: Path) -> Path:
    (folder / "cubins").mkdir()
    (folder / "cubins/k.cubin").write_bytes(cubin.read_bytes())
    _write_launch(folder / "00-k", "../cubins/k.cubin", launch, GPU, {})
    return folder / "00-k"


@pytest.mark.parametrize("name", HELD)
def test_what_control_hangs_on_is_recorded_and_no_more(
    name: str, cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    memory |= memory_of(name)
    launch = recorded(cubin, name, Inputs(tmp_path))
    assert {chr(ord("a") + ((at - A) >> 24)) for at in launch.contents} == HELD[name]
    assert not launch.missing
    known = emulate_totals(read_launch(written(cubin, launch, tmp_path))).counters()
    assert known["smsp__inst_executed.sum"]


@pytest.mark.parametrize("name", [name for name, held in HELD.items() if held])
def test_without_them_the_launch_is_refused_by_name(
    name: str, cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    memory |= memory_of(name)
    launch = recorded(cubin, name, Inputs(tmp_path, "none"))
    assert launch.contents == {}
    with pytest.raises(SsmsimError, match="which is not recorded"):
        emulate_totals(read_launch(written(cubin, launch, tmp_path)))


def test_a_small_buffer_that_one_block_of_many_reads_is_recorded(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    memory |= memory_of("last")
    few = recorded(cubin, "last", Inputs(tmp_path))
    assert few.contents == {}  # both blocks were tried, and neither reads it
    many = replace(few, grid=(64, 1, 1), contents={})
    many.contents, many.missing = Inputs(tmp_path).record(many)
    assert list(many.contents) == [A] and not many.missing
    assert emulate_totals(read_launch(written(cubin, many, tmp_path))).counters()["smsp__inst_executed.sum"]
    large = replace(few, grid=(64, 1, 1), contents={}, buffers=[b | {"bytes": 1 << 17} for b in few.buffers])
    assert Inputs(tmp_path).record(large) == ({}, "")


def test_a_buffer_that_no_trial_asked_for_may_be_unreadable(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    class Gone(Live):
        def put(self, buffer: dict[str, Any]) -> Path:
            raise NotTaken

    launch = recorded(cubin, "last", Inputs(tmp_path))
    image = cubin.read_bytes()
    found = provenance(decode_image(image, "last", "last"), kernel_info(image, "last").params)
    asking = search(found, launch, {}, SIZE, Gone(tmp_path))
    next(asking)
    with pytest.raises(StopIteration) as end:
        asking.send(Tried())
    assert end.value.value == ({}, "")


CAPTURES = Path(__file__).parents[1] / "data/captures"
REAL = (
    "ssd-small/00-*",
    "ssd-small/04-*",
    "ssd-small/11-*",
    "ssd-small/16-*",
    "ssd-small/21-*",
    "mamba1-small/0[06]-*",
)


@pytest.mark.parametrize("pattern", REAL)
def test_real_kernels_are_refused_for_nothing_that_is_not_recorded(pattern: str) -> None:
    """Triton's, PyTorch's and CUDA C++ kernels with no contents at all: what a replay misses is in the set."""
    launch = read_launch(next(CAPTURES.glob(pattern)))
    image = launch.cubin_path.read_bytes()
    buffers = [b.model_dump(exclude_none=True) for b in launch.buffers]
    found = provenance(decode_image(image, launch.kernel, "", launch), kernel_info(image, launch.kernel).params)
    places = Reach(found, launch.param_bytes, buffers, lambda _: []).places
    needed = {buffers[k].get("name", f"buffer {k}") for i in found.wanted for k in places[i]}
    bare = launch.model_copy(update={"buffers": [b.model_copy(update={"contents": None}) for b in launch.buffers]})
    try:
        emulate_totals(bare, range(2))
    except SsmsimError as error:
        assert any(f"from {name}" in error.what or f" {name}," in error.what for name in needed), (error.what, needed)
    else:
        assert pattern.startswith("ssd")


def test_a_list_of_pointers_brings_the_buffers_that_it_names(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    memory |= memory_of("pointers")
    launch = recorded(cubin, "pointers", Inputs(tmp_path))
    assert [(b["address"], b.get("pointers", False)) for b in launch.buffers] == [
        (A, True), (B, False), (C, False), (D, False)
    ]  # fmt: skip
    found = read_launch(written(cubin, launch, tmp_path))
    assert found.buffers[0].pointers and found.buffers[3].contents is None


def test_a_list_among_the_parameters_ends_where_it_holds_no_pointer(cubin: Path) -> None:
    """Behind it lies what the host's memory held, which may look like a pointer."""
    found = provenance(
        decode_image(cubin.read_bytes(), "tensors", ""), kernel_info(cubin.read_bytes(), "tensors").params
    )
    (load,) = found.wanted
    ((first, end),) = found.accesses[load].listed
    for words, lists in (((A, B, 0, D), {0, 1, 3}), ((A, B, 7, D), {0, 1})):
        params = bytes(first) + struct.pack("<QQQQ", *words)
        assert len(params) == end
        buffers = [{"address": at, "bytes": SIZE} for at in (A, B, C, D)]
        reader = Live(Path())  # nothing is read
        assert set(Reach(found, params, buffers, reader).needed({(load, 0)})) == lists


def test_an_allocation_that_the_code_does_not_show_is_found_by_its_address(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    """And those that stand beside its pointer in memory that was read."""
    memory |= memory_of("gather") | {A: np.full(SIZE // 8, D, np.uint64).tobytes()}
    launch = recorded(cubin, "gather", Inputs(tmp_path, "none"))
    found = provenance(decode_image(cubin.read_bytes(), "gather", ""), launch.info.params)
    (load,) = found.wanted
    launch.buffers = [b for b in launch.buffers if b["address"] == A]
    asking = search(found, launch, {}, SIZE, Live(tmp_path))
    next(asking)
    asking.send(Tried(frozenset({(load, 0)})))
    files = asking.send(Tried(outside=frozenset({C + 4, 1 << 40}), refused="outside"))
    assert set(files) == {A} and {b["address"] for b in launch.buffers} == {A, C, D}
    with pytest.raises(StopIteration) as end:
        asking.send(Tried(outside=frozenset({1 << 40}), refused="outside"))
    assert end.value.value[1] == "a replay is refused: outside"


def test_recipes_are_not_looked_into_for_pointers(cubin: Path, memory: dict[int, bytes], tmp_path: Path) -> None:
    """Nobody has their bytes: what they hold is made when a launch is replayed."""

    class Without(Live):
        def named(self, buffer: dict[str, Any]) -> list[dict[str, Any]]:
            raise AssertionError(buffer)

    memory |= memory_of("gather")
    launch = recorded(cubin, "gather", Inputs(tmp_path, "none"))
    found = provenance(decode_image(cubin.read_bytes(), "gather", ""), launch.info.params)
    launch.buffers = [b for b in launch.buffers if b["address"] == A]
    asking = search(found, launch, {A: tmp_path / "recipe"}, SIZE, Without(tmp_path))
    next(asking)
    asking.send(Tried(outside=frozenset({C + 4}), refused="outside"))
    assert [b["address"] for b in launch.buffers] == [A, C] and launch.buffers[1]["reached"]


def test_addresses_outside_are_those_of_one_launch(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Launches that differ in the places of their buffers share answers, but none with an address in it."""
    memory |= memory_of("gather")
    here = recorded(cubin, "gather", Inputs(tmp_path, "none"))
    there = replace(here, buffers=[b | {"address": b["address"] + (1 << 30)} for b in here.buffers], params=moved(here))
    for answer, count in ((Tried(), 1), (Tried(outside=frozenset({5})), 2)):
        asked: list[Recorded] = []
        monkeypatch.setattr(trial, "attempt", lambda _, launch, *rest, a=answer, to=asked: to.append(launch) or a)
        trials = trial.Trials(tmp_path, GPU)
        assert [trials.run(b"", each, {}) for each in (here, there, here, there)] == [answer] * 4
        assert len(asked) == count


def moved(launch: Recorded) -> bytes:
    """Its parameters with every pointer 1 GiB further on."""
    words = np.frombuffer(launch.params[: len(launch.params) // 8 * 8], "<u8").copy()
    for buffer in launch.buffers:
        words[words == buffer["address"]] += np.uint64(1 << 30)
    return words.tobytes() + launch.params[len(words) * 8 :]


def test_equal_launches_are_tried_once(cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: Any) -> None:
    """However their buffers lie; other contents of a buffer that control hangs on are tried again."""
    memory |= memory_of("gather")
    tried: list[Any] = []
    real = trial.emulate

    def counted(code: Any, launch: Any) -> frozenset[int]:
        tried.append(launch)
        return real(code, launch)

    monkeypatch.setattr(trial, "emulate", counted)
    kept = Inputs(tmp_path)
    recorded(cubin, "gather", kept)
    assert len(tried) == 2
    recorded(cubin, "gather", kept)
    assert len(tried) == 2
    memory[A] = bytes(SIZE)
    recorded(cubin, "gather", kept)
    assert len(tried) == 3


def test_what_control_by_what_the_launch_writes_hangs_on_is_recorded(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    memory |= memory_of("ticket")
    launch = recorded(cubin, "ticket", Inputs(tmp_path))
    assert set(launch.contents) == {A, B, C} and not launch.missing


@pytest.mark.parametrize("mode", ["needed", "all"])
def test_contents_are_of_the_largest_buffer_at_an_address(
    mode: str, cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    """A block of an allocator and the allocation that it is the first block of begin at one address."""
    memory |= memory_of("gather")
    kept = Inputs(tmp_path, mode)
    launch = recorded(cubin, "gather", kept)
    launch.buffers.insert(0, launch.buffers[0] | {"bytes": 512})
    launch.contents, launch.missing = kept.record(launch)
    kept_buffers = read_launch(written(cubin, launch, tmp_path)).buffers
    assert [bool(b.contents) for b in kept_buffers if b.address == A] == [False, True]


def test_all_of_them_on_wish(cubin: Path, memory: dict[int, bytes], tmp_path: Path) -> None:
    memory |= memory_of("product")
    assert set(recorded(cubin, "product", Inputs(tmp_path, "all")).contents) == {A, B, C}


def test_a_buffer_beyond_the_limit_is_named(cubin: Path, memory: dict[int, bytes], tmp_path: Path) -> None:
    memory |= memory_of("gather")
    launch = recorded(cubin, "gather", Inputs(tmp_path, limit_mib=0))
    assert launch.contents == {}
    assert launch.missing == "more than --contents-limit: a of 4096 bytes"


def test_code_that_cannot_be_followed_is_said(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory |= memory_of("gather")

    def refuse(*_: object) -> None:
        raise SsmsimError("opcode NEW is not supported", "")

    monkeypatch.setattr(follow, "decode_image", refuse)
    launch = recorded(cubin, "gather", Inputs(tmp_path))
    assert launch.contents == {} and launch.missing.endswith("opcode NEW is not supported")


def test_the_same_bytes_are_kept_once(cubin: Path, memory: dict[int, bytes], tmp_path: Path) -> None:
    memory |= memory_of("gather")
    kept = Inputs(tmp_path)
    first, second = (recorded(cubin, "gather", kept).contents for _ in range(2))
    assert first == second
    assert len(list((tmp_path / "contents").iterdir())) == 1
