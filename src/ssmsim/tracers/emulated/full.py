"""Full mode: every instruction of a launch carried out over a memory image, so that real inputs give real outputs."""

from collections.abc import Sequence

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.cluster import members, size_of, whole_clusters
from ssmsim.tracers.emulated.in_order import OrderedWave, may_need_order, residents
from ssmsim.tracers.emulated.order import Order
from ssmsim.tracers.emulated.run import Plan, full_plan, run_blocks
from ssmsim.tracers.emulated.slice import Slice, slice_program

BATCH_WARPS = 256  # matrix instructions hold some hundred bytes per lane in temporaries


def run_full(
    launch: Launch, memory: Image, order: Sequence[int] | None = None, keep_trace: bool = False
) -> list[BlockTrace]:
    """Carry out a launch on `memory` (`Image.of(launches)`, filled by `Image.write`), some blocks at a time, in
    `order`.

    Blocks of later batches see what earlier ones stored; blocks of one batch run together. Where control may hang on
    what other blocks write, batches are the waves of in_order.py. keep_trace: what was executed, exact masks included
    (else an empty list). Raises SsmsimError for an opcode without semantics and for what would fault.
    """
    code = decode_launch(launch)
    plan = full_plan(code, memory)
    size = size_of(launch)
    blocks = members(launch, np.arange(launch.blocks // size)) if order is None else np.asarray(order, np.int64)
    if size > 1 and (len(blocks) % size or (whole_clusters(launch, blocks) != blocks).any()):
        raise SsmsimError("the order of blocks does not hold clusters whole, by rank", "order", "leave it out")
    part = slice_program(code)
    if may_need_order(code, part):
        return _in_order(plan, part, launch, memory, blocks, keep_trace)
    step = max(1, BATCH_WARPS // launch.warps_per_block // size) * size
    traces = []
    for first in range(0, len(blocks), step):
        batch = np.asarray(blocks[first : first + step], np.int64)
        _, log = run_blocks(plan, launch, batch, log=keep_trace)
        if keep_trace:
            traces.append(log.trace(batch))
    return traces


def _in_order(
    plan: Plan, part: Slice, launch: Launch, memory: Image, blocks: np.ndarray, keep_trace: bool
) -> list[BlockTrace]:
    """As run_full, wave by wave. part: what control hangs on."""
    order = Order(plan.code, memory, plan.unknowns)
    plan.keep_order(order, part)
    traces = []
    while len(blocks):
        wave = OrderedWave(launch, blocks, residents(launch), None)
        wave.limit = False
        _, log = run_blocks(plan, launch, wave.begin(), log=keep_trace, wave=wave)
        wave.close()
        blocks = wave.following
        if keep_trace:
            traces.append(log.trace(wave.blocks))
    return traces
