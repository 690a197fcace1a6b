"""Accel-Sim's trace format: a real tracer's files are read whole, what is written reads back, faults name theirs."""

import hashlib
import io
import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ssmsim.cli import build_app
from ssmsim.errors import SsmsimError
from ssmsim.launch import Device, Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.accelsim_format import header_of, read_header, read_kernelslist
from ssmsim.trace.accelsim_operands import listed
from ssmsim.trace.accelsim_reader import AccelSimTrace, grouped_blocks, read_trace
from ssmsim.trace.accelsim_writer import regroup, spread, write_folder, write_stream
from ssmsim.trace.types import INSTRUCTION, BlockTrace, Program
from ssmsim.tracers import open_tracer
from ssmsim.tracers.nvbit import block_trace

DATA = Path(__file__).parents[1] / "data"
ORACLE = sorted((DATA / "oracle").glob("*-*"))
RAW = next(folder for folder in ORACLE if folder.name.startswith("00-")) / "nvbit.trace.xz"
POST_PROCESSED = json.loads((DATA / "accelsim" / "postprocessed.sha256.json").read_text())
HEADER = """-kernel name = k
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-binary version = 90
-cuda stream id = 0
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask

"""
BLOCK = """
#BEGIN_TB

thread block = {},0,0

warp = 0
insts = 2
0000 0000000f 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4 0
0010 ffffffff 0 EXIT 0 0 0

#END_TB
"""
GROUPED = HEADER + BLOCK.format(0) + BLOCK.format(1)


def grouped_text(trace: AccelSimTrace) -> bytes:
    out = io.BytesIO()
    regroup(trace, out)
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize("folder", ORACLE, ids=lambda folder: folder.name)
def test_regrouping_a_real_raw_trace_gives_the_bytes_of_accelsims_own_post_processing(folder):
    text = grouped_text(read_trace(folder / "nvbit.trace.xz"))
    assert hashlib.sha256(text).hexdigest() == POST_PROCESSED[folder.name]


@pytest.mark.parametrize("folder", ORACLE, ids=lambda folder: folder.name)
def test_our_operands_of_the_cubin_give_the_lines_that_the_tracer_wrote(folder):
    launch = read_launch(folder)
    program = decode_launch(launch).program
    source = open_tracer("nvbit").blocks(launch, program)
    out = io.BytesIO()
    written = write_stream(out, launch, program, source)
    header = read_trace(folder / "nvbit.trace.xz").header.text().encode()
    lines = out.getvalue()[len(header_of(launch).text()) :]
    assert hashlib.sha256(header + lines).hexdigest() == POST_PROCESSED[folder.name]
    assert written.blocks == launch.blocks and written.bytes == len(out.getvalue())


def test_the_grouped_form_of_a_real_trace_reads_as_the_raw_one_without_the_shared_side_of_ldgsts(tmp_path):
    raw = read_trace(ORACLE[1] / "nvbit.trace.xz")
    (tmp_path / "k.traceg").write_bytes(grouped_text(raw))
    grouped = read_trace(tmp_path / "k.traceg")
    for field in ("pc", "mask", "registers", "width", "immediate", "first", "blocks"):
        assert np.array_equal(getattr(grouped, field), getattr(raw, field)), field
    assert (raw.rows == 2).any() and np.array_equal(grouped.rows, np.minimum(raw.rows, 1))
    last = np.cumsum(raw.rows)[raw.rows > 0] - 1
    assert np.array_equal(grouped.addresses, raw.addresses[last])


def test_batches_of_a_grouped_file_are_the_whole_file(tmp_path):
    raw = read_trace(RAW)
    with (tmp_path / "k.traceg").open("wb") as out:
        regroup(raw, out)
    parts = list(grouped_blocks(tmp_path / "k.traceg", 3))
    assert [len(part.blocks) for part in parts] == [3, 1]
    assert np.array_equal(np.concatenate([part.pc for part in parts]), raw.pc)
    assert np.array_equal(
        np.concatenate([part.addresses for part in parts]), read_trace(tmp_path / "k.traceg").addresses
    )


def write(tmp_path: Path, text: str, name: str = "k.traceg") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize(
    ("fault", "repair", "line", "message"),
    [
        ("0000000f", "000000f", 21, "bad mask"),
        ("0000000f", "0000000g", 21, "bad mask"),
        (" 4 1 0x7f", " 4 3 0x7f", 21, "address mode"),
        (" 4 1 0x7f", " 4 -1 0x7f", 21, "address mode"),
        (" 4 1 0x7f0000000000 4 0", " 4 1 0x7f00000z 4 0", 21, "bad address"),
        (" 4 1 0x7f0000000000 4 0", " 4 2 0x7f0000000000 4 4", 21, "bad address"),
        (" 4 1 0x7f0000000000 4 0", " 4 1 0x7f0000000000 4 0 1", 21, "fields after"),
        (" 4 1 0x7f0000000000 4 0", " 4 1 0x7f0000000000 4", 21, "ends early"),
        ("0000000f 1 R2 LDG.E 1 R4 4 1", "00000009 1 R2 LDG.E 1 R4 4 1", 21, "one run"),
        ("1 R2 LDG.E", "2 R2 R3 LDG.E", 21, "number of registers"),
        ("1 R2 LDG.E", "1 X2 LDG.E", 21, "bad register"),
        ("version = 5", "version = 6", 9, "trace version 6"),
        ("version = 5", "version = 2", 9, "trace version 2"),
        ("version = 5", "version = five", 9, "not of its form"),
        ("grid dim = (2,1,1)", "grid dim = (2,1)", 3, "not of its form"),
        ("-nregs = 16\n", "", 11, "no nregs"),
        ("insts = 2", "insts = 3", 24, "differs"),
        ("insts = 2", "insts = 1", 22, "differs"),
        ("warp = 0", "warp = 1", 19, "outside the grid"),
        ("thread block = 0,0,0", "thread block = 2,0,0", 17, "outside the grid"),
        ("0010 ffffffff 0 EXIT", "0010 ffffffff 0 NOP", 22, "not EXIT"),
        ("0000 0000000f", "xx 0000000f", 21, "not a line"),
    ],
)
def test_a_fault_names_file_and_line(tmp_path, fault, repair, line, message):
    assert fault in GROUPED
    path = write(tmp_path, GROUPED.replace(fault, repair, 1))
    with pytest.raises(SsmsimError, match=message) as error:
        read_trace(path)
    assert str(error.value).startswith(f"{path}:{line}:")


def test_the_unspoilt_file_reads(tmp_path):
    trace = read_trace(write(tmp_path, GROUPED))
    assert trace.addresses[0, :5].tolist() == [0x7F0000000000 + 4 * lane for lane in range(4)] + [0]
    assert trace.line.tolist() == [21, 22, 32, 33]


@pytest.mark.parametrize("cut", range(len(HEADER) - 200, len(GROUPED) - 8, 7))
def test_a_grouped_file_cut_anywhere_is_an_error(tmp_path, cut):
    with pytest.raises(SsmsimError, match=r"cut|ends|header|differs|have instr"):
        read_trace(write(tmp_path, GROUPED[:cut]))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_raw_file_cut_anywhere_is_an_error(tmp_path, share):
    text = lzma.decompress(RAW.read_bytes()).decode()
    path = write(tmp_path, text[: int(share * len(text))].rpartition("\n")[0] + "\n", "k.trace")
    with pytest.raises(SsmsimError, match="cut"):
        read_trace(path)


def test_an_xz_stream_cut_is_an_error(tmp_path):
    path = tmp_path / "k.trace.xz"
    path.write_bytes(RAW.read_bytes()[:5000])
    with pytest.raises(SsmsimError, match="xz stream is cut"):
        read_trace(path)


def test_a_list_without_kernels_says_what_to_look_at(tmp_path):
    (tmp_path / "kernelslist.g").write_text("MemcpyHtoD,0x00007f0000000000,4096\n")
    with pytest.raises(SsmsimError, match="cuLaunchKernelEx"):
        read_kernelslist(tmp_path / "kernelslist.g")


def test_a_list_that_names_an_absent_file_is_an_error(tmp_path):
    (tmp_path / "kernelslist.g").write_text("kernel-1.traceg\n")
    with pytest.raises(SsmsimError, match=r"kernelslist\.g:1: no trace file"):
        read_kernelslist(tmp_path / "kernelslist.g")


# What a real H200 trace lists for these lines of real disassembly.
LISTED = [
    ("LDG.E.128", "R24,desc[UR16][R38.64]", 24, (38,), 16, 0),
    ("LDGSTS.E.BYPASS.128", "[R149+0x10000],desc[UR16][R134.64],P3", -1, (149, 134), 16, 0),
    ("STS.128", "[R18+0x16000],R112", -1, (18, 112), 16, 0),
    ("LDS.128", "R8,[UR4]", 8, (0,), 16, 0),
    ("LDSM.16.M88.4", "R112,[R8+UR8]", 112, (8,), 2, 0),
    ("LDG.E.U16", "R0,desc[UR4][R2.64]", 0, (2,), 2, 0),
    ("LDC", "R1,c[0x0][0x28]", 1, (), 0, 0),
    ("IMAD.MOV.U32", "R6,RZ,RZ,RZ", 6, (255, 255, 255), 0, 0),
    ("HGMMA.64x128x16.F32.BF16", "R24,gdesc[UR12],RZ,!UPT", 24, (255,), 0, 0),
    ("ISETP.GT.U32.AND", "P3,PT,R10,R7,PT", -1, (10, 7), 0, 0),
    ("SHFL.BFLY", "PT,R26,R25,0x10,0x1f", -1, (26, 25), 0, 31),
    ("LOP3.LUT", "R7,R2,R13,RZ,0x3c,!PT", 7, (2, 13, 255), 0, 60),
    ("FMUL", "R146,R146,1.4426950216293334961", 146, (146,), 0, 0),
    ("FSETP.GEU.AND", "P5,PT,R146,-126,PT", -1, (146,), 0, -126),
    ("FADD", "R4,-R16,R113", 4, (16, 113), 0, 0),
    ("IMAD.SHL.U32", "R0,R4,0xffffff80,RZ", 0, (4, 255), 0, -128),
    ("BRA", "0x4750", -1, (), 0, 0x4750),
    ("BSYNC", "B0", -1, (), 0, 0xB0),
    ("DEPBAR.LE", "SB0,0x8", -1, (), 0, 8),
    ("P2R", "R109,PR,RZ,0x40", 109, (255,), 0, 64),
]


@pytest.mark.parametrize(("opcode", "operands", "destination", "sources", "width", "immediate"), LISTED)
def test_operands_are_listed_as_the_tracer_lists_them(opcode, operands, destination, sources, width, immediate):
    item = listed(opcode, operands)
    assert (item.destination, item.sources, item.width, item.immediate) == (destination, sources, width, immediate)


CODE = ("LDG.E.64 R4, desc[UR4][R2.64]", "LDGSTS.E [R7], desc[UR4][R8.64]", "IADD3 R1, R1, 0x10, RZ", "EXIT")


def program() -> Program:
    records = np.zeros(len(CODE), INSTRUCTION)
    records["pc"] = 16 * np.arange(len(CODE))
    records["opcode"] = np.arange(len(CODE))
    records["accesses"] = [1, 2, 0, 0]
    return Program("k", records, tuple(text.split()[0] for text in CODE), CODE)


class Listed:
    """A BlockSource over one ready batch."""

    def __init__(self, trace: BlockTrace, warps: int) -> None:
        self.warps_per_block, self.block_count, self.trace = warps, len(trace.blocks), trace

    def next_blocks(self, count: int) -> BlockTrace | None:
        trace, self.trace = self.trace, None
        return trace


@st.composite
def streams(draw):
    """A launch, some of its blocks in any order, and what their warps execute: every mask and any addresses."""
    grid = draw(st.tuples(*[st.integers(1, 3)] * 3))
    warps = draw(st.integers(1, 3))
    total = grid[0] * grid[1] * grid[2]
    blocks = draw(st.lists(st.integers(0, total - 1), unique=True, min_size=1, max_size=4))
    lengths = draw(st.lists(st.integers(0, 6), min_size=len(blocks) * warps, max_size=len(blocks) * warps))
    first = np.concatenate([[0], np.cumsum(np.array(lengths) + 1)])
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    index = random.integers(0, 3, first[-1]).astype(np.int32)
    index[first[1:] - 1] = 3
    special = np.array([0, 1, 1 << 31, 0xFFFFFFFF, 0x0FF0, 0x80000001], np.uint32)
    mask = np.where(
        random.random(first[-1]) < 0.5, random.choice(special, first[-1]), random.integers(0, 1 << 32, first[-1])
    ).astype(np.uint32)
    accesses = np.array([1, 2, 0, 0])[index]
    ends = np.concatenate([[0], np.cumsum(accesses)])
    stride = random.choice([0, 4, -16, 2**31 - 1, 2**31, -(2**33)], (ends[-1], 1))
    addresses = random.integers(0, 1 << 40, (ends[-1], 1)) + (1 << 41) + stride * np.arange(32)
    noisy = random.random((ends[-1], 1)) < 0.5
    addresses = addresses + noisy * random.integers(-64, 64, (ends[-1], 32))
    trace = BlockTrace(np.array(blocks), first, index, mask, mask, ends[first], addresses)
    return grid, warps, trace


@settings(max_examples=60, deadline=None)
@given(stream=streams(), xz=st.booleans())
def test_what_is_written_reads_back_as_the_same_stream(tmp_path_factory, stream, xz):
    grid, warps, trace = stream
    folder = tmp_path_factory.mktemp("trace") / "out"
    code = program()
    launch = Launch(
        format="launch/1", kernel="k", device=Device(name="H200", compute_capability=(9, 0)), grid=grid,
        block=(32 * warps, 1, 1), shared_memory_bytes=0, registers_per_thread=16, cubin="k", params="", buffers=[],
    )  # fmt: skip
    write_folder(folder, launch, code, Listed(trace, warps), xz)
    (file,) = read_kernelslist(folder / "kernelslist.g")
    with lzma.open(file) if xz else file.open("rb") as opened:
        header, _ = read_header(opened, file)
    assert header.launch_grid == grid and header.block_count == len(trace.blocks)
    back = block_trace(read_trace(file), code)
    order = np.arange(len(trace.blocks))
    assert np.array_equal(back.blocks[order], trace.blocks)
    for field in ("first", "index", "mask", "first_access"):
        assert np.array_equal(getattr(back, field), getattr(trace, field)), field
    lanes = (np.repeat(trace.mask, np.array([1, 2, 0, 0])[trace.index])[:, None] >> np.arange(32)) & 1 == 1
    shared_side = np.zeros(len(trace.addresses), bool)
    rows = np.concatenate([[0], np.cumsum(np.array([1, 2, 0, 0])[trace.index])])[:-1]
    shared_side[rows[trace.index == 1]] = True
    kept = lanes & ~shared_side[:, None]
    assert np.array_equal(back.addresses[kept], trace.addresses[kept])
    assert (back.addresses[shared_side] == -1).all()


def test_a_tracer_that_stops_early_leaves_no_folder(tmp_path):
    class Short(Listed):
        block_count = 2

        def __init__(self, trace: BlockTrace, warps: int) -> None:
            super().__init__(trace, warps)
            self.block_count = 2

    trace = BlockTrace(
        np.array([0]), np.array([0, 1]), np.array([3], np.int32), np.array([1], np.uint32), np.array([1], np.uint32),
        np.array([0, 0]), np.zeros((0, 32), np.int64),
    )  # fmt: skip
    launch = Launch(
        format="launch/1", kernel="k", device=Device(name="H200", compute_capability=(9, 0)), grid=(2, 1, 1),
        block=(32, 1, 1), shared_memory_bytes=0, registers_per_thread=16, cubin="k", params="", buffers=[],
    )  # fmt: skip
    with pytest.raises(SsmsimError, match="1 of 2 blocks"):
        write_folder(tmp_path / "out", launch, program(), Short(trace, 1))
    assert list(tmp_path.iterdir()) == []


def test_a_trace_of_other_code_is_refused(tmp_path):
    trace: AccelSimTrace = read_trace(write(tmp_path, GROUPED))
    with pytest.raises(SsmsimError, match="not what the cubin has"):
        block_trace(trace, program(), "k.traceg")


def test_a_lane_that_only_fills_with_zeros_keeps_the_address_that_the_tracer_gives(tmp_path):
    addresses = np.zeros((2, 32), np.int64)
    addresses[1] = 0x7F0000000000 + 4 * np.arange(32)
    addresses[1, 5:9] = ~addresses[1, 5:9]
    lanes = np.array([0xFFFFFFFF] * 2, np.uint32)
    trace = BlockTrace(
        np.array([0]), np.array([0, 2]), np.array([1, 3], np.int32), lanes, lanes, np.array([0, 2]), addresses
    )
    launch = Launch(
        format="launch/1", kernel="k", device=Device(name="H200", compute_capability=(9, 0)), grid=(1, 1, 1),
        block=(32, 1, 1), shared_memory_bytes=0, registers_per_thread=16, cubin="k", params="", buffers=[],
    )  # fmt: skip
    out = io.BytesIO()
    write_stream(out, launch, program(), Listed(trace, 1))
    assert b"LDGSTS.E 2 R7 R8 4 1 0x7f0000000000 4 0 \n" in out.getvalue()


def test_spread_blocks_cover_the_grid():
    assert spread(10, 4) == [0, 2, 5, 7]
    assert spread(3, 8) == [0, 1, 2]


@pytest.mark.parametrize("xz", [False, True])
def test_the_command_writes_a_folder_that_reads_back_as_the_emulated_stream(tmp_path, xz):
    folder = ORACLE[2]
    told = CliRunner().invoke(
        build_app(), ["trace", str(folder), "-o", str(tmp_path / "out"), "--blocks", "5", *(["--xz"] if xz else [])]
    )
    assert told.exit_code == 0, told.output
    (file,) = read_kernelslist(tmp_path / "out" / "kernelslist.g")
    launch = read_launch(folder)
    trace = read_trace(file)
    order = spread(launch.blocks, 5)
    assert trace.blocks.tolist() == order and trace.header.grid == (5, 1, 1)
    assert trace.header.launch_grid == launch.grid
    code = decode_launch(launch).program
    wanted = open_tracer("emulated").blocks(launch, code, order)
    index = np.concatenate([batch.index for batch in iter(lambda: wanted.next_blocks(8), None)])
    assert np.array_equal(block_trace(trace, code).index, index)


def test_the_command_leaves_nothing_when_the_launch_is_bad(tmp_path):
    told = CliRunner().invoke(build_app(), ["trace", str(tmp_path / "none"), "-o", str(tmp_path / "out")])
    assert isinstance(told.exception, SsmsimError) and not (tmp_path / "out").exists()
