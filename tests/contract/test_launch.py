"""launch/1: what is committed reads back, and what is wrong is refused in one line that names it."""

import json
import shutil
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from ssmsim.elf_attributes import kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch

ROOT = Path(__file__).parents[2]
TRACES = ROOT / "traces" / "h200"
SMALL = ROOT / "tests" / "data" / "captures"
FOLDERS = sorted(file.parent for root in (TRACES, SMALL) for file in root.glob("*/*/launch.json"))


def words(launch: Launch, count: int, offset: int = 0) -> tuple[int, ...]:
    return struct.unpack_from(f"<{count}i", launch.param_bytes, offset)


def test_there_are_the_three_workloads_and_the_held_out_ones():
    counted = {name: sum(folder.parent.name == name for folder in FOLDERS) for name in {f.parent.name for f in FOLDERS}}
    assert counted["mamba2-2.7b"] == counted["mamba2-8b"] == counted["mamba2-780m-holdout"] == 40
    assert counted["mamba1-2.8b"] == counted["mamba1-790m-holdout"] == 9
    assert counted["mamba2-wide-holdout"] == 19  # of its own kernels alone


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_committed_launch_is_whole(folder: Path):
    launch = read_launch(folder)
    info = kernel_info(launch.cubin_path.read_bytes(), launch.kernel)
    assert info.param_base == 0x210
    assert [at for at, _ in info.params] == sorted(at for at, _ in info.params)
    for buffer in launch.buffers:
        assert buffer.address <= buffer.passed < buffer.address + buffer.bytes


def test_parameters_of_chunk_scan_decode_to_the_workload_shape():
    launch = read_launch(TRACES / "mamba2-2.7b" / "04-chunk_scan_fwd_kernel")
    assert struct.unpack_from("<8Q", launch.param_bytes) == tuple(b.passed for b in launch.buffers)
    assert [b.name for b in launch.buffers] == [
        "cb_ptr", "x_ptr", "out_ptr", "dt_ptr", "dA_cumsum_ptr", "C_ptr", "prev_states_ptr", "D_ptr",
    ]  # fmt: skip
    chunk, head_dim, state, batch, seqlen, ratio = words(launch, 6, 64)
    assert (chunk, head_dim, state, batch, seqlen, ratio) == (256, 64, 128, 8, 2048, 80)
    by_name = {b.name: b for b in launch.buffers}
    assert by_name["x_ptr"].shape == (8, 2048, 80, 64)
    strides = words(launch, (len(launch.param_bytes) - 88) // 4, 88)
    cb, x = by_name["cb_ptr"].stride, by_name["x_ptr"].stride
    assert strides[:4] == cb[:4], "cb: batch, chunk, head, row (the last stride is 1 and compiled in)"
    assert x[:3] == (10485760, 5120, 64) and strides[4:7] == x[:3]


def test_parameters_of_selective_scan_decode_to_the_workload_shape():
    launch = read_launch(TRACES / "mamba1-2.8b" / "00-selective_scan_fwd_kernel")
    batch, inner, seqlen, state, groups, chunks, ratio = words(launch, 7)
    assert (batch, inner, seqlen, state, groups, chunks, ratio) == (8, 5120, 2048, 16, 1, 1, 5120)
    assert launch.param_bytes[28:31] == b"\1\1\1", "B and C vary with time, delta goes through softplus"
    by_name = {b.name: b for b in launch.buffers}
    strides = struct.unpack_from("<20Q", launch.param_bytes, 32)
    assert strides[:2] == by_name["A_ptr"].stride and strides[10:12] == by_name["u_ptr"].stride[:2]
    pointers = struct.unpack_from("<11Q", launch.param_bytes, 192)
    names = ("A", "B", "C", "D", "u", "delta", "delta_bias", "out", "x", "z", "out_z")
    assert pointers == tuple(by_name[f"{name}_ptr"].passed for name in names)
    assert launch.grid == (8, 5120, 1)


def test_launches_with_data_dependent_branches_have_their_contents():
    for folder in TRACES.glob("mamba1*/*selective_scan*"):
        launch = read_launch(folder)
        have = {b.name for b in launch.buffers if b.contents}
        assert {"delta_ptr", "delta_bias_ptr", "A_ptr", "B_ptr", "C_ptr", "u_ptr", "z_ptr"} <= have


@pytest.fixture
def launch_folder(tmp_path: Path) -> Path:
    source = SMALL / "ssd-small" / "04-chunk_scan_fwd_kernel"
    shutil.copytree(source.parent, tmp_path / "capture", ignore=shutil.ignore_patterns("outputs"))
    return tmp_path / "capture" / source.name


def edit(folder: Path, **changes: object) -> None:
    data = json.loads((folder / "launch.json").read_text())
    for key, value in changes.items():
        if value is None:
            del data[key]
        else:
            data[key] = value
    (folder / "launch.json").write_text(json.dumps(data))


def refused(folder: Path, *needles: str) -> None:
    with pytest.raises(SsmsimError) as caught:
        read_launch(folder)
    text = str(caught.value)
    assert "\n" not in text and caught.value.todo
    for needle in needles:
        assert needle in text


@pytest.mark.parametrize("field", ["kernel", "grid", "block", "params", "cubin", "registers_per_thread", "buffers"])
def test_missing_field(launch_folder: Path, field: str):
    edit(launch_folder, **{field: None})
    refused(launch_folder, "launch.json", field)


def test_misspelt_field(launch_folder: Path):
    edit(launch_folder, clusters=[2, 1, 1])
    refused(launch_folder, "unknown field clusters", "did you mean cluster?")


def test_unknown_field_is_kept(launch_folder: Path):
    edit(launch_folder, remark="kept")
    launch = read_launch(launch_folder)
    launch.write(launch_folder)
    assert json.loads((launch_folder / "launch.json").read_text())["remark"] == "kept"


@pytest.mark.parametrize(
    ("changes", "needle"),
    [
        ({"format": "launch/2"}, "format"),
        ({"grid": [0, 1, 1]}, "below 1"),
        ({"block": [2048, 1, 1]}, "1024"),
        ({"grid": [3, 1, 1], "cluster": [2, 1, 1]}, "multiple of cluster"),
        ({"params": "zz"}, "hexadecimal"),
        ({"registers_per_thread": 16}, "registers_per_thread"),
        ({"kernel": "_other_kernel"}, "_other_kernel"),
        ({"cubin": "../cubins/none.cubin"}, "none.cubin"),
        ({"buffers": [{"name": "x", "address": 1 << 44, "bytes": 8}]}, "not among the parameters"),
        ({"buffers": [{"name": "x", "address": 4096, "bytes": 8, "pointer": 9999}]}, "outside the allocation"),
    ],
)
def test_contradicting_field(launch_folder: Path, changes: dict, needle: str):
    edit(launch_folder, **changes)
    refused(launch_folder, needle)


def test_parameter_buffer_of_another_length(launch_folder: Path):
    edit(launch_folder, params=read_launch(launch_folder).params + "00000000")
    refused(launch_folder, "field params", "bytes where the cubin's kernel has")


@pytest.mark.parametrize("keep", [0, 3, 64, 400, 20000])
def test_truncated_cubin(launch_folder: Path, keep: int):
    path = read_launch(launch_folder).cubin_path
    path.write_bytes(path.read_bytes()[:keep])
    refused(launch_folder, path.name, "cubin")


def test_cubin_that_is_no_cubin(launch_folder: Path):
    read_launch(launch_folder).cubin_path.write_bytes(Path("/bin/sh").resolve().read_bytes())
    refused(launch_folder, "not CUDA")


def test_not_json(launch_folder: Path):
    (launch_folder / "launch.json").write_text('{"format": "launch/1",')
    refused(launch_folder, "not JSON")
    (launch_folder / "launch.json").write_bytes(b"\xff\xfe\x00")
    refused(launch_folder, "not UTF-8 text")


def test_no_launch_folder(tmp_path: Path):
    refused(tmp_path, "no launch.json")


def reread(folder: Path, **changes: object) -> Launch:
    edit(folder, **changes)
    return read_launch(folder)


@pytest.mark.parametrize(("fields", "message"), [
    ({"grid": [1, 70000, 1]}, r"grid .* has 70000 in y, no GPU launches more than 65535"),
    ({"grid": [1, 1, 65536]}, r"grid .* has 65536 in z"),
    ({"grid": [2**31, 1, 1]}, r"grid .* in x, no GPU launches more than 2147483647"),
    ({"block": [1, 1, 128]}, r"block .* has 128 in z, no GPU launches more than 64"),
    ({"block": [2048, 1, 1]}, r"block .* has 2048 in x"),
    ({"block": [32, 64, 1]}, r"has 2048 threads, the hardware allows 1024"),
    ({"shared_memory_bytes": 232449}, r"232449 bytes of shared memory per block, the hardware has 232448"),
    ({"block": [1024, 1, 1]}, r"1024 threads of \d+ registers do not fit the register file"),
    ({"cluster": [32, 1, 1]}, r"cluster .* has more than 16 blocks"),
    ({"params": "00" * 32768}, r"params hold 32768 bytes, CUDA allows 32764"),
    ({"registers_per_thread": 256}, r"registers_per_thread"),
    ({"cubin_sha256": "0" * 64}, r"the cubin's code is not what was captured"),
])  # fmt: skip
def test_what_no_gpu_launches_is_refused(launch_folder: Path, fields: dict, message: str):
    with pytest.raises(SsmsimError, match=message):
        reread(launch_folder, **fields)


def test_a_flipped_bit_of_the_code_is_told(launch_folder: Path):
    launch = read_launch(launch_folder)
    image = bytearray(launch.cubin_path.read_bytes())
    at = image.index(code_of(launch))
    image[at + 100] ^= 4
    launch.cubin_path.write_bytes(image)
    with pytest.raises(SsmsimError, match=r"cubin: the cubin's code is not what was captured"):
        read_launch(launch_folder)


def code_of(launch: Launch) -> bytes:
    with launch.cubin_path.open("rb") as file:
        return ELFFile(file).get_section_by_name(f".text.{launch.kernel}").data()


@pytest.mark.parametrize("text", ['{"grid": ' + "9" * 5000 + "}", "[" * 100000, "{", "\udcff", "[]", "null"],
                         ids=["digits", "nested", "open", "bytes", "list", "null"])  # fmt: skip
def test_what_is_no_launch_at_all_is_one_line(launch_folder: Path, text: str):
    (launch_folder / "launch.json").write_text(text, errors="surrogateescape")
    with pytest.raises(SsmsimError, match=r"launch\.json(:1)?: "):
        read_launch(launch_folder)


@pytest.mark.parametrize("fields", [{"cubin": "a" * 5000}, {"cubin": "/proc/self/mem"}, {"cubin": "."}])
def test_files_that_cannot_be_read_are_one_line(launch_folder: Path, fields: dict):
    with pytest.raises(SsmsimError, match="cubin"):
        reread(launch_folder, **fields)


@pytest.mark.parametrize("field", ["address", "bytes", "pointer"])
def test_a_buffer_beyond_the_address_space_is_refused(launch_folder: Path, field: str):
    buffers = json.loads((launch_folder / "launch.json").read_text())["buffers"]
    buffers[0][field] = 2**64
    with pytest.raises(SsmsimError, match=rf"buffers\.0\.{field}"):
        reread(launch_folder, buffers=buffers)


def test_a_byte_order_mark_is_passed_over(launch_folder: Path):
    file = launch_folder / "launch.json"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_launch(launch_folder).grid
