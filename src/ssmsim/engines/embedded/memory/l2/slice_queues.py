"""Requests that wait at a slice: the clusters of TPCs (CPCs) take turns, and the SMs of each.

Our microbenchmarks, of a slice that is busy all the time: every CPC of a partition gets as much of additions and hits,
so each of the four SMs of a small one 1.50 times what each of six gets (noc/bandwidth_fairness), and a load of an SM
that has nothing else there waits one turn of the SMs (noc/request_queue_depth). Loads that find no room to miss wait in
order of arrival: SMs get as much of DRAM's reads within 3 %.

Not modelled: stores in a slice that is busy with them, of which those from the other partition get a hundredth
(noc/bandwidth_fairness), and that what an SM sends stands behind 17 to 19 others of its own to busy slices
(noc/request_queue_depth). Held back as a whole when so many wait, its additions to all slices took 37 % too long
(l2/atomic_throughput: all.8.16; 14 % without).
"""

from numba import njit

from ssmsim.engines.embedded.state.records import FP, NONE, record

# Kinds of queue. Atomics are with the loads; QUESTIONS are those of the other partition's slices; MISSES, loads that a slice
# had no room for, wait in order of arrival: reads from DRAM have no turns (noc/bandwidth_fairness: all SMs within 3 %).
LOADS, STORES, QUESTIONS, MISSES = range(4)

# What waits at a slice, by CPC and SM: of a queue its CPCs, of a CPC its SMs, of an SM its requests; see slice_queues.py.
NODE = record("first", "last", "following")


@njit(cache=True)
def kind_of(fill):
    if fill.remote:
        return QUESTIONS
    return STORES if fill.store and not fill.atomic else LOADS


@njit(cache=True)
def to_wait_in(m, slice_, nodes, fill, kind, cycle):
    """Kind of queue in which a request that arrives has to wait, NONE when it is looked up at once.

    A slice is taken for some cycles in order of arrival before loads and atomics wait for a turn, and one that has had
    its turn at the other partition's slice has none here.
    """
    if kind == LOADS and front(m, nodes, fill.slice, MISSES):
        return MISSES
    if fill.passed:
        return NONE
    if front(m, nodes, fill.slice, kind) or (kind == LOADS and slice_.free_fp >> FP > cycle + m.l2.turns_after_cycles):
        return kind
    return NONE


@njit(cache=True)
def root_of(m, number, kind):
    """Node of a slice's queue; behind it those of the CPCs and of the link, then those of the SMs and of the link."""
    return (4 * number + kind) * (m.cpcs + m.sms + 3)


@njit(cache=True)
def has_turns(m, sms, fill, kind):
    """Whether a request has turns of its SM: it does not come over the link."""
    return kind <= STORES and sms[fill.sm].side == fill.slice * m.l2.partitions // m.l2.slices


@njit(cache=True)
def front(m, nodes, number, kind):
    """The request that is next, 0 when none waits."""
    cpc = nodes[root_of(m, number, kind)].first
    return nodes[nodes[cpc].first].first if cpc else 0


@njit(cache=True)
def wait(m, sms, slices, nodes, fills, index, kind):
    """Add a request behind those of its SM."""
    fill = fills[index]
    root = root_of(m, fill.slice, kind)
    own = has_turns(m, sms, fill, kind)
    cpc = root + 1 + (sms[fill.sm].cpc if own else m.cpcs)
    leaf = nodes[root + 2 + m.cpcs + (fill.sm if own else m.sms)]
    fill.next = 0
    if leaf.first:
        fills[leaf.last].next = index
    else:
        leaf.first = index
        if nodes[cpc].first == 0:
            go_last(nodes, root, cpc)
        go_last(nodes, cpc, root + 2 + m.cpcs + (fill.sm if own else m.sms))
    leaf.last = index
    slices[fill.slice].waiting += 1


@njit(cache=True)
def take(m, slices, nodes, fills, number, kind):
    """Take the request that is next out: the next turns are those of other CPCs, and in its own of other SMs."""
    root = root_of(m, number, kind)
    cpc = nodes[root].first
    leaf = nodes[cpc].first
    nodes[leaf].first = fills[nodes[leaf].first].next
    nodes[cpc].first = nodes[leaf].following
    if nodes[leaf].first:
        go_last(nodes, cpc, leaf)
    nodes[root].first = nodes[cpc].following
    if nodes[cpc].first:
        go_last(nodes, root, cpc)
    slices[number].waiting -= 1


@njit(cache=True)
def go_last(nodes, parent, child):
    nodes[child].following = 0
    if nodes[parent].first:
        nodes[nodes[parent].last].following = child
    else:
        nodes[parent].first = child
    nodes[parent].last = child
