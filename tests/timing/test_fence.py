"""MEMBAR: a fence of GPU scope costs what the barrier microbenchmark saw, one of block scope next to nothing."""

import pytest
from streams import EXIT, issued, one_sm, op

LATENCY = one_sm().mio.gpu_fence_latency_cycles


@pytest.mark.parametrize("name", ["MEMBAR.SC.GPU", "MEMBAR.ALL.GPU", "MEMBAR.SC.SYS"])
def test_a_fence_of_gpu_scope_holds_its_warp(name):
    assert issued([op(name, stall=6), op("ERRBAR"), EXIT])[:2] == [0, LATENCY]


def test_a_fence_of_block_scope_is_its_stall_count():
    assert issued([op("MEMBAR.ALL.CTA", stall=6), op("ERRBAR"), EXIT])[:2] == [0, 6]
