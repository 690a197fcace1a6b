"""Lone reads of one HBM channel beside readers and writers that come at random, each a piece of two lines of a row."""

from pathlib import Path

import numpy as np
from numba import njit
from parameters_of import get
from streams import EXIT, assemble, launch
from test_dram import Channel

from ssmsim.config.load import load
from ssmsim.engines.embedded import event_queue, instructions
from ssmsim.engines.embedded.memory import dram
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state.records import FP, NONE

H200 = Path(__file__).parents[2] / "simconfigs/h200.yaml"
FIELDS = (
    "dram__banks_per_channel",
    "burst_fp",
    "dram__access_bytes",
    "dram__row_miss_cycles",
    "dram__row_cycle_cycles",
    "dram__column_cycles",
    "dram__write_recovery_cycles",
    "dram__read_to_write_cycles",
    "dram__write_to_read_cycles",
    "dram__write_turn_lines",
    "dram__idle_turn_lines",
    "dram__read_idle_cycles",
    "dram_queue",
    "look_fp",
    "dram__refresh_groups",
)
READ, WRITE, LONE = range(3)
PIECES = 1 << 25  # of 256 bytes; lone reads are in as many others
ALL_SECTORS, PIECE = 15, 2  # of a line; lines of a piece


def channel_of(path: Path = H200, **changes: int) -> tuple[Channel, int]:
    """(a channel with the values of a configuration but without refresh or way back, number of them on the GPU)."""
    config = load(path)
    m = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1).machine[0]
    fields = {name: int(get(m, name)) for name in FIELDS} | {"dram_latency": 0, "dram__refresh_interval_cycles": 0}
    fields |= {"l2_granule": PIECE, "l2_page": 32, "l2_pieces": 4}
    return Channel(**fields | changes), int(m.dram.channels)


@njit
def _drive(m, chip, memory, when, line, kind, until):
    """[lines]: cycle at which each is done; those not done by `until` have 0."""
    done = np.zeros(len(when), np.int64)
    wheel, transactions = chip.events, memory.transactions
    owner = np.full(len(transactions), -1, np.int64)
    i, cycle = 0, 0
    while cycle < until:
        coming = when[i] if i < len(when) else until
        due = event_queue.next_due(wheel, cycle, coming) if coming > cycle + 1 else coming
        cycle = min(due, coming)
        while i < len(when) and when[i] == cycle:
            if kind[i] == WRITE:
                number = dram.write(m, chip, memory, 0, line[i], ALL_SECTORS, cycle)
            else:
                number = dram.read(m, chip, memory, 0, line[i], ALL_SECTORS, NONE, cycle)
            owner[number] = i
            i += 1
        node = event_queue.take(wheel, cycle)
        while node:
            number = wheel[node].a
            if wheel[node].kind == event_queue.CHANNEL_SERVE:
                dram.serve(m, chip, memory, number, cycle)
            else:
                done[owner[number]] = cycle
                dram.free_transaction(transactions, number)
            node = event_queue.take(wheel, cycle)
    return done


def waits(
    read: float, written: float, lone: int = 2000, gap: int = 4000, seed: int = 1, path: Path = H200, **changes: int
) -> np.ndarray:
    """Cycles that lone reads, one per `gap`, wait in the channel; read, written: bytes per cycle of the GPU."""
    channel, channels = channel_of(path, **changes)
    draw, span = np.random.default_rng(seed), lone * gap
    parts = []
    for kind, rate in ((READ, read), (WRITE, written)):
        pieces = int(draw.poisson(rate * span / channels / (128 * PIECE)))
        piece = np.array(
            [draw.integers(1000, span, pieces), PIECE * draw.integers(0, PIECES, pieces), np.full(pieces, kind)]
        )
        parts += [piece, piece + np.array([[0], [1], [0]])]
    parts.append(np.array([1000 + np.arange(lone) * gap + draw.integers(0, gap // 2, lone),
                           PIECE * draw.integers(PIECES, 2 * PIECES, lone), np.full(lone, LONE)]))  # fmt: skip
    lines = np.concatenate(parts, axis=1)
    when, line, kind = np.ascontiguousarray(lines[:, np.argsort(lines[0], kind="stable")])
    done = _drive(channel.m, channel.chip, channel.memory, when, line, kind, span + 100_000)
    taken = (done - when)[kind == LONE]
    assert taken.min() > 0  # all are done
    return taken - (1 + channel.m.dram.row_miss_cycles + (2 * channel.m.burst_fp >> FP))
