"""The timing wheel: what will happen at which cycle, in order of sending within a cycle.

events[0:WHEEL] are bucket heads, events[WHEEL] heads the free list (its field a counts events that found no room),
the rest are nodes. An event farther away than the wheel is long stays in its bucket and is passed over until due.
"""

from numba import njit

from ssmsim.engines.embedded.state.records import record

WHEEL = 8192
(RELEASE, SERVE, ARRIVE, REPLY, FILL, CHANNEL_SERVE, DRAM_DONE, GMMA_DONE, LAUNCH, BLOCK_FREE, COPY_DONE,
 RETIRE, STORED, FENCE, BACK, SUCCEED, PREFETCH, TMA, BULK_DONE, REMOTE_ARRIVE, CLUSTER_OPEN, SIGNAL,
 GIVEN_BACK, COPIES_ARRIVED) = range(24)  # fmt: skip

EVENT = record("next", "when", "kind", "a", "b", "tail")


def prepare(events):
    """Put all nodes on the free list."""
    events.next[WHEEL + 1 : -1] = range(WHEEL + 2, len(events))
    events.next[-1] = 0
    events[WHEEL].next = WHEEL + 1


@njit(cache=True, forceinline=True)
def schedule(events, when, kind, a, b):
    free = events[WHEEL]
    node = free.next
    if node == 0:
        free.a += 1
        return
    event = events[node]
    free.next = event.next
    event.next, event.when, event.kind, event.a, event.b = 0, when, kind, a, b
    bucket = events[when & (WHEEL - 1)]
    if bucket.next == 0:
        bucket.next = node
    else:
        events[bucket.tail].next = node
    bucket.tail = node
    free.b += 1  # events pending


@njit(cache=True, forceinline=True)
def take(events, cycle):
    """Unlink and return the next event due at `cycle`, 0 when there is none left. Read it before scheduling another."""
    bucket = events[cycle & (WHEEL - 1)]
    previous, node = 0, bucket.next
    while node != 0 and events[node].when != cycle:
        previous, node = node, events[node].next
    if node == 0:
        return 0
    event, free = events[node], events[WHEEL]
    if previous == 0:
        bucket.next = event.next
    else:
        events[previous].next = event.next
    if bucket.tail == node:
        bucket.tail = previous
    event.next = free.next
    free.next = node
    free.b -= 1
    return node


@njit(cache=True)
def next_due(events, cycle, limit):
    """First cycle in (cycle, limit] with an event; limit when there is none before."""
    when = cycle + 1
    while when < limit:
        node = events[when & (WHEEL - 1)].next
        while node != 0:
            if events[node].when == when:
                return when
            node = events[node].next
        when += 1
    return limit
