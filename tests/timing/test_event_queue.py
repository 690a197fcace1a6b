"""The event queue by itself: what is scheduled comes once, when due, in order of sending."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ssmsim.engines.embedded import event_queue
from ssmsim.engines.embedded.state import records as r


def some_events(count=64):
    nodes = r.records(event_queue.EVENT, event_queue.WHEEL + count)
    event_queue.prepare(nodes)
    return nodes


def due(nodes, cycle):
    found = []
    while node := event_queue.take(nodes, cycle):
        found.append(int(nodes[node].a))
    return found


def test_events_come_in_order_of_sending_at_their_cycle():
    nodes = some_events()
    for a in range(3):
        event_queue.schedule(nodes, 7, event_queue.RELEASE, a, 0)
    assert due(nodes, 6) == []
    assert due(nodes, 7) == [0, 1, 2]
    assert due(nodes, 7) == []


def test_an_event_beyond_the_wheel_waits_its_turns():
    nodes = some_events()
    event_queue.schedule(nodes, 5 + 2 * event_queue.WHEEL, event_queue.RELEASE, 9, 0)
    event_queue.schedule(nodes, 5, event_queue.RELEASE, 1, 0)
    assert due(nodes, 5) == [1]
    assert due(nodes, 5 + event_queue.WHEEL) == []
    assert due(nodes, 5 + 2 * event_queue.WHEEL) == [9]


def test_next_due_is_the_first_cycle_with_an_event():
    nodes = some_events()
    event_queue.schedule(nodes, 40, event_queue.RELEASE, 0, 0)
    assert event_queue.next_due(nodes, 10, 100) == 40
    assert event_queue.next_due(nodes, 10, 30) == 30
    assert event_queue.next_due(nodes, 40, 100) == 100


def test_an_exhausted_wheel_says_so():
    nodes = some_events(3)
    for a in range(4):
        event_queue.schedule(nodes, 1, event_queue.RELEASE, a, 0)
    assert nodes[event_queue.WHEEL].a > 0


@given(st.lists(st.tuples(st.integers(0, 3 * event_queue.WHEEL), st.integers(0, 99)), max_size=40))
@settings(max_examples=50, deadline=None)
def test_every_event_comes_once_and_when_due(given_):
    nodes = some_events()
    for when, a in given_:
        event_queue.schedule(nodes, when + 1, event_queue.RELEASE, a, 0)
    for cycle in sorted({when + 1 for when, _ in given_}):
        assert due(nodes, cycle) == [a for when, a in given_ if when + 1 == cycle]
    assert nodes[event_queue.WHEEL].b == 0
