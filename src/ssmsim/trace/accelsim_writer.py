"""Writer of Accel-Sim's trace files: a folder with kernelslist.g and kernel-1.traceg, or a stream, block by block."""

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.files import whole_folder
from ssmsim.launch import Dim3, Launch, refuse_clusters
from ssmsim.trace import accelsim_print as text
from ssmsim.trace.accelsim_format import Header, header_of, is_raw
from ssmsim.trace.accelsim_operands import LineTable, Listed, line_table, listed_instructions
from ssmsim.trace.accelsim_reader import AccelSimTrace, grouped_blocks, read_trace
from ssmsim.trace.types import BlockSource, BlockTrace, Program

BATCH_BLOCKS = 8
LIST, KERNEL = "kernelslist.g", "kernel-1.traceg"
FOLDER = "Accel-Sim trace"  # format, see ssmsim.files


@dataclass(frozen=True)
class Written:
    """What went out. bytes: of text, before any compression. lanes: set bits of all masks.

    copies, copy_lanes: of these, LDGSTS with a lane at least.
    """

    bytes: int
    blocks: int
    instructions: int
    lanes: int
    copies: int
    copy_lanes: int


def write_folder(
    folder: Path | str, launch: Launch, program: Program, source: BlockSource, xz: bool = False
) -> Written:
    """kernelslist.g and the trace of all blocks of `source`; the folder is whole or absent.

    A source with fewer blocks than the launch gives a file whose grid is (blocks, 1, 1): Accel-Sim pulls one block of
    the file for every block of the grid, in file order, whatever its id. A header line keeps the launch's grid.
    """
    refuse_clusters(launch)
    name = KERNEL + (".xz" if xz else "")
    with whole_folder(folder, FOLDER, launch.inputs) as temporary:
        (temporary / LIST).write_text(name + "\n")
        with lzma.open(temporary / name, "wb", preset=1) if xz else (temporary / name).open("wb") as out:
            return write_stream(out, launch, program, source)


def write_stream(
    out: IO[bytes],
    launch: Launch,
    program: Program,
    source: BlockSource,
    progress: Callable[[int], None] | None = None,
) -> Written:
    """Header and blocks as .traceg text into `out`, a batch at a time; progress is told the blocks done."""
    table = line_table(program.instructions["pc"], listed_instructions(program))
    accesses = np.ascontiguousarray(program.instructions["accesses"])
    _check_opcodes(program, table.has_memory & (accesses == 0))
    header = header_of(launch, source.block_count)
    size = out.write(_opening(header))
    asynchronous = np.array([name.startswith("LDGSTS") for name in program.opcodes])[program.instructions["opcode"]]
    blocks = instructions = lanes = copies = copy_lanes = 0
    while (trace := source.next_blocks(BATCH_BLOCKS)) is not None:
        size += out.write(print_trace(trace, header.launch_grid, header.warps_per_block, table, accesses))
        blocks += len(trace.blocks)
        instructions += len(trace.index)
        copied = trace.mask[asynchronous[trace.index]]
        lanes += int(np.bitwise_count(trace.mask).sum())
        copies += int(np.count_nonzero(copied))
        copy_lanes += int(np.bitwise_count(copied).sum())
        if progress is not None:
            progress(blocks)
    if blocks != source.block_count:
        raise SsmsimError(f"the tracer gave {blocks} of {source.block_count} blocks", launch.folder)
    return Written(size, blocks, instructions, lanes, copies, copy_lanes)


def spread(blocks: int, count: int) -> list[int]:
    """`count` linear block ids (all when there are fewer), evenly spread over a grid of `blocks`, ascending."""
    count = min(count, blocks)
    return [place * blocks // count for place in range(count)]


def print_trace(trace: BlockTrace, grid: Dim3, warps: int, table: LineTable, accesses: np.ndarray) -> memoryview:
    """Text of the blocks of a batch, each from its blank line before #BEGIN_TB to #END_TB."""
    ids = np.stack(np.unravel_index(trace.blocks, grid, order="F"), axis=1).astype(np.int64)
    lengths = (table.bounds[:, 3] - table.bounds[:, 0])[trace.index]
    room = int(lengths.sum()) + 8 * len(trace.index) + text.MAX_ADDRESS_BYTES * len(trace.addresses)
    out = np.empty(room + 128 * (len(trace.first) + 1), np.uint8)
    used = text.print_blocks(
        out, ids, text.WORDS, warps, trace.first, trace.index, trace.mask, trace.first_access, accesses,
        trace.addresses, table.pieces, table.bounds, table.has_memory,
    )  # fmt: skip
    return out[:used].data


def _opening(header: Header) -> bytes:
    # one more blank line, as the post-processing of the tracer's files leaves it
    return (header.text() + "\n").encode()


def _check_opcodes(program: Program, addressless: np.ndarray) -> None:
    """Refuse what version 5 has no place for, and memory operands whose addresses no tracer gives."""
    for place, number in enumerate(program.instructions["opcode"]):
        name = program.opcodes[number]
        where = f"{program.kernel} PC {int(program.instructions['pc'][place]):#06x}"
        if name.startswith(("UTMA", "UBLK", "SYNCS")):
            raise SsmsimError(
                f"{name} needs the register values of trace version 6, which is not written",
                where,
                "replay this kernel with the embedded engine",
            )
        if addressless[place]:
            raise SsmsimError(f"{name} has a memory operand and no addresses", where, "replay the tracer's own files")


def regroup(trace: AccelSimTrace, out: IO[bytes]) -> None:
    """Write a trace that was read, raw or grouped, as .traceg text: what the tracer's post-processing does."""
    out.write(_opening(trace.header))
    out.write(_print_read(trace))


def copy_stream(out: IO[bytes], path: Path, header: Header, opcodes: set[str]) -> Written:
    """A trace file as .traceg text under another header, grouped ones batch by batch; adds to `opcodes`."""
    size = out.write(_opening(header))
    blocks = instructions = lanes = copies = copy_lanes = 0
    for trace in [read_trace(path)] if is_raw(path) else grouped_blocks(path, BATCH_BLOCKS):
        size += out.write(_print_read(trace))
        opcodes.update(trace.opcodes)
        copied = trace.mask[np.array([name.startswith("LDGSTS") for name in trace.opcodes])[trace.opcode]]
        blocks += len(trace.blocks)
        instructions += len(trace.pc)
        lanes += int(np.bitwise_count(trace.mask).sum())
        copies += int(np.count_nonzero(copied))
        copy_lanes += int(np.bitwise_count(copied).sum())
    return Written(size, blocks, instructions, lanes, copies, copy_lanes)


def _print_read(trace: AccelSimTrace) -> memoryview:
    pcs, where, index = np.unique(trace.pc, return_index=True, return_inverse=True)
    items = [
        Listed(
            trace.opcodes[trace.opcode[i]],
            int(trace.registers[i, 0]),
            tuple(int(number) for number in trace.registers[i, 1:] if number >= 0),
            int(trace.width[i]),
            int(trace.immediate[i]),
        )
        for i in where
    ]
    whole = BlockTrace(
        trace.blocks, trace.first, index.astype(np.int32), trace.mask, trace.mask, trace.first_access, trace.addresses
    )
    grid, warps = trace.header.launch_grid, trace.header.warps_per_block
    return print_trace(whole, grid, warps, line_table(pcs, items), trace.rows[where])
