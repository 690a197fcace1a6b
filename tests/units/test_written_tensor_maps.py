"""Tensor maps that a kernel writes: by stores of any width, by several warps, by bulk copies, by exchanges; and what they need."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssmsim.capture import driver, inputs
from ssmsim.capture.inputs import Inputs
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.elf_attributes import code_sha256, kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, validated
from ssmsim.microbenchmarks.tensor_map import F32, tensor_map_2d
from ssmsim.sass.decode import Code, decode_image
from ssmsim.tracers.emulated.bulk_row import FIRST
from ssmsim.tracers.emulated.slice import published, slice_program
from ssmsim.tracers.emulated.source import EmulatedBlocks
from tests.opcodes.compiled import compile_ptx

TENSOR, SCRATCH, LIST, OUT = (0x7F00_0000_0000 + (k << 24) for k in range(4))
WIDTH, HEIGHT, SIZE = 64, 32, 64 * 32 * 4
GPU = {"name": "H100", "compute_capability": (9, 0)}
HEAD = ".version 8.3\n.target sm_90a\n.address_size 64\n"
PARAMETERS = ".param .u64 scratch, .param .u64 list, .param .u64 out, .param .u32 high, .param .align 8 .b8 map[128]"
START = """
.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %a<20>; .shared .align 128 .b8 s[4096];
mov.u32 %r0, %tid.x; mul.wide.u32 %a4, %r0, 4; setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 32;
ld.param.u64 %a0, [scratch]; ld.param.u64 %a1, [list]; ld.param.u64 %a2, [out]; mov.u64 %a3, map; mov.u32 %r9, s;
mov.u32 %r10, %ctaid.x; mul.wide.u32 %a9, %r10, 128; add.s64 %a0, %a0, %a9; add.s64 %a3, %a3, %a4; ld.param.u32 %r1, [%a3];
ld.param.u64 %a10, [map]; add.s64 %a5, %a0, %a4; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r9;
"""
# A copy of the tile at (0, 4 * block); what came before it is then stored to `out`.
END = """
fence.proxy.async; fence.acq_rel.gpu; bar.sync 0; fence.proxy.tensormap::generic.acquire.gpu [%a0], 128;
shl.b32 %r11, %r10, 2; mov.u32 %r12, 0; @%p0 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%a0, {%r12, %r11}];
add.s64 %a6, %a2, %a4; ld.global.u32 %r7, [%a1+1024]; st.global.u32 [%a6], %r7;
"""
FROM_SHARED = "@%p1 st.shared.u32 [%r8], %r1; bar.sync 0;"
BODIES = {
    "words": "@%p1 st.global.u32 [%a5], %r1;",
    # the first half of the words by one warp, the rest by the other
    "warps": """and.b32 %r2, %r0, 31; shr.u32 %r3, %r0, 5; mad.lo.u32 %r2, %r3, 16, %r2; mul.wide.u32 %a6, %r2, 4;
        mov.u64 %a7, map; add.s64 %a7, %a7, %a6; ld.param.u32 %r1, [%a7]; add.s64 %a6, %a0, %a6; st.global.u32 [%a6], %r1;""",
    "pairs": "@%p1 st.shared.u32 [%r8], %r1; bar.sync 0; add.u32 %r8, %r8, %r8; sub.u32 %r8, %r8, %r9; add.s64 %a5, %a5, %a4;"
    "setp.lt.u32 %p2, %r0, 16; @%p2 ld.shared.b64 %a6, [%r8]; @%p2 st.global.b64 [%a5], %a6;",
    "vectors": FROM_SHARED + "mul.wide.u32 %a6, %r0, 16; add.s64 %a6, %a0, %a6; mad.lo.u32 %r8, %r0, 16, %r9;"
    "setp.lt.u32 %p2, %r0, 8; @%p2 ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r8];"
    "@%p2 st.global.v4.u32 [%a6], {%r2, %r3, %r4, %r5};",
    "bytes": "@%p1 st.shared.u32 [%r8], %r1; bar.sync 0; add.u32 %r8, %r9, %r0; ld.shared.u8 %r2, [%r8];"
    "ld.shared.u8 %r3, [%r8+64]; cvt.u64.u32 %a6, %r0; add.s64 %a6, %a0, %a6; st.global.u8 [%a6], %r2; st.global.u8 [%a6+64], %r3;",
    "bulk": FROM_SHARED + "fence.proxy.async; @%p0 cp.async.bulk.global.shared::cta.bulk_group [%a0], [%r9], 128;"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
    "exchange": FROM_SHARED
    + "@%p1 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%a0], [%r9], 128;",
    # one thread replaces the address by one in a list
    "listed": FROM_SHARED + "@%p0 ld.global.u64 %a6, [%a1]; @%p0 st.shared.b64 [%r9], %a6; bar.sync 0;"
    "@%p1 ld.shared.u32 %r2, [%r8]; @%p1 st.global.u32 [%a5], %r2;",
}  # fmt: skip

HOST = (
    "shl.b32 %r11, %r10, 2; mov.u32 %r12, 0; @%p0 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%a0, {%r12, %r11}];"
)

CHANGED = "bar.sync 0; @%p0 red.global.or.b32 [%a0+8], %r0;"


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bodies = {name: body + END for name, body in BODIES.items()} | {
        "host": HOST,
        "changed": BODIES["words"] + CHANGED + END,
    }
    kernels = [f".visible .entry {n}({PARAMETERS}) {{ {START} {body} ret; }}\n" for n, body in bodies.items()]
    return compile_ptx(HEAD + "".join(kernels), tmp_path_factory.mktemp("kernels") / "kernels.cubin")


def recorded(cubin: Path, name: str) -> Recorded:
    image = cubin.read_bytes()
    info = kernel_info(image, name)
    words = struct.pack(
        "<32I", *tensor_map_2d(0 if name == "listed" else TENSOR, WIDTH, HEIGHT, 4 * WIDTH, (WIDTH, 4), 0, F32)
    )
    params = (struct.pack("<QQQI4x", SCRATCH, LIST, OUT, 7) + words).ljust(info.param_bytes, b"\0")
    buffers: list[dict[str, Any]] = [
        {"name": "scratch", "address": SCRATCH, "bytes": 4096}, {"name": "list", "address": LIST, "bytes": 4096},
        {"name": "out", "address": OUT, "bytes": 4096},
    ]  # fmt: skip
    if name != "listed":
        buffers.append({"name": "tensor", "address": TENSOR, "bytes": SIZE})
    return Recorded(
        kernel=name, cubin=Cubin(image, "image", (name,)), code_sha256=code_sha256(image, name), info=info, grid=(8, 1, 1),
        block=(64, 1, 1), cluster=(1, 1, 1), shared=info.static_shared, registers=info.registers, params=params, buffers=buffers,
    )  # fmt: skip


def launch_of(found: Recorded, folder: Path) -> Launch:
    """As it is written, its contents as files in `folder`."""
    buffers = [
        b | {"contents": found.contents.get(b["address"], "").removeprefix("../") or None} for b in found.buffers
    ]
    launch = validated(
        {"format": "launch/1", "kernel": found.kernel, "device": GPU, "grid": found.grid, "block": found.block,
         "shared_memory_bytes": found.shared, "registers_per_thread": found.registers, "cubin": "k.cubin",
         "params": found.params.hex(), "buffers": buffers}, "here",
    )  # fmt: skip
    launch._folder = folder
    return launch


def code_of(cubin: Path, name: str) -> Code:
    return decode_image(cubin.read_bytes(), name, name)


def first_bytes(launch: Launch, code: Code, tensor: int = TENSOR) -> list[int]:
    """Addresses that the tensor copies of the blocks begin at."""
    found = EmulatedBlocks(launch, range(8), code, batch=8).next_blocks(8)
    assert found is not None
    first = found.addresses[:, FIRST]
    return list(first[(first >= tensor) & (first < tensor + SIZE)].tolist())


EXPECTED = [TENSOR + 4 * WIDTH * 4 * block for block in range(8)]


@pytest.mark.parametrize("name", [n for n in BODIES if n != "listed"])
def test_copies_go_where_the_written_map_says(name: str, cubin: Path, tmp_path: Path) -> None:
    assert first_bytes(launch_of(recorded(cubin, name), tmp_path), code_of(cubin, name)) == EXPECTED


@pytest.mark.parametrize("name", BODIES)
def test_what_the_kernel_stores_elsewhere_is_not_computed(name: str, cubin: Path) -> None:
    code = code_of(cubin, name)
    writers, part = published(code), slice_program(code)
    stores = [i for i in code.instructions if i.base in ("STG", "UBLKCP", "ATOMG")]
    assert writers and len(stores) > len(writers)
    assert [i.index for i in stores if part.computes[i.index]] == sorted(writers)
    assert stores[-1].index not in writers


def test_a_map_that_is_changed_otherwise_is_refused_by_name(cubin: Path, tmp_path: Path) -> None:
    with pytest.raises(SsmsimError, match=r"tensor map at .* from bytes that the kernel itself stores"):
        first_bytes(launch_of(recorded(cubin, "changed"), tmp_path), code_of(cubin, "changed"))


def test_without_the_data_of_a_map_the_launch_is_refused_by_name(cubin: Path, tmp_path: Path) -> None:
    with pytest.raises(
        SsmsimError, match=r"tensor map at 0x7f\w+ depends on data that .* loads from list, which is not"
    ):
        first_bytes(launch_of(recorded(cubin, "listed"), tmp_path), code_of(cubin, "listed"))


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> dict[int, bytes]:
    held = {
        LIST: struct.pack("<Q", TENSOR).ljust(4096, b"\0"),
        SCRATCH: bytes(4096),
        OUT: bytes(4096),
        TENSOR: bytes(SIZE),
    }
    place = lambda p, _=0: next(((at, len(held[at])) for at in held if at <= p < at + len(held[at])), None)  # noqa: E731
    monkeypatch.setattr(driver, "synchronize", lambda: None)
    monkeypatch.setattr(driver, "current_context", lambda: 1)
    monkeypatch.setattr(inputs.device, "current", lambda: GPU)
    monkeypatch.setattr(driver, "allocation_of", place)
    monkeypatch.setattr(driver, "read_memory", lambda address, count: held[address][:count])
    return held


@pytest.mark.parametrize("name", BODIES)
def test_a_capture_records_what_a_map_is_made_of_and_the_tensor_that_it_names(
    name: str, cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    launch = recorded(cubin, name)
    launch.contents, launch.missing = Inputs(tmp_path).record(launch)
    assert launch.missing == ""
    assert set(launch.contents) == ({LIST} if name == "listed" else set())
    assert TENSOR in {b["address"] for b in launch.buffers}
    assert first_bytes(launch_of(launch, tmp_path), code_of(cubin, name)) == EXPECTED


def test_a_map_that_the_host_left_in_memory_is_recorded_with_its_tensor(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path
) -> None:
    words = [tensor_map_2d(TENSOR, WIDTH, HEIGHT, 4 * WIDTH, (WIDTH, 4), 0, F32)] * 32
    memory[SCRATCH] = np.concatenate(words).tobytes()
    launch = recorded(cubin, "host")
    launch.buffers = [b for b in launch.buffers if b["address"] != TENSOR]
    with pytest.raises(SsmsimError, match="loads from scratch, which is not recorded"):
        first_bytes(launch_of(launch, tmp_path), code_of(cubin, "host"))
    launch.contents, launch.missing = Inputs(tmp_path).record(launch)
    assert launch.missing == "" and set(launch.contents) == {SCRATCH}
    assert first_bytes(launch_of(launch, tmp_path), code_of(cubin, "host")) == EXPECTED
