# ruff: noqa: E501  a statement of PTX stays on its line
"""Programs in PTX of one tensor copy each, of a tile or of a column of pixels (im2col), and what runs them in full and in trace
mode. Like programs ran on an H200 (tests/data/tensor_copies/h200.json).
"""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from async_programs import INPUT, OUTPUT, SIZE, Run
from compiled import compile_ptx

from ssmsim.launch import Buffer, Device, Launch
from ssmsim.sass.decode import decode
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.run import full_plan, run_blocks
from ssmsim.tracers.emulated.tracing import Tracing

THREADS, SHARED, UNTOUCHED = 64, 28672, 0xCD  # bytes of shared memory; what it holds before a load
MARKER = 0x40000000  # a store moves MARKER, MARKER + 1, ...
RANKS = {"im2col": (3, 4, 5), "tile": (1, 2, 3, 5)}
OPERATIONS = ("load", "store", "red", "prefetch", "tile_load", "tile_store", "tile_red")
TENSOR = 1 << 20
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
KERNEL = """
.visible .entry {name}(.param .u64 pout, .param .u32 p0, .param .u32 p1, .param .u32 p2, .param .u32 p3, .param .u32 p4,
    .param .u32 q0, .param .u32 q1, .param .u32 q2, .param .u32 pbytes, .param .u32 pwords, .param .align 64 .b8 pmap[128])
{{
.reg .b16 h0, h1, h2; .reg .b32 c0, c1, c2, c3, c4, t, a, b, i, s, bar, words, bytes; .reg .b64 x, out, map; .reg .pred p, q, ok;
.shared .align 1024 .b8 sm[{shared}]; .shared .align 8 .b8 bars[16];
ld.param.u64 out, [pout]; ld.param.u32 c0, [p0]; ld.param.u32 c1, [p1]; ld.param.u32 c2, [p2]; ld.param.u32 c3, [p3]; ld.param.u32 c4, [p4];
ld.param.u32 t, [q0]; cvt.u16.u32 h0, t; ld.param.u32 t, [q1]; cvt.u16.u32 h1, t; ld.param.u32 t, [q2]; cvt.u16.u32 h2, t;
ld.param.u32 bytes, [pbytes]; ld.param.u32 words, [pwords];
mov.u32 i, %tid.x; setp.eq.u32 p, i, 0; mov.b64 map, pmap; cvta.param.u64 map, map; mov.b32 s, sm; mov.b32 bar, bars;
mov.b32 a, i; F: setp.lt.u32 q, a, words; @!q bra G; mad.lo.u32 b, a, 4, s; {fill} st.shared.b32 [b], t; add.u32 a, a, {threads}; bra F; G:
{body}
ret;
}}
"""
LOAD = """@p mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;
@!p bra N; mbarrier.arrive.expect_tx.shared.b64 _, [bar], bytes;
cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes [s], [map, {at}], [bar]{offsets};
N: W: mbarrier.try_wait.parity.shared.b64 ok, [bar], 0; @!ok bra W;
mov.b32 a, i; X: setp.lt.u32 q, a, words; @!q bra Y; mad.lo.u32 b, a, 4, s; ld.shared.b32 t, [b]; mad.wide.u32 x, a, 4, out; st.global.b32 [x], t; add.u32 a, a, {threads}; bra X; Y:
"""
STORE = """fence.proxy.async; bar.sync 0; @!p bra N; {copy}.{mode}.bulk_group [map, {at}], [s];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; N:
"""
PREFETCH = "@p cp.async.bulk.prefetch.tensor.{rank}d.L2.global.{mode} [map, {at}]{offsets};"
COPIES = {
    "store": "cp.async.bulk.tensor.{rank}d.global.shared::cta",
    "red": "cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add",
}
BYTES = "mov.b32 t, 0xCDCDCDCD;"
NUMBERS = f"add.u32 t, a, {MARKER:#x};"


def ranks(op: str) -> tuple[int, ...]:
    """Of the tensors that an operation has a program for."""
    return RANKS["tile" if op.startswith("tile") else "im2col"]


def program(op: str, rank: int) -> str:
    """op: load, store, red (an addition) or prefetch in im2col mode; tile_load, tile_store, tile_red."""
    at, mode, plain = "{" + ", ".join(f"c{i}" for i in range(rank)) + "}", "tile", op.removeprefix("tile_")
    if plain == op:
        mode = "im2col" if op in ("load", "prefetch") else "im2col_no_offs"
    offsets = ", {" + ", ".join(f"h{i}" for i in range(rank - 2)) + "}" if mode == "im2col" else ""
    copy = COPIES.get(plain, "").format(rank=rank)
    template = {"load": LOAD, "prefetch": PREFETCH}.get(plain, STORE)
    body = template.format(rank=rank, at=at, offsets=offsets, copy=copy, threads=THREADS, mode=mode)
    fill = BYTES if plain == "load" else NUMBERS
    return KERNEL.format(name=f"{op}_{rank}", body=body, fill=fill, shared=SHARED, threads=THREADS)


def numbers() -> np.ndarray:
    """uint32: what the tensor's memory holds."""
    return (np.arange(TENSOR // 4, dtype=np.uint64) * 2654435761 + 12345 & 0xFFFFFFFF).astype(np.uint32)


class Copies:
    """The module, compiled into a folder."""

    def __init__(self, folder: Path) -> None:
        names = [(op, rank) for op in OPERATIONS for rank in ranks(op)]
        self.path = compile_ptx(HEAD + "".join(program(*name) for name in names), folder / "copies.cubin")

    def launch(
        self, op: str, tensor: bytes, at: Sequence[int], offsets: Sequence[int], transferred: int, words: int
    ) -> Launch:
        """One copy of a tensor map of 128 bytes at coordinates, innermost first. transferred: bytes that the barrier waits for.
        words: 32-bit words of shared memory that are set before and, by a load, stored after.
        """
        name = f"{op}_{len(at)}"
        kernel = decode(self.path, name).kernel
        coordinates = [c & 0xFFFFFFFF for c in (*at, 0, 0, 0, 0)][:5]
        params = struct.pack("<Q5I3I2I", OUTPUT, *coordinates, *[*offsets, 0, 0, 0][:3], transferred, words) + tensor
        launch = Launch(
            format="launch/1", kernel=name, device=Device(name="emulated", compute_capability=(9, 0)), grid=(1, 1, 1),
            block=(THREADS, 1, 1), shared_memory_bytes=kernel.static_shared, registers_per_thread=64, cubin=self.path.name,
            params=params.hex(), buffers=[Buffer(address=INPUT, bytes=TENSOR, name="in"), Buffer(address=OUTPUT, bytes=SIZE, name="out")],
        )  # fmt: skip
        launch._folder = self.path.parent
        return launch

    def run(self, launch: Launch, memory: np.ndarray) -> Run:
        """Full mode. memory: what lies at INPUT, where the tensor is."""
        code = decode(self.path, launch.kernel)
        image = Image.of([launch], kernel=code.kernel)
        image.write(INPUT, memory)
        blocks = np.arange(1)
        _, log = run_blocks(full_plan(code, image), launch, blocks)
        return Run(image.read(OUTPUT, SIZE), log.trace(blocks), image)

    def traced(self, launch: Launch) -> BlockTrace:
        """Trace mode, nothing recorded."""
        return Tracing(decode(self.path, launch.kernel), launch).trace(np.arange(1))
