"""Every field changes something on a program that uses its unit, or its description says why it does not.

One program with every kind of instruction, several blocks on a few SMs, runs under a small GPU; then again with one field
set to other values that the schema allows, until the cycle count or a counter differs. A field that nothing differs for
says so in its description (fields.WITHOUT_EFFECT), or needs what this program does not have: SHOWN_ELSEWHERE names it.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from mixed import BASE, everything, make
from pydantic import ValidationError
from streams import EXIT, op, prepare

from ssmsim.config.fields import WITHOUT_EFFECT
from ssmsim.config.load import GROUPS
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import loop
from ssmsim.errors import SsmsimError

FIELDS = {f"{group}.{name}": field for group, kind in GROUPS.items() for name, field in kind.model_fields.items()}
SAY_SO = {name for name, field in FIELDS.items() if any(words in (field.description or "") for words in WITHOUT_EFFECT)}
SHOWN_ELSEWHERE: dict[str, str] = {}


def program() -> list[Any]:
    """Every kind; then loads, stores and atomics enough to fill queues, and code enough to miss the L0."""
    body = everything()[:-1]
    for i in range(40):
        lanes = [BASE + 65536 * (i % 9) + (4, 128, 1024)[i % 3] * lane for lane in range(32)]
        shared = [(4, 16, 128)[i % 3] * lane % 4096 for lane in range(32)]
        kind = ("ldg", "stg", "lds", "copy", "atomg", "bypass", "red", "hgmma", "ldc", "shfl", "mufu")[i % 11]
        body.append(make(kind, i % 6, lanes, shared, stall=1, wait=[(i + 1) % 6] if i % 5 == 0 else []))
    body += [op("DADD R0, R2, R4", write=1), op("S2R R0, SR_TID.X", write=2), op("S2R R0, SR_CTAID.X", write=3),
             op("LDS.64 R0, [R2]", width=8, write=4, rows=[[8 * lane for lane in range(32)]]),
             op("ATOMS.ADD R0, [R2], R4", write=5, rows=[[0] * 32]), op("IMAD.WIDE R0, R2, R4, R6", wait=[1, 2, 3, 4, 5]),
             op("BRA 0x0", stall=5), op("MEMBAR.SC.GPU"), op("FENCE.VIEW.ASYNC.S", write=0)]  # fmt: skip
    return [*body, op("FADD R0, R1, R2", wait=[0]), EXIT]


OPS = program()
GPU = {"gpu__sms_per_gpc": (2, 2), "l2__bytes": 60 << 15, "l2__slices": 6, "dram__channels": 6, "dram__peak_gb_per_s": 150.0,
       "noc__partition_link_bytes_per_cycle": 64.0}  # fmt: skip


def outcome(config: SimConfig) -> tuple[Any, ...]:
    """The last cycle and every count."""
    warps = [list(range(len(OPS)))] * 4
    _, state, pool = prepare(OPS, warps, config, 12)
    while (status := loop.run(state.table(), 1 << 62)) == loop.NEED_BLOCKS:
        pool.refill()
    assert status == loop.FINISHED
    return int(state.gpu[0].cycle), state.counts.tobytes(), np.asarray(state.stalls).tobytes()


def others(value: Any) -> Iterator[Any]:
    """Other values of a field, far ones first."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, tuple):
        yield from (tuple(v * k for v in value) for k in (2, 10))
        yield tuple(v + 40 * i for i, v in enumerate(value))
        yield value[:-1]
    elif isinstance(value, int):
        yield from (value * 10, value * 2, value // 2, value * 4, value + 1, value + 100, value // 10, 1, 0, value // 4)
    elif isinstance(value, float):
        yield from (value * 10, value / 10, value * 2, value / 2, value + 1, 0.01, 0.5, 1.0)


def variants(base: SimConfig, field: str) -> Iterator[SimConfig]:
    group, name = field.split(".")
    values = base.model_dump()
    for other in others(values[group][name]):
        if other != values[group][name]:
            try:
                yield SimConfig.model_validate(values | {group: values[group] | {name: other}})
            except ValidationError:
                continue


def test_every_field_changes_something_or_says_why_not() -> None:
    from small_gpu import whole_gpu

    base = whole_gpu(**GPU)
    before = outcome(base)
    assert before == outcome(base)
    without = set()
    for field in FIELDS:
        for config in variants(base, field):
            try:
                if outcome(config) != before:
                    break
            except SsmsimError:  # no block fits
                break
        else:
            without.add(field)
    assert without - SAY_SO == SHOWN_ELSEWHERE.keys(), sorted(without - SAY_SO ^ SHOWN_ELSEWHERE.keys())
    assert without >= SAY_SO, sorted(SAY_SO - without)


def test_what_has_no_effect_says_so_in_words() -> None:
    assert {
        "sm.alu_latency_cycles",
        "sm.fma_latency_cycles",
        "sm.uniform_latency_cycles",
        "tensor.hmma_16816_latency_cycles",
    } <= SAY_SO
