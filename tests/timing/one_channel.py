"""Lone reads of one HBM channel beside readers and writers that come at random, each a piece of two lines of one row."""

from pathlib import Path

import numpy as np
from numba import njit
from streams import EXIT, assemble, launch
from test_dram import Channel

from ssmsim.config.load import load
from ssmsim.engines.embedded import code, dram, events, machine
from ssmsim.engines.embedded.records import FP, NONE

H200 = Path(__file__).parents[2] / "simconfigs/h200.yaml"
FIELDS = ("banks", "burst_fp", "access_bytes", "row_miss", "row_cycle", "read_to_write", "write_to_read",
          "write_turn", "read_idle", "dram_queue")  # fmt: skip
READ, WRITE, LONE = range(3)
ALL_SECTORS = 15


def channel_of(path: Path = H200, **changes: int) -> tuple[Channel, int]:
    """(a channel with the values of a configuration but without refresh or way back, number of them on the GPU)."""
    config = load(path)
    m = machine.build(code.translate(assemble([EXIT]), config), launch(1), config, 1).machine[0]
    fields = {name: int(m[name]) for name in FIELDS} | {"dram_latency": 0, "refresh_interval": 0}
    return Channel(**fields | changes), int(m.channels)


@njit
def _push(m, transactions, channels, wheel, bank, row, write, now):
    """As dram.push, to a bank and row of our choice."""
    number = dram.take_transaction(transactions)
    t, channel = transactions[number], channels[0]
    t.next, t.channel, t.slice, t.row, t.bank = 0, 0, 0, row, bank
    t.sectors, t.write, t.l2, t.waiters, t.arrival = ALL_SECTORS, write, NONE, 0, now
    if channel.head[write] == 0:
        channel.head[write] = number
    else:
        transactions[channel.tail[write]].next = number
    channel.tail[write] = number
    if write:
        channel.writes += 1
    else:
        channel.reads += 1
    dram.look_at(channel, wheel, 0, max(now + 1, (channel.free_fp >> FP) - m.row_miss))
    return number


@njit
def _drive(m, counts, transactions, channels, wheel, when, bank, row, kind, until):
    """[lines]: cycle at which each is done; those not done by `until` have 0."""
    done = np.zeros(len(when), np.int64)
    owner = np.full(len(transactions), -1, np.int64)
    i, cycle = 0, 0
    while cycle < until:
        coming = when[i] if i < len(when) else until
        due = events.next_due(wheel, cycle, coming) if coming > cycle + 1 else coming
        cycle = min(due, coming)
        while i < len(when) and when[i] == cycle:
            write = 1 if kind[i] == WRITE else 0
            owner[_push(m, transactions, channels, wheel, bank[i], row[i], write, cycle)] = i
            i += 1
        node = events.take(wheel, cycle)
        while node:
            number = wheel[node].a
            if wheel[node].kind == events.CHANNEL_SERVE:
                dram.serve(m, counts, transactions, channels, wheel, number, cycle)
            else:
                done[owner[number]] = cycle
                dram.free_transaction(transactions, number)
            node = events.take(wheel, cycle)
    return done


def waits(
    read: float, written: float, lone: int = 2000, gap: int = 4000, seed: int = 1, path: Path = H200, **changes: int
) -> np.ndarray:
    """Cycles that lone reads, one per `gap`, wait in the channel; read, written: bytes per cycle of the GPU."""
    channel, channels = channel_of(path, **changes)
    draw, span = np.random.default_rng(seed), lone * gap
    parts = []
    for kind, rate in ((READ, read), (WRITE, written)):
        pieces = int(draw.poisson(rate * span / channels / 256))
        piece = [draw.integers(1000, span, pieces), draw.integers(0, channel.m.banks, pieces),
                 draw.integers(1, 1 << 20, pieces), np.full(pieces, kind)]  # fmt: skip
        parts.append(np.repeat(piece, 2, axis=1))
    parts.append(np.array([1000 + np.arange(lone) * gap + draw.integers(0, gap // 2, lone),
                           draw.integers(0, channel.m.banks, lone), draw.integers(1 << 20, 1 << 21, lone),
                           np.full(lone, LONE)]))  # fmt: skip
    lines = np.concatenate(parts, axis=1)
    when, bank, row, kind = np.ascontiguousarray(lines[:, np.argsort(lines[0], kind="stable")])
    done = _drive(channel.m, channel.counts, channel.transactions, channel.channels, channel.events, when, bank, row,
                  kind, span + 100_000)  # fmt: skip
    taken = (done - when)[kind == LONE]
    assert taken.min() > 0  # all are done
    return taken - (1 + channel.m.row_miss + (2 * channel.m.burst_fp >> FP))
