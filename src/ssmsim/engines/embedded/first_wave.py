"""Where the first blocks of a launch go: the order in which the block scheduler serves GPCs while places are empty.

GPCs take turns. In its turn a GPC gets a block for each of its SMs. SMs that lie apart (cluster.sms_apart, of the first
GPC) are served as a GPC of their own: first of all, then after one turn less than launch.apart_turns, and from then on
after that many. So 8 of an H200's 132 SMs have two blocks before 8 others have one. No SM gets more blocks in turn than it
would if all had as many, however many fit: of 132 blocks each SM has one (our microbenchmark launch/block_dispatch_rate,
`order`: met to the block in its launches whose blocks stay until every place is taken).
"""

import numpy as np

from ssmsim.config.schema import SimConfig


def first_wave(config: SimConfig, fit: int, blocks: int, begin: int = 0) -> np.ndarray:
    """int64: the SM of the k-th block. Each SM stands in it as often as blocks fit on it, or are there for each.

    fit: blocks that an SM has room for. blocks: of the launch. begin: which of the other GPCs is served first; on a GPU
    another in each launch. With launch.apart_turns 0, or no SMs apart, all SMs get one block, then all the next.
    """
    sms, first = config.sm_count, config.gpu.sms_per_gpc[0]
    blocks_per_sm = min(fit, -(-blocks // sms))
    turns, apart = config.launch.apart_turns, config.cluster.sms_apart
    if not turns or not 0 < apart < first or len(config.gpu.sms_per_gpc) == 1:
        return np.tile(np.arange(sms), blocks_per_sm)
    ends = np.cumsum(config.gpu.sms_per_gpc)
    ring = [np.arange(end - size, end) for end, size in zip(ends[1:], config.gpu.sms_per_gpc[1:], strict=True)]
    ring.append(np.arange(first - apart))
    found = [np.arange(first - apart, first)]
    served, left = 1, turns - 1  # turns of the SMs apart so far; turns of others until their next
    for turn in range(len(ring) * blocks_per_sm):
        found.append(ring[(begin + turn) % len(ring)])
        left -= 1
        if not left and served < blocks_per_sm:
            found.append(found[0])
            served, left = served + 1, turns
    found += [found[0]] * (blocks_per_sm - served)
    return np.concatenate(found)
