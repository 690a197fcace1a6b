"""Blocks from a trace that Accel-Sim's NVBit tracer took on a GPU, kept beside the launch.

The format does not tell lanes that were switched off by a guard from lanes that had not arrived, so `active` equals
`mask`. What it does not hold is -1: the descriptors of an HGMMA, and in a grouped file the shared side of an LDGSTS.
Where the capture's nvbit.json says how far the tracer's run had the buffers from the launch's, addresses are the launch's.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, refuse_clusters
from ssmsim.trace.accelsim_format import is_raw
from ssmsim.trace.accelsim_reader import AccelSimTrace, grouped_blocks, read_trace
from ssmsim.trace.moved import Move, moved_back
from ssmsim.trace.types import BlockTrace, Program

MANIFEST = "nvbit.json"
NAMES = ("nvbit.traceg.xz", "nvbit.traceg", "nvbit.trace.xz", "nvbit.trace")
UNKNOWN = -1
BATCH_BLOCKS = 8


def trace_file(launch: Launch) -> Path:
    """The trace beside a launch. SsmsimError when there is none, or the launch is one of clusters."""
    refuse_clusters(launch)
    for name in NAMES:
        if (launch.folder / name).is_file():
            return launch.folder / name
    raise SsmsimError(
        f"no trace ({' or '.join(NAMES)})", launch.folder, "take one by `ssmsim capture --tracer nvbit`, or emulate"
    )


def moves_of(launch: Launch) -> list[Move]:
    """How the traced run had this launch's buffers, as the capture's nvbit.json says; none when it says nothing."""
    file = launch.folder.parent / MANIFEST
    if not file.is_file():
        return []
    try:
        told = json.loads(file.read_text())["traces"].get(launch.folder.name, {}).get("moved") or []
        return [Move(**move) for move in told]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SsmsimError(
            f"not a manifest of traces: {error}", file, "run `ssmsim capture --tracer nvbit` again"
        ) from None


def read_blocks(launch: Launch, program: Program) -> BlockTrace:
    """The whole trace beside a launch, in the launch's addresses."""
    path = trace_file(launch)
    return moved_back(block_trace(read_trace(path), program, path), moves_of(launch))


def block_trace(trace: AccelSimTrace, program: Program, path: Path | str = "") -> BlockTrace:
    """The same stream in terms of a program's instructions. SsmsimError when the trace is of other code."""
    records = program.instructions
    index = np.searchsorted(records["pc"], trace.pc)
    known = index < len(records)
    index[~known] = 0
    known &= records["pc"][index] == trace.pc
    number = {name: i for i, name in enumerate(program.opcodes)}
    opcode = np.array([number.get(name, UNKNOWN) for name in trace.opcodes], np.int64)[trace.opcode]
    needed = records["accesses"][index]
    wrong = np.flatnonzero(~known | (records["opcode"][index] != opcode) | (trace.rows > needed))
    if len(wrong):
        i = wrong[0]
        raise SsmsimError(
            f"{trace.opcodes[trace.opcode[i]]} at PC {int(trace.pc[i]):#06x} is not what the cubin has there",
            f"{path}:{int(trace.line[i])}",
            "trace and cubin must come from the same launch",
        )
    ends = np.concatenate([[0], np.cumsum(needed)])
    addresses = np.full((ends[-1], 32), UNKNOWN, np.int64)
    # the rows that the trace has are the last of each instruction: an LDGSTS alone has its global row
    rows = np.repeat(ends[1:] - trace.rows - np.concatenate([[0], np.cumsum(trace.rows)])[:-1], trace.rows)
    addresses[rows + np.arange(len(rows))] = trace.addresses
    return BlockTrace(
        trace.blocks, trace.first, index.astype(np.int32), trace.mask, trace.mask, ends[trace.first], addresses
    )


class NvbitSource:
    """BlockSource over a trace file: grouped ones stream, raw ones and chosen orders are read whole."""

    def __init__(self, launch: Launch, program: Program, order: Sequence[int] | None) -> None:
        path = trace_file(launch)
        self.warps_per_block = launch.warps_per_block
        self.block_count = launch.blocks if order is None else len(order)
        self._path, self._program, self._launch = path, program, launch
        self._moves = moves_of(launch)
        self._batches = self._stream() if order is None and not is_raw(path) else self._chosen(order)
        self._kept: list[BlockTrace] = []

    def next_blocks(self, count: int) -> BlockTrace | None:
        """Batches are of BATCH_BLOCKS or fewer, whatever more is asked for."""
        if not self._kept:
            batch = next(self._batches, None)
            if batch is None:
                return None
            self._kept = [batch]
        batch = self._kept.pop()
        if len(batch.blocks) > count:
            self._kept = [select(batch, np.arange(count, len(batch.blocks)), self.warps_per_block)]
            batch = select(batch, np.arange(count), self.warps_per_block)
        return batch

    def _stream(self) -> Iterator[BlockTrace]:
        for trace in grouped_blocks(self._path, BATCH_BLOCKS):
            yield moved_back(block_trace(trace, self._program, self._path), self._moves)

    def _chosen(self, order: Sequence[int] | None) -> Iterator[BlockTrace]:
        whole = read_blocks(self._launch, self._program)
        place = {int(block): i for i, block in enumerate(whole.blocks)}
        wanted = list(place) if order is None else list(order)
        missing = [block for block in wanted if block not in place]
        if missing:
            raise SsmsimError(f"block {missing[0]} is not in the trace", self._path, f"it holds {len(place)} blocks")
        for start in range(0, len(wanted), BATCH_BLOCKS):
            chosen = np.array([place[block] for block in wanted[start : start + BATCH_BLOCKS]])
            yield select(whole, chosen, self.warps_per_block)


def select(trace: BlockTrace, chosen: np.ndarray, warps: int) -> BlockTrace:
    """Some blocks of a batch, by their places in it, in that order."""
    first, instructions = _gather(trace.first, chosen, warps)
    first_access, rows = _gather(trace.first_access, chosen, warps)
    return BlockTrace(
        trace.blocks[chosen], first, trace.index[instructions], trace.mask[instructions], trace.active[instructions],
        first_access, trace.addresses[rows],
    )  # fmt: skip


def _gather(first: np.ndarray, chosen: np.ndarray, warps: int) -> tuple[np.ndarray, np.ndarray]:
    """(new partition, indices to take) for the warps of the chosen blocks."""
    which = (chosen[:, None] * warps + np.arange(warps)).ravel()
    lengths = first[which + 1] - first[which]
    new = np.concatenate([[0], np.cumsum(lengths)])
    return new, np.repeat(first[which] - new[:-1], lengths) + np.arange(new[-1])


class NvbitTracer:
    def blocks(self, launch: Launch, program: Program, order: Sequence[int] | None = None) -> NvbitSource:
        return NvbitSource(launch, program, order)


TRACER = NvbitTracer()
