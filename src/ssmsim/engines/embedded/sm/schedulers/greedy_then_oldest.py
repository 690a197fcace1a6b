"""Greedy, then who has waited longest, oldest blocks first where a pipe is short: what Hopper shows.

Our microbenchmarks sm/issue_slot_arbitration,
sm/block_issue_priority,
sm/pipe_arbitration, sm/dependent_chain_throughput, sm/tile_pipeline_throughput;
arXiv 2503.20481 calls the policy greedy then youngest.
"""

from numba import njit

from ssmsim.engines.embedded.sm import stalls as reason


@njit(cache=True, forceinline=True)
def before(sub, w, warp, v, other, cycle):
    """Whether warp w goes before v. The favourite issued last and did not yield.

    The favourite keeps the slot while it is ready at once. In a block, those whose last instruction did not yield go before
    those whose did, however long these wait: two warps of NOPs with stall count 2 hold a third that yields up until they end,
    whether a stall count or a dependency counter woke it; without the yield the three share (our microbenchmark sm/issue_slot_arbitration).
    Else it is who has waited longest, but not for a pipe: then the older block's warps go first, one block after the other
    where a warp could fill the pipe (sm/block_issue_priority: alu, heavy; where issue slots are short all but the youngest share, both.8).
    Who yields gives way to older blocks: of five that multiply in a chain the fifth waits until the four that fill the slots are
    through (stages). A place's block counts from its launch (reused). Within a block it is who took a branch longest ago: of warps that go round
    a loop one after the other goes through its run of such instructions (series, chains), and they end together (precedence).
    """
    favourite, others_favourite = w == sub.greedy, v == sub.greedy
    waited, others = cycle - warp.ready, cycle - other.ready
    if favourite and waited == 0 and not goes_before_favourite(other, warp):
        return True
    if others_favourite and others == 0 and not goes_before_favourite(warp, other):
        return False
    if warp.yielded or other.yielded:
        if warp.turn != other.turn:
            return warp.turn < other.turn
        if warp.yielded != other.yielded:
            return other.yielded != 0
    if waited != others:
        return waited > others
    if warp.turn != other.turn:
        return warp.turn < other.turn
    if warp.branched != other.branched:
        return warp.branched < other.branched
    return warp.issued < other.issued


@njit(cache=True, forceinline=True)
def goes_before_favourite(warp, favourite):
    """An older block's warp that waits for a place at the special-function unit (sm/block_issue_priority: special)."""
    return warp.turn < favourite.turn and warp.state == reason.MIO
