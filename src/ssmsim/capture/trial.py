"""A launch tried at capture: some of its blocks are emulated as a replay would, which shows the loads that control hangs on.

Static code cannot tell values apart that pass through shared memory, nor the paths that a launch's parameters choose. The
emulator can. It stops at an address, a mask or a branch that depends on data which nobody recorded, and names the loads.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.capture.buffers import largest
from ssmsim.capture.fields import fields
from ssmsim.capture.recorded import Recorded
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, relative_words, validated
from ssmsim.sass.decode import Code, decode_image, refuse_unsupported
from ssmsim.tracers.emulated.address_space import Outside
from ssmsim.tracers.emulated.cluster import members_of
from ssmsim.tracers.emulated.endless import NeverEnds
from ssmsim.tracers.emulated.execution_driven import ExecutionDriven
from ssmsim.tracers.emulated.run import TooLong
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.emulated.state import OrderWanted
from ssmsim.tracers.emulated.totals import spread
from ssmsim.tracers.emulated.tracing import Tracing
from ssmsim.tracers.emulated.unknown import UnknownData
from ssmsim.tracers.emulated.untimed import run_untimed

BLOCKS = 16  # of a launch: the first, the last and some between
WARPS = 128  # of these blocks: they are emulated side by side, so that some cost little more than one
MOST = (
    1 << 17
)  # instructions of a warp that are tried: loops of products end earlier, those that wait for other blocks never
ROUNDS = 32  # of accesses that blocks wait for: tickets taken, flags polled


@dataclass(frozen=True)
class Tried:
    """loads: (load instruction, number of the buffer it read) whose unrecorded data control hangs on, empty when none.
    outside: addresses that an access named and no buffer holds. refused: why the launch is not replayed, "" when it is or
    loads says what is missing. hopeless: no contents help it. lost: why it could not be tried, "" when it was.
    ran: instructions that some of the blocks executed, every one when all its blocks were tried to their end, in whatever order.
    """

    loads: frozenset[tuple[int, int]] = frozenset()
    outside: frozenset[int] = frozenset()
    refused: str = ""
    hopeless: bool = False
    lost: str = ""
    ran: frozenset[int] = frozenset()


class Trials:
    """Tries launches. Those that differ in the places of their buffers alone are tried once."""

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        """folder: of the capture. facts: of the GPU, launch/1's `device`."""
        self.folder, self.facts = folder, facts
        self._known: dict[str, Tried] = {}

    def run(self, image: bytes, recorded: Recorded, files: Mapping[int, Path]) -> Tried:
        """Of a launch. image: a cubin with its kernel. files: contents so far, by the buffer's address; their names tell
        different contents apart.
        """
        key = key_of(recorded, files)
        exact = placed(key, recorded)
        if key not in self._known and exact not in self._known:
            tried = attempt(image, recorded, files, self.folder, self.facts)
            self._known[exact if tried.outside else key] = tried
        return self._known.get(key) or self._known[exact]


def attempt(image: bytes, recorded: Recorded, files: Mapping[int, Path], folder: Path, facts: dict[str, Any]) -> Tried:
    """Try a launch: nothing but the arguments decides what is found. See Trials for them; of the recorded cubin only
    its hash and names are looked at.
    """
    try:
        launch = _launch(recorded, files, folder, facts)
        code = decode_image(image, recorded.kernel, recorded.kernel, launch)
        return Tried(ran=emulate(code, launch))
    except UnknownData as error:
        loads = frozenset((i, k) for i, at in error.loads for k in _holding(recorded, at))
        return Tried(loads) if loads else Tried(refused=error.what, hopeless=True)
    except Outside as error:
        return Tried(outside=error.addresses, refused=error.what)
    except SsmsimError as error:
        return Tried(refused=error.what)
    except Exception as error:  # a capture goes on; the launch says why its contents are missing
        return Tried(refused=f"{type(error).__name__}: {error}")


def _launch(recorded: Recorded, files: Mapping[int, Path], folder: Path, facts: dict[str, Any]) -> Launch:
    """As it will be written, but for the places of its files."""

    def place(file: str) -> str:
        return str((folder / file.removeprefix("../")).absolute())

    sizes, there = largest(recorded.buffers), {at: str(file.absolute()) for at, file in files.items()}
    buffers = [
        {k: v for k, v in b.items() if k != "recipe"}
        | {"contents": there.get(b["address"]) if "recipe" in b or b["bytes"] == sizes[b["address"]] else None}
        for b in recorded.buffers
    ]
    return validated(fields(recorded, facts, "tried.cubin", buffers, folder, place), recorded.kernel)


def emulate(code: Code, launch: Launch, blocks: int = 0) -> frozenset[int]:
    """Run blocks (0: BLOCKS, or as many as have WARPS), spread over a launch, as a replay would. UnknownData where control
    hangs on data that are not recorded; SsmsimError where a replay is refused for another reason. Ends with what is found
    when a warp has executed MOST, or waits for a block that is not tried. Returns Tried's `ran`.
    """
    refuse_unsupported(code)
    blocks = blocks or max(3, min(BLOCKS, WARPS // launch.warps_per_block))
    order = spread(launch.blocks, blocks)
    tracing = Tracing(code, launch, MOST)
    tracing.one_order = False
    source, ran = EmulatedBlocks(launch, order, code, tracing, blocks), set[int]()
    try:
        if tracing.hangs_on_time:
            raise OrderWanted
        while (trace := source.next_blocks(1 << 10)) is not None:
            ran.update(np.unique(trace.index).tolist())
    except OrderWanted:
        _by_rounds(code, launch, blocks, ran)
    except TooLong:
        pass
    except NeverEnds:
        if order is None:
            raise
    else:
        if launch.blocks <= blocks:
            return frozenset(range(len(code.instructions)))
    return frozenset(ran)


def _by_rounds(code: Code, launch: Launch, blocks: int, ran: set[int]) -> None:
    """emulate() of a launch whose control hangs on the order of accesses: its first blocks, without the time of an engine.

    ran: instructions that were executed, added to.
    """
    first = members_of(launch, np.arange(min(blocks, launch.blocks)))
    try:
        for pieces in run_untimed(ExecutionDriven(code, launch, most=MOST), first, ROUNDS):
            ran.update(np.unique(pieces.index).tolist())
    except TooLong:
        return


def _holding(recorded: Recorded, address: int) -> list[int]:
    """Numbers of the buffers that an allocation at an address holds or is held by."""
    return [k for k, b in enumerate(recorded.buffers) if b["address"] <= address < b["address"] + b["bytes"]]


def key_of(recorded: Recorded, files: Mapping[int, Path]) -> str:
    """What decides a trial: the code, the geometry, the parameters up to where buffers lie, and what is recorded."""
    words = relative_words(recorded.params, [(b["address"], b["bytes"]) for b in recorded.buffers])
    names = {at: file.name for at, file in files.items()}
    buffers = [(b["bytes"], b["address"] % 512, names.get(b["address"])) for b in recorded.buffers]
    variables = [(v.name, v.size, v.data) for v in recorded.variables]
    shape = (
        recorded.grid,
        recorded.block,
        recorded.cluster,
        recorded.shared,
        recorded.explicit_cluster,
        recorded.cooperative,
    )
    said = repr((recorded.cubin.sha256, recorded.kernel, shape, words, buffers, variables))
    return hashlib.sha256(said.encode()).hexdigest()


def placed(key: str, recorded: Recorded) -> str:
    """A key that tells launches apart whose buffers lie in other places, too."""
    return f"{key} {[b['address'] for b in recorded.buffers]}"
