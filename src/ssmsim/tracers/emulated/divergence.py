"""Which lanes of a warp run where: one running path per warp, the others parked until it blocks or ends.

A path is (pc, mask). At a divergent branch the side with fewer lanes runs first, on a tie the one that falls through;
it runs until it meets its convergence barrier (BSYNC), a WARPSYNC or EXIT. The order is what NVBit traces of an H200
show; correctness does not depend on it. All functions work on a group of warps that stand at one PC.

Per warp w: pc[w], mask[w] the running path; status[w]; exited[w] lanes that are gone (or never were).
barrier[b, w, lane]: lanes that take part in convergence barrier b, as BSSY left it for that lane.
Parked path k of warp w: parked_pc, parked_mask, parked_for[w, k] (0: ready; else the lanes it waits for).
"""

import numpy as np
from numba import njit

RUNNING, AT_BARRIER, DONE, STUCK, AT_MBARRIER = 0, 1, 2, 3, 4
PATHS = 33
CONVERGENCE_BARRIERS = 16


class Paths:
    """Arrays of the path state of `warps` warps whose existing lanes are `lanes` (uint32[warps])."""

    def __init__(self, warps: int, lanes: np.ndarray) -> None:
        self.pc = np.zeros(warps, np.int64)
        self.mask = lanes.astype(np.int64)
        self.status = np.full(warps, RUNNING, np.int64)
        self.exited = ~lanes.astype(np.int64) & 0xFFFFFFFF
        self.barrier = np.zeros((CONVERGENCE_BARRIERS, warps, 32), np.int64)
        self.origin = np.zeros((warps, 32), np.int64)  # lanes that came to a WARPSYNC.COLLECTIVE with this one
        self.parked_pc = np.zeros((warps, PATHS), np.int64)
        self.parked_mask = np.zeros((warps, PATHS), np.int64)
        self.parked_for = np.zeros((warps, PATHS), np.int64)
        self.parked = np.zeros(warps, np.int64)
        self._collect()

    def _collect(self) -> None:
        self.arrays = (
            self.pc, self.mask, self.status, self.exited, self.parked_pc, self.parked_mask, self.parked_for, self.parked
        )  # fmt: skip

    def widen(self, other: "Paths") -> None:
        """Take in other warps behind its own."""
        for name in ("pc", "mask", "status", "exited", "origin", "parked_pc", "parked_mask", "parked_for", "parked"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))
        self.barrier = np.concatenate([self.barrier, other.barrier], axis=1)
        self._collect()


@njit(cache=True)
def _park(s, w, pc, mask, waits_for):
    _, _, _, _, parked_pc, parked_mask, parked_for, parked = s
    k = parked[w]
    parked_pc[w, k], parked_mask[w, k], parked_for[w, k] = pc, mask, waits_for
    parked[w] = k + 1


@njit(cache=True)
def _remove(s, w, k):
    _, _, _, _, parked_pc, parked_mask, parked_for, parked = s
    for j in range(k, parked[w] - 1):
        parked_pc[w, j], parked_mask[w, j], parked_for[w, j] = (
            parked_pc[w, j + 1],
            parked_mask[w, j + 1],
            parked_for[w, j + 1],
        )
    parked[w] -= 1


@njit(cache=True)
def _settle(s, w):
    """Give warp w its next path: one whose awaited lanes are all there (merged), else the last one parked ready."""
    pc, mask, status, exited, parked_pc, parked_mask, parked_for, parked = s
    for k in range(parked[w]):
        awaited = parked_for[w, k]
        if awaited == 0:
            continue
        place, there = parked_pc[w, k], 0
        for j in range(parked[w]):
            if parked_for[w, j] == awaited and parked_pc[w, j] == place:
                there |= parked_mask[w, j]
        if awaited & ~there & ~exited[w] == 0:
            j = parked[w] - 1
            while j >= 0:
                if parked_for[w, j] == awaited and parked_pc[w, j] == place:
                    _remove(s, w, j)
                j -= 1
            pc[w], mask[w], status[w] = place, there, RUNNING
            return
    for k in range(parked[w] - 1, -1, -1):
        if parked_for[w, k] == 0:
            pc[w], mask[w], status[w] = parked_pc[w, k], parked_mask[w, k], RUNNING
            _remove(s, w, k)
            return
    mask[w] = 0
    status[w] = DONE if parked[w] == 0 else STUCK


@njit(cache=True)
def _ones(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True)
def branch(s, warps, taken, target, following):
    """Send the lanes `taken[i]` (of those running) of warps[i] to `target`, the rest to `following`."""
    pc, mask = s[0], s[1]
    for i in range(warps.size):
        w = warps[i]
        jump = mask[w] & taken[i]
        stay = mask[w] & ~jump
        if jump == 0:
            pc[w] = following
        elif stay == 0:
            pc[w] = target
        elif _ones(jump) < _ones(stay):
            _park(s, w, following, stay, 0)
            pc[w], mask[w] = target, jump
        else:
            _park(s, w, target, jump, 0)
            pc[w], mask[w] = following, stay


@njit(cache=True)
def scatter(s, warps, taken, targets, following):
    """An indirect branch: lane l of warps[i], when in taken[i], goes to targets[i, l]; the rest to `following`."""
    mask = s[1]
    for i in range(warps.size):
        w = warps[i]
        left = mask[w] & taken[i]
        rest = mask[w] & ~left
        mask[w] = 0
        if rest:
            _park(s, w, following, rest, 0)
        while left:
            lane = 0
            while not left >> lane & 1:
                lane += 1
            place, group = targets[i, lane], 0
            for other in range(32):
                if left >> other & 1 and targets[i, other] == place:
                    group |= 1 << other
            _park(s, w, place, group, 0)
            left &= ~group
        _settle(s, w)


@njit(cache=True)
def leave(s, warps, going, following):
    """EXIT for the lanes going[i]."""
    pc, mask, exited = s[0], s[1], s[3]
    for i in range(warps.size):
        w = warps[i]
        gone = mask[w] & going[i]
        exited[w] |= gone
        mask[w] &= ~gone
        if mask[w]:
            pc[w] = following
        else:
            _settle(s, w)


@njit(cache=True)
def open_barrier(s, barrier, warps, lanes, following):
    """BSSY: the running lanes (and guard) take part in convergence barrier `barrier[warp, lane]`."""
    pc, mask = s[0], s[1]
    for i in range(warps.size):
        w = warps[i]
        pc[w] = following
        if lanes[i]:
            for lane in range(32):
                if mask[w] >> lane & 1:
                    barrier[w, lane] = mask[w]


@njit(cache=True)
def wait_for(s, warps, awaited, following):
    """BSYNC and WARPSYNC: the running lanes wait at `following` for awaited[i]; 0 means no wait."""
    pc, mask, exited = s[0], s[1], s[3]
    for i in range(warps.size):
        w = warps[i]
        if awaited[i] & ~exited[w] & ~mask[w] == 0:
            pc[w] = following
        else:
            _park(s, w, following, mask[w], awaited[i])
            _settle(s, w)


@njit(cache=True)
def wait_each(s, warps, awaited, together, following):
    """WARPSYNC by a mask of each lane's own: lanes of one mask awaited[i, lane] wait for it together.

    together: running lanes whose masks are all there go on as one, whatever their masks.
    """
    pc, mask, exited = s[0], s[1], s[3]
    for i in range(warps.size):
        w = warps[i]
        missing = 0
        for lane in range(32):
            if mask[w] >> lane & 1:
                missing |= awaited[i, lane] & ~exited[w] & ~mask[w]
        if together and missing == 0:
            pc[w] = following
            continue
        left = mask[w]
        mask[w] = 0
        while left:
            lane = 0
            while not left >> lane & 1:
                lane += 1
            group = 0
            for other in range(32):
                if left >> other & 1 and awaited[i, other] == awaited[i, lane]:
                    group |= 1 << other
            _park(s, w, following, group, awaited[i, lane])
            left &= ~group
        _settle(s, w)


@njit(cache=True)
def part_again(s, warps, origin, following):
    """ENDCOLLECTIVE: the running lanes go on in the groups origin[warp, lane] in which they came."""
    mask = s[1]
    for i in range(warps.size):
        w = warps[i]
        left = mask[w]
        mask[w] = 0
        while left:
            lane = 0
            while not left >> lane & 1:
                lane += 1
            group = left & origin[w, lane]
            group |= 1 << lane
            _park(s, w, following, group, 0)
            left &= ~group
        _settle(s, w)


@njit(cache=True)
def participants(s, barrier, warps, out):
    """out[i]: lanes in `barrier` as the first running lane of warps[i] sees it."""
    mask = s[1]
    for i in range(warps.size):
        w = warps[i]
        lane = 0
        while lane < 31 and not mask[w] >> lane & 1:
            lane += 1
        out[i] = barrier[w, lane]


@njit(cache=True)
def leave_barrier(s, barrier, warps, lanes, following):
    """BREAK: the lanes lanes[i] no longer take part; whoever waits there stops waiting for them."""
    pc, mask, parked_for, parked = s[0], s[1], s[6], s[7]
    for i in range(warps.size):
        w = warps[i]
        pc[w] = following
        going = mask[w] & lanes[i]
        for lane in range(32):
            if not going >> lane & 1:
                continue
            set_ = barrier[w, lane]
            if set_ & going == 0:
                continue
            rest = set_ & ~going
            for other in range(32):
                if set_ >> other & 1 and barrier[w, other] == set_:
                    barrier[w, other] = rest
            for k in range(parked[w]):
                if parked_for[w, k] == set_:
                    # nobody left to wait for: wait for itself, that is, run
                    parked_for[w, k] = rest & ~0 if rest else 0


@njit(cache=True)
def set_aside(s, warps, waited):
    """The running paths have to wait where they are: each warp goes on with another path that is ready, if there is one.

    waited[w]: how many paths of the warp were set aside since one went on. When all have been, the warp waits.
    """
    pc, mask, status, _, parked_pc, parked_mask, parked_for, parked = s
    for i in range(warps.size):
        w = warps[i]
        ready = 0
        for k in range(parked[w]):
            ready += parked_for[w, k] == 0
        waited[w] += 1
        if waited[w] > ready:
            status[w] = AT_MBARRIER
            continue
        for k in range(parked[w], 0, -1):
            parked_pc[w, k], parked_mask[w, k], parked_for[w, k] = (
                parked_pc[w, k - 1],
                parked_mask[w, k - 1],
                parked_for[w, k - 1],
            )
        parked_pc[w, 0], parked_mask[w, 0], parked_for[w, 0] = pc[w], mask[w], 0
        parked[w] += 1
        _settle(s, w)
