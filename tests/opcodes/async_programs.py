# ruff: noqa: E501  a statement of PTX stays on its line
"""Programs in PTX that use mbarriers, bulk and tensor copies and clusters, and what runs them in full and in trace mode."""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from compiled import compile_ptx

from ssmsim.launch import Buffer, Device, Launch
from ssmsim.sass.decode import decode
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.cluster import members, size_of
from ssmsim.tracers.emulated.run import full_plan, run_blocks
from ssmsim.tracers.emulated.tracing import Tracing

INPUT, OUTPUT, SIZE = 0x7E0000000000, 0x7E0001000000, 1 << 18
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
KERNEL = """
.visible .entry {name}(.param .u64 pin, .param .u64 pout, .param .u32 pn, .param .align 64 .b8 pmap[128]){attributes}
{{
.reg .b16 h; .reg .b32 a, b, c, e, t, u, v, w, n, i, s, bar, peer, rank, block; .reg .b64 x, y, z, in, out, map; .reg .pred p, q, o;
.shared .align 1024 .b8 sm[16384]; .shared .align 8 .b8 bars[64];
ld.param.u64 in, [pin]; ld.param.u64 out, [pout]; ld.param.u32 n, [pn]; mov.u32 i, %tid.x; setp.eq.u32 p, i, 0;
mov.b64 map, pmap; cvta.param.u64 map, map; mov.b32 s, sm; mov.b32 bar, bars; mov.u32 block, %ctaid.x; mov.u32 rank, %cluster_ctarank;
{body}
ret;
}}
"""
WAIT = "{{ .reg .pred ok; W{k}: mbarrier.try_wait.parity.shared.b64 ok, [{at}], {parity}; @!ok bra W{k}; }}"
BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
TENSOR = "cp.async.bulk.tensor.{d}d.{to}"
LOAD = "shared::cluster.global.tile.mbarrier::complete_tx::bytes"
START = "@p mbarrier.init.shared.b64 [bar], {count}; @p mbarrier.init.shared.b64 [bar+8], 1; fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;"
CLUSTER = " .explicitcluster .reqnctapercluster 2, 2, 1"
SYNC = "barrier.cluster.arrive; barrier.cluster.wait;"


def wait(k: int, parity: str, at: str = "bar") -> str:
    return WAIT.format(k=k, at=at, parity=parity)


def tensor_load(rank: int, at: str, size: int, shown: int = 0) -> str:
    """One thread loads a tile to sm; all store its bytes (or `shown` ones) to out, 4 bytes per thread and turn."""
    return (
        START.format(count=1)
        + f"@!p bra NOT; mbarrier.arrive.expect_tx.shared.b64 _, [bar], {size}; cp.async.bulk.tensor.{rank}d.{LOAD} [s], [map, {at}], [bar]; NOT: "
        + wait(0, "0")
        + "mov.b32 a, i; AGAIN: "
        + f"setp.lt.u32 q, a, {(shown or size) // 4}; @!q bra DONE; mad.lo.u32 b, a, 4, s; ld.shared.b32 t, [b]; mad.wide.u32 x, a, 4, out; st.global.b32 [x], t; add.u32 a, a, 64; bra AGAIN; DONE: "
    )


FILL = "mov.b32 a, i; FILL: setp.lt.u32 q, a, {words}; @!q bra FILLED; mad.wide.u32 x, a, 4, in; ld.global.b32 t, [x]; mad.lo.u32 b, a, 4, s; st.shared.b32 [b], t; add.u32 a, a, 64; bra FILL; FILLED: fence.proxy.async.shared::cta; bar.sync 0;"
COMMIT = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"


def from_shared(words: int, statement: str) -> str:
    """The first words of in to shared memory, then one statement of one thread."""
    return FILL.format(words=words) + f"@!p bra NOT; {statement} {COMMIT} NOT: "


PROGRAMS: dict[str, str] = {
    # four tiles of 1 KiB through one place, one barrier, both parities; each thread adds 16 bytes of each
    "pipeline": START.format(count=1)
    + "mov.b32 c, 0; mov.b32 t, 0; NEXT: bar.sync 0; @!p bra NOT; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024; "
    + f"mad.wide.u32 x, c, 1024, in; {BULK} [s], [x], 1024, [bar]; NOT: and.b32 e, c, 1; "
    + wait(0, "e")
    + "mad.lo.u32 b, i, 16, s; ld.shared.v4.b32 {u, v, w, a}, [b]; add.u32 t, t, u; add.u32 t, t, v; add.u32 t, t, w; add.u32 t, t, a; "
    + "add.u32 c, c, 1; setp.lt.u32 q, c, 4; @q bra NEXT; mad.wide.u32 x, i, 4, out; st.global.b32 [x], t;",
    # the word after each operation
    "word": "mbarrier.init.shared.b64 [bar], 3; ld.volatile.shared.b64 x, [bars]; st.global.b64 [out], x; "
    + "mbarrier.arrive.shared.b64 y, [bar]; st.global.b64 [out+8], y; ld.volatile.shared.b64 x, [bars]; st.global.b64 [out+16], x; mbarrier.pending_count.b64 t, x; st.global.b32 [out+24], t; "
    + "mbarrier.arrive.expect_tx.shared.b64 y, [bar], 100; ld.volatile.shared.b64 x, [bars]; st.global.b64 [out+32], x; "
    + "mbarrier.arrive.shared.b64 y, [bar]; mbarrier.test_wait.parity.shared.b64 o, [bar], 0; selp.b32 t, 1, 0, o; st.global.b32 [out+40], t; "
    + "mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 100; mbarrier.test_wait.shared.b64 o, [bar], y; selp.b32 t, 1, 0, o; st.global.b32 [out+44], t; ld.volatile.shared.b64 x, [bars]; st.global.b64 [out+48], x; "
    + "mbarrier.arrive_drop.shared.b64 y, [bar]; mbarrier.arrive.shared.b64 y, [bar], 2; ld.volatile.shared.b64 x, [bars]; st.global.b64 [out+56], x;",
    # two warps hand a value back and forth through two barriers of 32 arrivals
    "ping_pong": "@p mbarrier.init.shared.b64 [bar], 32; @p mbarrier.init.shared.b64 [bar+8], 32; bar.sync 0; mov.b32 c, 0; and.b32 a, i, 31; mad.lo.u32 b, a, 4, s; setp.lt.u32 q, i, 32; @!q bra SECOND; "
    + "FIRST: st.shared.b32 [b], c; mbarrier.arrive.shared.b64 _, [bar]; and.b32 e, c, 1; "
    + wait(0, "e", "bar+8")
    + "add.u32 c, c, 1; setp.lt.u32 o, c, 5; @o bra FIRST; bra END; SECOND: and.b32 e, c, 1; "
    + wait(1, "e")
    + "ld.shared.b32 t, [b]; mad.lo.u32 u, t, 3, a; mul.wide.u32 x, c, 128; add.u64 x, x, out; mad.wide.u32 x, a, 4, x; st.global.b32 [x], u; mbarrier.arrive.shared.b64 _, [bar+8]; add.u32 c, c, 1; setp.lt.u32 o, c, 5; @o bra SECOND; END: ",
    # lanes of one warp wait for its lane 0, which stands at the other side of the branch
    "diverged": "@p mbarrier.init.shared.b64 [bar], 1; bar.sync 0; @p bra ONE; "
    + wait(0, "0")
    + "ld.shared.b32 t, [s]; mad.wide.u32 x, i, 4, out; st.global.b32 [x], t; bra END; ONE: ld.global.b32 t, [in]; st.shared.b32 [s], t; mbarrier.arrive.shared.b64 _, [bar]; END: ",
    "ldgsts": "@p mbarrier.init.shared.b64 [bar], 64; bar.sync 0; mad.wide.u32 x, i, 16, in; mad.lo.u32 b, i, 16, s; cp.async.ca.shared.global [b], [x], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; "
    + wait(0, "0")
    + "xor.b32 b, i, 1; mad.lo.u32 b, b, 16, s; ld.shared.b32 t, [b]; cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar]; "
    + wait(1, "1")
    + "mad.wide.u32 x, i, 4, out; st.global.b32 [x], t;",
    # the first warp drops out: the next phase waits for the second one alone
    "drop": "@p mbarrier.init.shared.b64 [bar], 64; bar.sync 0; mov.b32 t, 0; setp.lt.u32 q, i, 32; @!q bra STAYS; mbarrier.arrive_drop.shared.b64 _, [bar]; bra END; "
    + "STAYS: mbarrier.arrive.shared.b64 _, [bar]; "
    + wait(0, "0")
    + "mbarrier.arrive.shared.b64 _, [bar]; "
    + wait(1, "1")
    + "mov.b32 t, 1; END: mad.wide.u32 x, i, 4, out; st.global.b32 [x], t;",
    # control by what a copy brought, and by what another one stored
    "branch": START.format(count=1)
    + f"@p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; @p {BULK} [s], [in], 256, [bar]; "
    + wait(0, "0")
    + "mad.lo.u32 b, i, 4, s; ld.shared.b32 t, [b]; mad.wide.u32 x, i, 4, out; setp.gt.s32 q, t, 0; @!q bra ELSE; st.global.b32 [x], t; ELSE: ",
    "read_back": from_shared(64, "cp.async.bulk.global.shared::cta.bulk_group [out], [s], 256;")
    + "bar.sync 0; mad.wide.u32 x, i, 4, out; ld.global.b32 t, [x]; setp.gt.s32 q, t, 0; @!q bra ELSE; st.global.b32 [x+1024], t; ELSE: ",
    "deadlock": START.format(count=2) + "@p mbarrier.arrive.shared.b64 _, [bar]; " + wait(0, "0"),
    "too_many": START.format(count=2) + "@p mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 16; bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];",
    "load_1d": tensor_load(1, "{n}", 256),
    "load_2d": tensor_load(2, "{n, 3}", 4096),
    "load_3d": tensor_load(3, "{n, -1, 2}", 4096),
    "load_5d": tensor_load(5, "{n, 0, 1, 0, 1}", 2048),
    "load_narrow": tensor_load(2, "{n, 3}", 1024, 4096),
    "store_2d": from_shared(1024, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {n, 3}], [s];"),
    **{
        f"reduce_{op}": from_shared(1024, f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [map, {{n, 3}}], [s];")
        for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor")
    },
    "prefetches": "prefetch.tensormap [map]; cp.async.bulk.prefetch.tensor.2d.L2.global.tile [map, {n, 3}]; cp.async.bulk.prefetch.L2.global [in], 64;",
    "bulk_store": from_shared(1024, "cp.async.bulk.global.shared::cta.bulk_group [out], [s], 4096;"),
    "bulk_add_f32": from_shared(64, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [out], [s], 256;"),
    "bulk_add_bf16": from_shared(64, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [out], [s], 256;"),
    "bulk_min_s32": from_shared(64, "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [out], [s], 256;"),
    "no_complete": "mbarrier.arrive.noComplete.shared.b64 x, [bar], 2; st.global.b64 [out], x;",
}  # fmt: skip
NEXT = "add.u32 peer, rank, 1; and.b32 peer, peer, 3; mapa.shared::cluster.u32 a, s, peer; mapa.shared::cluster.u32 b, bar, peer; mov.u32 e, %ctaid.y; mov.u32 c, %nctaid.x; mad.lo.u32 block, e, c, block; mul.wide.u32 x, block, 1024; add.u64 out, out, x; mad.wide.u32 out, i, 8, out;"
CLUSTERED: dict[str, str] = {
    # each block leaves its number in shared memory, reads the next rank's, and adds to the one after it
    "neighbours": NEXT
    + "mad.lo.u32 c, i, 4, s; mad.lo.u32 t, block, 1000, i; st.shared.b32 [c], t; "
    + SYNC
    + "mad.lo.u32 c, i, 4, a; ld.shared::cluster.b32 t, [c]; "
    + SYNC
    + "red.shared::cluster.add.u32 [c], 7; atom.shared::cluster.add.u32 u, [c], rank; "
    + SYNC
    + "mad.lo.u32 c, i, 4, s; ld.shared.b32 v, [c]; st.global.v2.b32 [out], {t, v};",
    "ranks": NEXT
    + "mov.u32 t, %clusterid.x; mov.u32 u, %cluster_nctaid.x; mad.lo.u32 t, t, 16, u; mov.u32 u, %cluster_ctaid.y; mad.lo.u32 t, t, 16, u; mov.u32 u, %nclusterid.y; mad.lo.u32 t, t, 16, u; mad.lo.u32 t, rank, 65536, t; getctarank.shared::cluster.u32 u, a; st.global.v2.b32 [out], {t, u};",
    # st.async of each thread to the next block, which waits for all bytes
    "st_async": NEXT
    + "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; "
    + SYNC
    + "mad.lo.u32 c, i, 8, a; cvt.u64.u32 x, block; mad.wide.u32 x, i, 1000, x; st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [c], x, [b]; "
    + wait(0, "0")
    + f"mad.lo.u32 c, i, 8, s; ld.shared.b64 x, [c]; st.global.b64 [out], x; {SYNC}",
    # reductions of all threads into eight pairs of words of the next block
    "red_async": NEXT
    + "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 768; mad.lo.u32 c, i, 4, s; st.shared.b32 [c], 50; st.shared.b32 [c+256], 0; "
    + SYNC
    + "and.b32 t, i, 7; mad.lo.u32 c, t, 8, a; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [c], i, [b]; sub.u32 t, 20, i; "
    + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [c+4], t, [b]; setp.lt.u32 q, i, 32; cvt.u64.u32 x, i; @q red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [c+256], x, [b]; "
    + wait(0, "0")
    + f"and.b32 t, i, 7; mad.lo.u32 c, t, 8, s; ld.shared.v2.b32 {{u, v}}, [c]; ld.shared.b32 w, [c+256]; add.u32 u, u, w; st.global.v2.b32 [out], {{u, v}}; {SYNC}",
    # arrivals at the next block's barrier, one of them with an expectation
    "remote_arrive": NEXT
    + "@p mbarrier.init.shared.b64 [bar], 64; "
    + SYNC
    + "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b]; "
    + wait(0, "0")
    + f"mov.b32 t, block; st.global.v2.b32 [out], {{t, rank}}; {SYNC}",
    # rank 0 loads one tile for all four blocks
    "multicast": NEXT
    + "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; "
    + SYNC
    + "setp.eq.u32 q, rank, 2; and.pred q, p, q; mov.b16 h, 13; @!q bra NOT; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [s+1024], [map, {n, 1}], [bar], h; NOT: "
    + "setp.eq.u32 q, rank, 1; @q bra OVER; "
    + wait(0, "0")
    + f"OVER: mad.lo.u32 c, i, 4, s; ld.shared.b32 t, [c+1024]; st.global.v2.b32 [out], {{t, rank}}; {SYNC}",
    # as above, a column of 64 pixels of one channel group, two pixels on
    "multicast_im2col": NEXT
    + "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024; "
    + SYNC
    + "setp.eq.u32 q, rank, 2; and.pred q, p, q; mov.b16 h, 13; @!q bra NOT; { .reg .b16 k; mov.b16 k, 2; cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [s+1024], [map, {n, 1, 0}], [bar], {k}, h; } NOT: "
    + "setp.eq.u32 q, rank, 1; @q bra OVER; "
    + wait(0, "0")
    + f"OVER: mad.lo.u32 c, i, 16, s; ld.shared.b32 t, [c+1024]; st.global.v2.b32 [out], {{t, rank}}; {SYNC}",
    # own shared memory to the next block's
    "bulk_remote": NEXT
    + "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; mad.lo.u32 c, i, 4, s; mad.lo.u32 t, block, 1000, i; st.shared.b32 [c], t; fence.proxy.async.shared::cta; "
    + SYNC
    + "@!p bra NOT; add.u32 a, a, 2048; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [s], 256, [b]; NOT: "
    + wait(0, "0")
    + f"ld.shared.b32 u, [c+2048]; st.global.v2.b32 [out], {{t, u}}; {SYNC}",
}
CLUSTERED["bulk_add_remote"] = (
    CLUSTERED["bulk_remote"]
    .replace(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32",
    )
    .replace("st.shared.b32 [c], t;", "st.shared.b32 [c], t; st.shared.b32 [c+2048], 5;")
)


def program_text() -> str:
    """All programs as one module."""
    texts = [KERNEL.format(name=name, body=body, attributes="") for name, body in PROGRAMS.items()]
    texts += [KERNEL.format(name=name, body=body, attributes=CLUSTER) for name, body in CLUSTERED.items()]
    return HEAD + "".join(texts)


@dataclass
class Run:
    """What a run left: bytes from OUTPUT on, and its streams."""

    out: np.ndarray
    trace: BlockTrace
    image: Image


class Programs:
    """The module, compiled into a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = compile_ptx(program_text(), folder / "async.cubin")

    def launch(self, name: str, n: int = 0, tensor: bytes = bytes(128), threads: int = 64) -> Launch:
        """A launch of a program: 4 x 4 blocks in clusters of 2 x 2 where the program is one of clusters, else 1."""
        code = decode(self.path, name)
        clustered = name in CLUSTERED
        params = (
            struct.pack("<QQI", INPUT, OUTPUT, n & 0xFFFFFFFF).ljust(48, b"\0") + tensor
        )  # aligned in the constant bank
        launch = Launch(
            format="launch/1", kernel=name, device=Device(name="emulated", compute_capability=(9, 0)),
            grid=(4, 4, 1) if clustered else (1, 1, 1), cluster=(2, 2, 1) if clustered else (1, 1, 1),
            block=(threads, 1, 1), shared_memory_bytes=code.kernel.static_shared, registers_per_thread=64, cubin=self.path.name,
            params=params.hex(), buffers=[Buffer(address=a, bytes=SIZE, name=n) for a, n in ((INPUT, "in"), (OUTPUT, "out"))],
            explicit_cluster=clustered,
        )  # fmt: skip
        launch._folder = self.path.parent
        return launch

    def run(self, launch: Launch, given: np.ndarray, before: np.ndarray | None = None) -> Run:
        """Full mode. given, before: what lies at INPUT and OUTPUT."""
        code = decode(self.path, launch.kernel)
        image = Image.of([launch], kernel=code.kernel)
        image.write(INPUT, given)
        if before is not None:
            image.write(OUTPUT, before)
        blocks = members(launch, np.arange(launch.blocks // size_of(launch)))
        _, log = run_blocks(full_plan(code, image), launch, blocks)
        return Run(image.read(OUTPUT, SIZE), log.trace(blocks), image)

    def traced(self, launch: Launch) -> BlockTrace:
        """Trace mode, nothing recorded."""
        blocks = members(launch, np.arange(launch.blocks // size_of(launch)))
        return Tracing(decode(self.path, launch.kernel), launch).trace(blocks)
