"""Readers of one slice's lines through its two HBM channels: each reads its own line again and again.

Unlike in the microbenchmark (channel, rows), all loops are equally long. The lone reader is left out: its bank is no
other's, and the measured rates do not count its reads.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numba import njit
from parameters_of import put
from streams import EXIT, assemble, launch

from ssmsim.config.load import load
from ssmsim.engines.embedded import event_queue, instructions
from ssmsim.engines.embedded.memory import address_map, dram
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.state.records import FP, NONE

H100 = Path(__file__).parents[2] / "simconfigs/h100.yaml"
SLICE, BASE, LINES = 5, 1 << 24, 1 << 18  # lines of 32 MB
LOOP = 820  # cycles from read to read on an idle GPU: 800 to 820 give what one reader gets (rows.1.1.1)
SPAN = 600_000  # cycles


def gpu(**changes: int) -> State:
    """The configuration's machine, these fields changed."""
    config = load(H100)
    state = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1)
    for name, value in changes.items():
        put(state.machine[0], name, value)
    return state


@njit
def _places(m, slice_, first, lines):
    """[lines of the slice, 4]: each, its channel of the slice, bank and row."""
    found = np.zeros((lines, 4), np.int64)
    count = 0
    for line in range(first, first + lines):
        if address_map.home_of(m, line) == slice_:
            part, bank, row = address_map.dram_of(m, slice_, line)
            found[count] = line, part, bank, row
            count += 1
    return found[:count]


@cache
def places() -> np.ndarray:
    return _places(gpu().machine[0], SLICE, BASE, LINES)


def of_bank(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(lines of a bank of the slice, the row of each); by turns of its channels: which the measured ones have is unknown."""
    line, part, bank, row = places().T
    its = (part == number % 2) & (bank == number // 2)
    return line[its], row[its]


@njit
def _drive(m, chip, memory, slice_, lines, sectors, pause, until):
    """Reads done by `until`; at an event REPLY a reader begins its next, `pause` cycles after the last was done."""
    wheel, transactions = chip.events, memory.transactions
    owner = np.full(len(transactions), -1, np.int64)
    for reader in range(len(lines)):
        event_queue.schedule(wheel, 1000 + reader * 997 % 1000, event_queue.REPLY, reader, 0)  # at odd times
    done, cycle = 0, 0
    while cycle < until:
        cycle = event_queue.next_due(wheel, cycle, until)
        node = event_queue.take(wheel, cycle)
        while node:
            kind, number = wheel[node].kind, wheel[node].a
            if kind == event_queue.CHANNEL_SERVE:
                dram.serve(m, chip, memory, number, cycle)
            elif kind == event_queue.REPLY:
                line = lines[number]
                sent = dram.read(m, chip, memory, slice_, line, sectors, NONE, cycle)
                owner[sent] = number
            else:
                event_queue.schedule(wheel, cycle + pause, event_queue.REPLY, owner[number], 0)
                dram.free_transaction(transactions, number)
                done += 1
            node = event_queue.take(wheel, cycle)
    return done


def rate(lines: np.ndarray, sectors: int, **changes: int) -> float:
    """Lines per 1,000 cycles of as many readers, each of the sectors of this mask."""
    state = gpu(**changes)
    m = state.machine[0]
    idle = 1 + int(m.dram.row_miss_cycles) + (int(m.burst_fp) >> FP) + int(m.dram_latency)
    parts = state.parts()
    done = _drive(m, parts.chip, parts.memory, SLICE, lines, sectors, LOOP - idle, SPAN)
    return 1000 * done / SPAN
