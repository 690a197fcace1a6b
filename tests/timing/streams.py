"""Hand-made programs on one SM: what each warp issues at which cycle.

    program = assemble([op("MUFU.EX2 R0, R1", stall=1, write=0), op("FADD R2, R0, R0", wait=[0]), EXIT])
    issued(program, [[0, 1, 2]]) -> {0: [0, 17, 21]}

Cycles count from the first issue. Registers are not read from the text: give the ones that matter.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import conservation, event_queue, instructions, loop
from ssmsim.engines.embedded.feed.block_pool import Pool
from ssmsim.engines.embedded.simulate import deadlock
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state.machine import State
from ssmsim.launch import Launch
from ssmsim.sass.opcodes import Access, lookup
from ssmsim.trace.types import INSTRUCTION, NO_REGISTER, BlockTrace, Program

ROOT = Path(__file__).parents[2]
FULL = 0xFFFFFFFF


def one_sm(**changes: Any) -> SimConfig:
    """One SM with a small L2, instructions always at hand and blocks that start at once: one_sm(l1__ways=2)."""
    values = load(ROOT / "simconfigs/h200.yaml").model_dump()
    quiet = {"gpu__sms_per_gpc": (1,), "l2__hit_latency_spread_cycles": (0,) * 7,
             "l2__bytes": 2 * 16 * 128 * 64, "l2__slices": 2, "l2__partitions": 1,
             "dram__channels": 2, "dram__peak_gb_per_s": 50.0, "dram__refresh_interval_ns": 0,
             "fetch__l0_bytes_per_subcore": 1 << 16, "fetch__l0_line_bytes": 4096, "fetch__l1_latency_cycles": 0, "fetch__gpc_latency_cycles": 0,
             "fetch__l2_latency_cycles": 0, "constant__miss_latency_cycles": 0, "launch__start_cycles": 1,
             "launch__first_instruction_cycles": 200, "launch__sm_interval_cycles": 0}  # fmt: skip
    for name, value in (quiet | changes).items():
        group, name_ = name.split("__")
        assert name_ in values[group], name
        values[group][name_] = value
    return SimConfig.model_validate(values)


@dataclass
class Op:
    text: str
    fields: dict[str, int]
    rows: list[list[int]] = field(default_factory=list)
    mask: int = FULL


def op(text: str, stall: int = 1, write: int = -1, read: int = -1, wait: Any = (), yields: bool = False,
       sources: Any = (), rows: Any = (), mask: int = FULL, **fields: int) -> Op:  # fmt: skip
    """One instruction: control fields, source registers as (first, count), rows of lane addresses."""
    given = {"stall": stall, "write_barrier": write, "read_barrier": read, "yields": int(yields),
             "wait_mask": sum(1 << b for b in wait), **fields}  # fmt: skip
    for slot in range(4):
        first, count = sources[slot] if slot < len(sources) else (NO_REGISTER, 0)
        given[f"source{slot}"], given[f"source{slot}_count"] = first, count
    return Op(text, given, [list(row) for row in rows], mask)


EXIT = op("EXIT", stall=5)


def assemble(ops: list[Op]) -> Program:
    rows = np.zeros(len(ops), INSTRUCTION)
    opcodes: list[str] = []
    for i, (row, one) in enumerate(zip(rows, ops, strict=True)):
        name = next(word for word in one.text.split() if not word.startswith("@"))
        if name not in opcodes:
            opcodes.append(name)
        entry = lookup(name.split(".")[0])
        row["pc"], row["opcode"], row["unit"], row["space"] = 16 * i, opcodes.index(name), entry.unit, entry.space
        row["control"], row["accesses"], row["width"] = entry.control, len(one.rows), 4
        row["is_load"] = entry.access in (Access.LOAD, Access.ATOMIC, Access.COPY)
        row["is_store"] = entry.access in (Access.STORE, Access.ATOMIC)
        row["destination"] = row["predicate"] = row["barrier"] = row["depth"] = -1
        for name_, value in one.fields.items():
            row[name_] = value
    return Program("hand_made", rows, tuple(opcodes), tuple(one.text for one in ops))


class Streams:
    """BlockSource that gives the same warps to every block."""

    def __init__(self, ops: list[Op], warps: list[list[int]], blocks: int = 1) -> None:
        self.warps_per_block, self.block_count, self.given = len(warps), blocks, 0
        self.ops, self.warps = ops, warps

    def next_blocks(self, count: int) -> BlockTrace | None:
        count = min(count, self.block_count - self.given)
        if count == 0:
            return None
        every = [stream for _ in range(count) for stream in self.warps]
        index = np.array([i for stream in every for i in stream], np.int32)
        mask = np.array([self.ops[i].mask for i in index], np.uint32)
        rows = [row for i in index for row in self.ops[i].rows]
        lengths = [sum(len(self.ops[i].rows) for i in stream) for stream in every]
        self.given += count
        return BlockTrace(
            np.arange(self.given - count, self.given), np.cumsum([0] + [len(s) for s in every]), index, mask,
            np.full(len(index), FULL, np.uint32), np.cumsum([0, *lengths]),
            np.array(rows, np.int64).reshape(-1, 32),
        )  # fmt: skip


def launch(warps: int, **changes: Any) -> Launch:
    values = {"format": "launch/1", "kernel": "hand_made", "grid": (1, 1, 1), "block": (32 * warps, 1, 1),
              "device": {"name": "H200", "compute_capability": (9, 0)}, "shared_memory_bytes": 0,
              "registers_per_thread": 32, "cubin": "none", "params": "", "buffers": []}  # fmt: skip
    return Launch.model_validate(values | changes)


@dataclass
class Run:
    """cycles[block, warp]: issue cycles from the first issue of all; state: at the end."""

    cycles: dict[tuple[int, int], list[int]]
    state: State


def prepare(ops: list[Op], warps: list[list[int]], config: SimConfig, blocks: int) -> tuple[Program, State, Pool]:
    """A GPU about to launch blocks of these warps."""
    program = assemble(ops)
    state = machine.build(instructions.translate(program, config), launch(len(warps)), config, blocks)
    pool = Pool(program, Streams(ops, warps, blocks), state)
    event_queue.schedule(state.events, int(state.machine[0].launch.start_cycles), event_queue.LAUNCH, 0, 0)
    state.gpu[0].launch_scheduled = 1
    return program, state, pool


@njit(cache=True)
def note(warps, ages, positions, log, count, now):
    """Log who went on since the last call as (age, cycle), then remember where each resident warp is; rows of the log used."""
    for w in range(len(warps)):
        warp = warps[w]
        if ages[w] >= 0 and warp.age == ages[w] and warp.position > positions[w]:
            log[count, 0], log[count, 1] = ages[w], now
            count += 1
        ages[w] = warp.age if warp.block >= 0 else -1
        positions[w] = warp.position
    return count


def run(ops: list[Op], warps: list[list[int]] | None = None, config: SimConfig | None = None, blocks: int = 1) -> Run:
    """Run to the end, noting each issue. warps: static indices per warp; default one warp through all of it.

    The loop pauses after every cycle that it does not skip; what lies between two pauses is compiled.
    """
    warps = warps if warps is not None else [list(range(len(ops)))]
    program, state, pool = prepare(ops, warps, config or one_sm(), blocks)
    ages, positions = np.full(len(state.warps), -1, np.int64), np.zeros(len(state.warps), np.int64)
    log = np.zeros((blocks * sum(map(len, warps)), 2), np.int64)
    count, table = 0, state.table()
    while True:
        now = int(state.gpu[0].cycle)
        status = loop.run(table, now + 1)
        count = note(state.warps, ages, positions, log, count, now)
        if status == loop.NEED_BLOCKS:
            pool.refill()
            table = state.table()  # the pool may have made room anew
        elif status == loop.DEADLOCK:
            raise deadlock(state, program)
        elif status == loop.FINISHED:
            break
        else:
            assert status == loop.PAUSED
    conservation.conserve(state, int(pool.executed.sum()))
    issued: dict[tuple[int, int], list[int]] = {}
    start = int(log[:count, 1].min())
    for age, cycle in log[:count].tolist():
        issued.setdefault((age // len(warps), age % len(warps)), []).append(cycle - start)
    return Run(issued, state)


def issued(ops: list[Op], config: SimConfig | None = None) -> list[int]:
    """Issue cycles of one warp through all of `ops`."""
    return run(ops, config=config).cycles[0, 0]
