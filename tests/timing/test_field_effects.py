"""Every latency changes something on a program that uses its unit, or its description says why it does not.

One program with every kind of instruction, several blocks on a few SMs, runs under a small GPU; then again with one latency
set to other values that the schema allows, until the cycle count or a counter differs. One that nothing differs for says so
in its description (fields.WITHOUT_EFFECT), or needs what this program does not have: SHOWN_ELSEWHERE names its test. That
every other field is read: test_config_fields.py.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from mixed import BASE, everything, make
from pydantic import ValidationError
from streams import EXIT, ROOT, op, prepare

from ssmsim.config.fields import WITHOUT_EFFECT
from ssmsim.config.load import GROUPS, load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import loop

FIELDS = {f"{group}.{name}": field for group, kind in GROUPS.items() for name, field in kind.model_fields.items()}
SAY_SO = {name for name, field in FIELDS.items() if any(words in (field.description or "") for words in WITHOUT_EFFECT)}
ASYNCHRONOUS = "test_measured_microbenchmarks.py: kernels with mbarriers, bulk copies and clusters, as an H200 ran them"
SHOWN_ELSEWHERE = {
    "sm.wide_factor_latency_cycles": "test_units.py: the factor must come from the instruction before"
} | {
    field: ASYNCHRONOUS
    for field in FIELDS
    if field.split(".")[0] in ("mbarrier", "tma", "cluster") and "latency" in field
}


def program() -> list[Any]:
    """Every kind; then loads, stores and atomics enough to fill queues, and code enough to miss the L0."""
    body = everything()[:-1]
    for i in range(40):
        lanes = [BASE + 65536 * (i % 9) + (4, 128, 1024)[i % 3] * lane for lane in range(32)]
        shared = [(4, 16, 128)[i % 3] * lane % 4096 for lane in range(32)]
        kind = ("ldg", "stg", "lds", "copy", "atomg", "bypass", "red", "hgmma", "ldc", "shfl", "mufu")[i % 11]
        body.append(make(kind, i % 6, lanes, shared, stall=1, wait=[(i + 1) % 6] if i % 5 == 0 else []))
    lanes, shared = [8 * lane for lane in range(32)], [0] * 32
    waited = [op("DADD R0, R2, R4", write=1), op("DMMA.8x8x4 R0, R2, R4, R6", write=1),
              op("DMMA.16x8x4 R0, R4, R6, R8", write=1), op("S2R R0, SR_TID.X", write=1), op("S2R R0, SR_CTAID.X", write=1),
              op("LDS.64 R0, [R2]", width=8, write=1, rows=[lanes]), op("ATOMS.ADD R0, [R2], R4", write=1, rows=[shared]),
              op("STS [R2], R0", read=1, rows=[shared]), op("LDC R0, c[0x0][0x210]", write=1)]  # fmt: skip
    for one in 4 * waited:  # each on the way of what follows
        body += [one, op("FADD R0, R1, R2", stall=2, wait=[1])]
    body += [
        op("MEMBAR.SC.GPU"),
        op("BSYNC B0", stall=5),
        op("STS [R2], R0", rows=[shared]),
        op("FENCE.VIEW.ASYNC.S", write=0),
    ]
    body += [op("BRA 0x0", stall=5), op("FADD R0, R1, R2")] * 4  # taken: the FADD behind it is left out
    return [*body, op("FADD R0, R1, R2", wait=[0]), EXIT]


OPS = program()
GPU = {"gpu__sms_per_gpc": (2, 2), "l2__bytes": 60 << 15, "l2__slices": 6, "dram__channels": 6, "dram__peak_gb_per_s": 150.0,
       "noc__partition_link_bytes_per_cycle": 64.0}  # fmt: skip


def outcome(config: SimConfig) -> tuple[Any, ...]:
    """The last cycle and every count."""
    taken = [i for i in range(len(OPS)) if not OPS[i - 1].text.startswith("BRA")]
    warps = [taken] * 4
    _, state, pool = prepare(OPS, warps, config, 12)
    while (status := loop.run(state.table(), 1 << 62)) == loop.NEED_BLOCKS:
        pool.refill()
    assert status == loop.FINISHED
    return int(state.gpu[0].cycle), state.counts.tobytes(), np.asarray(state.stalls).tobytes()


def variants(base: SimConfig, field: str) -> Iterator[SimConfig]:
    group, name = field.split(".")
    values = base.model_dump()
    old = values[group][name]
    for other in (old * 10, old + 100, old // 2):
        try:
            yield SimConfig.model_validate(values | {group: values[group] | {name: other}})
        except ValidationError:
            continue


def test_every_latency_changes_something_or_says_why_not() -> None:
    values = load(ROOT / "simconfigs/h200.yaml").model_dump()
    for field, value in GPU.items():
        group, name = field.split("__")
        values[group][name] = value
    base = SimConfig.model_validate(values)
    before = outcome(base)
    assert before == outcome(base)
    latencies = [field for field in FIELDS if field.endswith("latency_cycles")]
    without = {field for field in latencies if all(outcome(config) == before for config in variants(base, field))}
    assert without == (SAY_SO & set(latencies)) | SHOWN_ELSEWHERE.keys()


def test_what_has_no_effect_says_so_in_words() -> None:
    assert {
        "sm.alu_latency_cycles",
        "sm.fma_latency_cycles",
        "sm.uniform_latency_cycles",
        "tensor.hmma_16816_latency_cycles",
    } <= SAY_SO
