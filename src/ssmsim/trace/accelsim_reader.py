"""Reader of Accel-Sim's trace files: whole files, or grouped ones block by block in bounded memory."""

import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.trace import accelsim_scan as scan
from ssmsim.trace.accelsim_format import RECAPTURE, Header, damaged, is_raw, open_bytes, read_header

CHUNK_BYTES = 1 << 24
MAX_BLOCK_BYTES = 1 << 29  # of one thread block's text, and of a whole .trace: what a small xz file can expand to
LAST_OPCODES = ("EXIT", "KILL", "BPT", "RET")
_END_OF_BLOCK = b"#END_TB\n"


@dataclass(frozen=True)
class AccelSimTrace:
    """What the warps of some thread blocks executed, as a trace file tells it.

    header:       of the kernel.
    opcodes:      full names, indexed by `opcode`.
    blocks:       int64[B]     linear ids in the launch's own grid, x fastest, in file order (.trace: ascending).
    first:        int64[B*W+1] warp w of block b owns instructions first[b*W+w] to first[b*W+w+1].
    pc, opcode, immediate, width, line: int64[N]; width 0: no memory operand; line: 1-based, in the file.
    mask:         uint32[N]    active and guard; the format does not tell them apart.
    registers:    int64[N, 6]  destination, then up to 5 sources, as the tracer lists them; RZ is 255, -1 is none.
    rows:         int64[N]     rows of `addresses` that the instruction owns (LDGSTS in a .trace: 2, else 0 or 1).
    first_access: int64[B*W+1] the same partition of `addresses`.
    addresses:    int64[M, 32] byte address per lane, 0 in lanes outside the mask. LDGSTS: shared row, then global
                  row; a .traceg keeps the global row alone.
    """

    header: Header
    opcodes: tuple[str, ...]
    blocks: np.ndarray
    first: np.ndarray
    pc: np.ndarray
    opcode: np.ndarray
    mask: np.ndarray
    registers: np.ndarray
    width: np.ndarray
    immediate: np.ndarray
    line: np.ndarray
    rows: np.ndarray
    first_access: np.ndarray
    addresses: np.ndarray


def read_trace(path: Path | str) -> AccelSimTrace:
    """A whole .trace or .traceg, plain or .xz. Raises SsmsimError with file and line on any fault or cut."""
    path = Path(path)
    if not is_raw(path):
        parts = list(grouped_blocks(path, 1 << 30))
        return parts[0]
    with open_bytes(path) as stream:
        header, line = read_header(stream, path)
        text = _read(stream, path, MAX_BLOCK_BYTES)
        if len(text) == MAX_BLOCK_BYTES:
            raise SsmsimError(f"more than {MAX_BLOCK_BYTES >> 20} MB of text", path, "group it by block (.traceg)")
    records, addresses, opcodes = _scan(text, line + 1, header, True, path)
    return _assemble(header, records, addresses, opcodes, True, path, header.block_count)


def grouped_blocks(path: Path | str, count: int) -> Iterator[AccelSimTrace]:
    """The blocks of a .traceg in batches of `count`, in file order, in memory that the batch bounds."""
    path = Path(path)
    with open_bytes(path) as stream:
        header, line = read_header(stream, path)
        line += 1
        rest = b""
        done = 0
        while done < header.block_count:
            wanted = min(count, header.block_count - done)
            text, rest = _take_blocks(stream, path, rest, wanted, header, done)
            records, addresses, opcodes = _scan(text, line, header, False, path)
            yield _assemble(header, records, addresses, opcodes, False, path, wanted)
            line += text.count(b"\n")
            done += wanted
        rest += _read(stream, path, CHUNK_BYTES)
        if rest.strip():
            raise SsmsimError(
                f"more thread blocks than the grid {header.grid} has", f"{path}:{line}", "mend 'grid dim' in the header"
            )


def _take_blocks(
    stream: IO[bytes], path: Path, rest: bytes, wanted: int, header: Header, done: int
) -> tuple[bytes, bytes]:
    """(text of the next `wanted` blocks, what was read beyond it)."""
    text, found = bytearray(rest), rest.count(_END_OF_BLOCK)
    ended = 0
    while found < wanted:
        if len(text) - ended > MAX_BLOCK_BYTES:
            raise SsmsimError(f"no #END_TB in {MAX_BLOCK_BYTES >> 20} MB of text", path, RECAPTURE)
        piece = _read(stream, path, CHUNK_BYTES)
        if not piece:
            raise SsmsimError(
                f"cut: {done + found} of {header.block_count} thread blocks end with #END_TB", path, RECAPTURE
            )
        seam = max(0, len(text) - len(_END_OF_BLOCK) + 1)  # a marker may lie across the pieces
        text += piece
        found += text.count(_END_OF_BLOCK, seam)
        ended = max(ended, text.rfind(_END_OF_BLOCK, seam))
    end = 0
    for _ in range(wanted):
        end = text.index(_END_OF_BLOCK, end) + len(_END_OF_BLOCK)
    return bytes(text[:end]), bytes(text[end:])


def _read(stream: IO[bytes], path: Path, size: int) -> bytes:
    try:
        return stream.read(size)
    except (lzma.LZMAError, EOFError) as error:
        raise damaged(path, error) from None


def _scan(text: bytes, line: int, header: Header, raw: bool, path: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """(records int64[N, COLUMNS], addresses int64[M, 32], opcode names) of the lines of `text`."""
    data = np.frombuffer(text, np.uint8)
    records = np.empty((text.count(b"\n") + 1, scan.COLUMNS), np.int64)
    addresses = np.zeros((0, 0), np.int64)
    grid = np.array(header.launch_grid, np.int64)
    for _ in range(2):  # once to check and count, once to keep the addresses
        tables = scan.opcode_tables()
        error, where, count, rows, names = scan.scan(
            data, line, raw, header.version < 3, header.lineinfo, header.version >= 5, grid,
            header.warps_per_block, scan.WORDS, records, addresses, *tables,
        )  # fmt: skip
        if error:
            raise SsmsimError(scan.ERRORS[error], f"{path}:{where}", RECAPTURE)
        if addresses.shape[1] == 32:
            break
        addresses = np.zeros((rows, 32), np.int64)
    _, starts, lengths = tables
    opcodes = [text[starts[i] : starts[i] + lengths[i]].decode("utf-8", "replace") for i in range(names)]
    return records[:count], addresses, opcodes


def _assemble(
    header: Header, records: np.ndarray, addresses: np.ndarray, opcodes: list[str], raw: bool, path: Path, wanted: int
) -> AccelSimTrace:
    """Group by block and warp, join the two lines of each raw LDGSTS, check that every warp is whole."""
    warps = header.warps_per_block
    if raw:
        records = records[np.argsort(records[:, scan.BLOCK] * warps + records[:, scan.WARP], kind="stable")]
    new_block = np.flatnonzero(np.diff(records[:, scan.BLOCK], prepend=-1))
    blocks = records[new_block, scan.BLOCK]
    if len(blocks) != wanted or len(np.unique(blocks)) != wanted:
        raise SsmsimError(
            f"{len(np.unique(blocks))} of {wanted} thread blocks have instructions: cut, or a block comes twice",
            path,
            RECAPTURE,
        )
    ordinal = np.cumsum(np.bincount(new_block, minlength=len(records))) - 1
    keep, rows = _join_ldgsts(records, opcodes, raw, path)
    order = records[:, scan.ROW]
    addresses = addresses[order[order >= 0]] if raw else addresses
    warp_of = (ordinal * warps + records[:, scan.WARP])[keep]
    records = records[keep]
    first = np.searchsorted(warp_of, np.arange(wanted * warps + 1))
    _check_whole(header, records, first, blocks, opcodes, path)
    trace_rows = np.concatenate([[0], np.cumsum(rows)])
    return AccelSimTrace(
        header=header,
        opcodes=tuple(opcodes),
        blocks=blocks,
        first=first,
        pc=records[:, scan.PC].copy(),
        opcode=records[:, scan.OPCODE].copy(),
        mask=records[:, scan.MASK].astype(np.uint32),
        registers=records[:, scan.DESTINATION : scan.SOURCE + scan.MAX_SOURCES].copy(),
        width=records[:, scan.WIDTH].copy(),
        immediate=records[:, scan.IMMEDIATE].copy(),
        line=records[:, scan.LINE].copy(),
        rows=rows,
        first_access=trace_rows[first],
        addresses=addresses,
    )


def _join_ldgsts(records: np.ndarray, opcodes: list[str], raw: bool, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(indices of the records to keep, their address rows): a raw LDGSTS has a shared and a global line."""
    rows = (records[:, scan.ROW] >= 0).astype(np.int64)
    asynchronous = np.array([name.startswith("LDGSTS") for name in opcodes] or [False])
    if not raw or not asynchronous.any():
        return np.arange(len(records)), rows
    pairs = np.flatnonzero(asynchronous[records[:, scan.OPCODE]])
    lower, upper = pairs[0::2], pairs[1::2]
    same = [scan.BLOCK, scan.WARP, scan.PC, scan.MASK]
    matched = len(lower) == len(upper) and bool((records[lower][:, same] == records[upper][:, same]).all())
    if not matched or not (upper == lower + 1).all():
        short = min(len(lower), len(upper))
        wrong = np.flatnonzero((records[lower[:short]][:, same] != records[upper[:short]][:, same]).any(1))
        line = records[lower[wrong[0] if len(wrong) else -1], scan.LINE]
        raise SsmsimError("an LDGSTS without its second line: cut", f"{path}:{line}", RECAPTURE)
    rows[lower] = 2
    keep = np.ones(len(records), bool)
    keep[upper] = False
    return np.flatnonzero(keep), rows[keep]


def _check_whole(
    header: Header, records: np.ndarray, first: np.ndarray, blocks: np.ndarray, opcodes: list[str], path: Path
) -> None:
    warps = header.warps_per_block
    empty = np.flatnonzero(np.diff(first) == 0)
    if len(empty):
        raise SsmsimError(
            f"warp {empty[0] % warps} of block {blocks[empty[0] // warps]} has no instructions: cut", path, RECAPTURE
        )
    last = records[first[1:] - 1]
    ends = np.array([name.split(".")[0] in LAST_OPCODES for name in opcodes])
    wrong = np.flatnonzero(~ends[last[:, scan.OPCODE]])
    if len(wrong):
        bad = last[wrong[0]]
        raise SsmsimError(
            f"warp {bad[scan.WARP]} of block {bad[scan.BLOCK]} ends with {opcodes[bad[scan.OPCODE]]}, not EXIT: cut",
            f"{path}:{bad[scan.LINE]}",
            RECAPTURE,
        )
