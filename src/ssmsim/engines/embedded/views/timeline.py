"""Time line of a run in Chrome's trace format (chrome://tracing, ui.perfetto.dev); one microsecond stands for a cycle.

One SM: a track per warp slot with a slice per instruction, from its issue to the warp's next one, that names what the
next one waited for; counters of lines and stores in flight and of queued memory instructions. The whole GPU: a track
per block slot. The engine knows nothing of it: the loop is paused after every cycle and looked at, so a run without a
time line costs nothing, and one with it is slow.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.architecture import SUBCORES
from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded.state.machine import State
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.trace.types import Program

STRIDE = 64  # cycles between two looks at the whole GPU: blocks note their own times


class Timeline:
    """Collects the events of one SM (its number) or, with sm None, of all blocks."""

    def __init__(self, sm: int | None, program: Program, state: State) -> None:
        if sm is not None and not 0 <= sm < len(state.sms):
            raise SsmsimError(f"no SM {sm}", "timeline", f"name one of 0 to {len(state.sms) - 1}, or all of them")
        self.sm, self.program = sm, program
        self.events: list[dict[str, Any]] = []
        self.cycle = 0
        self.seen: set[tuple[int, int]] = set()
        self.issued: dict[int, dict[str, Any]] = {}  # warp slot: slice of its last instruction
        self.resident: dict[int, dict[str, Any]] = {}
        self.counters: dict[str, int] = {}
        slots = 0 if sm is None else SUBCORES * int(state.machine[0].sm.warp_slots_per_subcore)
        self.warps = slice((sm or 0) * slots, ((sm or 0) + 1) * slots)
        self.times, self.ages, self.currents = np.full(slots, -1), np.full(slots, -1), np.zeros(slots, np.int64)

    def until(self, state: State) -> int:
        """The cycle at which the loop is to pause."""
        self.cycle = int(state.gpu[0].cycle)
        return self.cycle + (STRIDE if self.sm is None else 1)

    def look(self, state: State) -> None:
        """Note what has happened since the last look."""
        if self.sm is None:
            self._blocks(state)
        else:
            self._warps(state)
            self._count(state)

    def _blocks(self, state: State) -> None:
        for number in map(int, np.flatnonzero(state.loaded.done)):
            block = state.loaded[number]
            if (number, int(block.launched)) not in self.seen:
                self.seen.add((number, int(block.launched)))
                self._slice(
                    f"block {block.id}", int(block.sm), int(block.slot), int(block.launched), int(block.finished)
                )

    def _warps(self, state: State) -> None:
        warps, slots = state.warps[self.warps], int(state.machine[0].sm.warp_slots_per_subcore)
        here = warps.block >= 0
        ages = np.where(here, warps.age, -1)
        for w in map(int, np.flatnonzero(ages != self.ages)):
            if w in self.resident:
                self._close(w, self.resident.pop(w), None)
            if here[w]:
                block = state.blocks[warps.block[w]]
                name = f"block {block.id} warp {warps.number[w]}"
                self.resident[w] = self._slice(name, w // slots, w, int(warps.started[w]), None)
                self.times[w], self.currents[w] = warps.issued[w], warps.current[w]
        for w in map(int, np.flatnonzero(here & (warps.issued != self.times))):
            self._close(w, None, STALL_REASONS[int(warps.state[w])])
            static = int(self.currents[w]) % len(
                self.program.text
            )  # or the mark that stands for it (feed/execution_driven.py)
            row = self.program.instructions[static]
            self.issued[w] = self._slice(self.program.opcodes[row["opcode"]], w // slots, w, self.cycle, None,
                                         pc=f"{row['pc']:#x}", text=self.program.text[static].strip())  # fmt: skip
            self.currents[w] = warps.current[w]
        self.times, self.ages = np.where(here, warps.issued, -1), ages

    def _close(self, w: int, residence: dict[str, Any] | None, reason: str | None) -> None:
        """End a warp's last instruction, and its stay when it leaves."""
        last = self.issued.pop(w, None)
        for event in (last, residence):
            if event is not None:
                event["dur"] = max(1, self.cycle - event["ts"])
        if last is not None and reason is not None:
            last["args"]["then"] = reason

    def _count(self, state: State) -> None:
        assert self.sm is not None
        sm = state.sms[self.sm]
        queued = int(state.subs.queue_count[SUBCORES * self.sm : SUBCORES * (self.sm + 1)].sum())
        values = {
            "lines from L2": int(sm.misses),
            "bytes of stores in flight": int(sm.stores),
            "memory instructions queued": queued,
        }
        for name, value in values.items():
            if self.counters.get(name) != value:
                self.counters[name] = value
                self.events.append({"ph": "C", "name": name, "pid": 4, "ts": self.cycle, "args": {"count": value}})

    def _slice(self, name: str, pid: int, tid: int, start: int, end: int | None, **arguments: str) -> dict[str, Any]:
        event = {"ph": "X", "name": name, "pid": int(pid), "tid": int(tid), "ts": start,
                 "dur": 1 if end is None else max(1, end - start), "args": dict(arguments)}  # fmt: skip
        self.events.append(event)
        return event

    def write(self, path: Path | str) -> None:
        """One JSON object; raises OSError when the folder cannot be written."""
        names = {SUBCORES: "memory"} | {i: f"sub-core {i}" for i in range(SUBCORES)}
        if self.sm is None:
            names = {pid: f"SM {pid}" for pid in sorted({event["pid"] for event in self.events})}
        heads = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": n}} for pid, n in names.items()]
        whole = {
            "traceEvents": heads + self.events,
            "otherData": {"kernel": self.program.kernel, "unit": "1 us = 1 cycle"},
        }
        with whole_file(path) as temporary:
            temporary.write_text(json.dumps(whole, separators=(",", ":")))
