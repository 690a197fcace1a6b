"""One HBM channel between two mocks: transactions pushed by hand, the cycle of each answer worked out by hand.

Four cycles per burst of 64 bytes, 20 to open a row, 90 between two openings of one bank, 10 between two bursts of a row,
100 on the way back.
"""

import pytest
from parameters_of import put
from streams import EXIT, assemble, launch, one_sm

from ssmsim.engines.embedded import event_queue, instructions
from ssmsim.engines.embedded.memory import address_map, dram
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state import records as r

LINE = 15  # all four sectors
BURST, OPEN, CYCLE, COLUMN, BACK = 4, 20, 90, 10, 100


class Channel:
    """Pushes name a bank, which of its rows, and which line of that; a slice and channel of its own, lines of 32 bytes."""

    def __init__(self, **changes: int) -> None:
        config = one_sm()
        state = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1)
        self.m, self.counts, self.events, self.slices = state.machine[0], state.counts[0], state.events, state.slices
        self.transactions, self.channels = state.transactions, state.channels
        parts = state.parts()
        self.chip, self.memory = parts.chip, parts.memory
        fields = {
            "dram__channels": 1,
            "l2__slices": 1,
            "l2_granule": 1,
            "l2_page": 4,
            "l2_pieces": 1,
            "l2_pairs": 1,
            "l2_pair": 1,
            "l2__partitions": 1,
            "dram__banks_per_channel": 16,
            "dram__access_bytes": 64,
            "burst_fp": BURST << r.FP,
            "dram__row_miss_cycles": OPEN,
            "dram__row_cycle_cycles": CYCLE,
            "dram__column_cycles": COLUMN,
            "dram__write_recovery_cycles": 0,
            "dram_latency": BACK,
            "dram__read_to_write_cycles": 12,
            "dram__write_to_read_cycles": 18,
            "dram__refresh_interval_cycles": 0,
            "dram__refresh_cycles": 300,
            "dram__refresh_groups": 16,
            "dram_queue": 16,
            "look_fp": 0,
            "dram__write_turn_lines": 4,
            "dram__idle_turn_lines": 4,
            "dram__read_idle_cycles": 0,
        }
        for name, value in (fields | changes).items():
            put(self.m, name, value)

    def line(self, bank: int, which: int, line: int) -> int:
        rows: dict[int, list[int]] = {}
        for number in range(1 << 20):
            _, its, row = address_map.dram_of(self.m, 0, number)
            if its == bank:
                rows.setdefault(int(row), []).append(number)
                if len(rows) > which and len(rows[list(rows)[which]]) > line:
                    return rows[list(rows)[which]][line]
        raise AssertionError("no such line")

    def push(self, bank: int, now: int, sectors: int = LINE, write: int = 0, which: int = 0, line: int = 0) -> int:
        place = self.line(bank, which, line)
        if write:
            return int(dram.write(self.m, self.chip, self.memory, 0, place, sectors, now))
        return int(dram.read(self.m, self.chip, self.memory, 0, place, sectors, r.NONE, now))

    def answers(self, until: int = 100_000) -> dict[int, int]:
        """Cycle at which each transaction is done."""
        done, cycle = {}, 0
        while (cycle := int(event_queue.next_due(self.events, cycle, until))) < until:
            while node := event_queue.take(self.events, cycle):
                kind, number = int(self.events[node].kind), int(self.events[node].a)
                if kind == event_queue.CHANNEL_SERVE:
                    dram.serve(self.m, self.chip, self.memory, number, cycle)
                else:
                    done[number] = cycle
        return done


def test_a_line_from_a_closed_row():
    """Looked at the cycle after it came, row opened, two bursts, way back."""
    channel = Channel()
    one = channel.push(1, 1000)
    assert channel.answers() == {one: 1001 + OPEN + 2 * BURST + BACK}


def test_a_single_sector_takes_half_a_burst():
    channel = Channel()
    one = channel.push(1, 1000, sectors=1)
    assert channel.answers() == {one: 1001 + OPEN + BURST // 2 + BACK}


@pytest.mark.parametrize(("sectors", "apart"), [(3, COLUMN), (LINE, 2 * COLUMN)])
def test_an_open_row_needs_its_columns_alone(sectors, apart):
    """Two lines of a row; a whole line has two bursts."""
    channel = Channel()
    first, second = (channel.push(1, 1000, sectors=sectors, line=line) for line in range(2))
    done = channel.answers()
    assert done[second] - done[first] == apart
    assert (channel.counts.dram_row_hits, channel.counts.dram_row_misses) == (1, 1)


@pytest.mark.parametrize(("later", "apart"), [(OPEN, COLUMN), (OPEN + 1, CYCLE)])
def test_a_row_closes_as_the_data_of_its_last_access_begin(later, apart):
    """One comes as they begin, one a cycle later: it waits for the row to be opened again."""
    channel = Channel()
    first = channel.push(1, 1000, sectors=3)
    done = channel.answers(1000 + later)
    second = channel.push(1, 1000 + later, sectors=3, line=1)
    done |= channel.answers()
    assert done[second] - done[first] == apart


def test_another_bank_opens_behind_a_transfer():
    """Its 20 cycles run beside those of the first, so only the bus is seen."""
    channel = Channel()
    first, second = channel.push(1, 1000), channel.push(2, 1000)
    done = channel.answers()
    assert done[second] - done[first] == 2 * BURST
    assert channel.counts.dram_row_misses == 2


def test_another_row_of_the_same_bank_waits_for_the_row_cycle():
    channel = Channel()
    first, second = channel.push(0, 1000), channel.push(0, 1000, which=1)
    done = channel.answers()
    assert done[second] - done[first] == CYCLE + COLUMN  # of two bursts


@pytest.mark.parametrize(("write", "more"), [(0, 0), (1, 30)])
def test_a_row_that_was_written_closes_later(write, more):
    """A bank's next row waits for the recovery of what was written, not for reads."""
    channel = Channel(dram__write_recovery_cycles=30, dram__read_to_write_cycles=0, dram__write_to_read_cycles=0)
    first, second = channel.push(0, 1000, write=write), channel.push(0, 1000, write=write, which=1)
    done = channel.answers()
    assert done[second] - done[first] == CYCLE + COLUMN + more


def test_an_open_row_overtakes_a_closed_one():
    channel = Channel()
    first, conflict, hit = channel.push(0, 1000), channel.push(0, 1000, which=1), channel.push(0, 1000, line=1)
    done = channel.answers()
    assert done[first] < done[hit] < done[conflict]


def test_reads_go_before_writes_and_the_bus_turns_once():
    channel = Channel()
    write, read = channel.push(1, 1000, write=1), channel.push(1, 1000)
    done = channel.answers()
    assert done[read] == 1001 + OPEN + 2 * BURST + BACK
    assert done[write] == done[read] - BACK + 12 + 2 * BURST  # a write is done when it is on the bus
    assert channel.counts.dram_turns == 1


def test_a_turn_to_writes_costs_from_the_decision_on():
    """The bus has long been free; a row is opened meanwhile."""
    channel = Channel(dram__read_to_write_cycles=50)
    write = channel.push(1, 1000, write=1)
    assert channel.answers() == {write: 1001 + 50 + 2 * BURST}


def test_a_read_waits_for_a_turn_that_has_begun():
    channel = Channel(dram__read_to_write_cycles=50)
    write = channel.push(1, 1000, write=1)
    assert channel.answers(1010) == {}
    read = channel.push(2, 1010)
    written = 1001 + 50 + 2 * BURST
    assert channel.answers() == {write: written, read: written + 18 + 2 * BURST + BACK}


def test_writes_go_on_without_a_turn():
    channel = Channel(dram__read_to_write_cycles=50)
    first = channel.push(1, 1000, write=1)
    assert channel.answers(2000) == {first: 1001 + 50 + 2 * BURST}
    later = channel.push(2, 2000, write=1)
    assert channel.answers() == {later: 2001 + OPEN + 2 * BURST}


@pytest.mark.parametrize(("comes", "first"), [(39, "read"), (41, "write")])
def test_few_writes_wait_until_no_read_has_come_for_a_while(comes, first):
    """One read ends its transfer, one comes before or after the bus has been idle for 40 cycles."""
    channel = Channel(dram__read_idle_cycles=40)
    channel.push(1, 1000)
    write, idle = channel.push(3, 1000, write=1), 1001 + OPEN + 2 * BURST
    until = idle + comes
    done = channel.answers(until)
    read = channel.push(2, until)
    done |= channel.answers()
    assert (done[read] - BACK < done[write]) == (first == "read")


@pytest.mark.parametrize(("writes", "first"), [(3, "read"), (4, "write"), (6, "write")])
def test_enough_writes_take_a_turn_of_so_many(writes, first):
    channel = Channel()
    read = channel.push(1, 1000)
    some = [channel.push(1, 1000, write=1) for _ in range(writes)]
    done = channel.answers()
    assert (done[some[0]] < done[read] - BACK) == (first == "write")
    order = sorted([*some, read], key=lambda n: done[n] - BACK * (n == read))
    assert order.index(read) == (0 if first == "read" else 4)  # those left of six wait for the read and two turns
    assert channel.counts.dram_turns == {3: 1, 4: 2, 6: 3}[writes]


@pytest.mark.parametrize(("few", "before"), [(1, 1), (2, 2), (3, 3)])
def test_of_few_writes_that_began_in_a_gap_so_many_go_before_a_read(few, before):
    """Five are less than a turn of eight; the read comes while the first is on its way."""
    channel = Channel(dram__write_turn_lines=8, dram__idle_turn_lines=few)
    writes = [channel.push(1, 1000, write=1) for _ in range(5)]
    channel.answers(1002)
    read = channel.push(2, 1002)
    done = channel.answers()
    assert sum(done[n] < done[read] - BACK for n in writes) == before


def test_refresh_blocks_a_bank_once_per_interval_and_closes_its_row():
    channel = Channel(dram__refresh_interval_cycles=3900)
    for now, start in ((1000, 1001 + OPEN), (4000, 3900 + 300 + OPEN), (5000, 5001 + OPEN), (7900, 7800 + 300 + OPEN)):
        one = channel.push(0, now)
        assert channel.answers() == {one: start + 2 * BURST + BACK}


def test_other_banks_go_on_during_a_refresh():
    """Bank 2 of 16 is refreshed half an interval later, 8 of 20 ticks: four are left out."""
    channel = Channel(dram__refresh_interval_cycles=3900)
    waits, goes = channel.push(0, 4000), channel.push(2, 4000)
    assert channel.answers() == {goes: 4001 + OPEN + 2 * BURST + BACK, waits: 3900 + 300 + OPEN + 2 * BURST + BACK}
    assert address_map.refresh_of(channel.m, 0, 2) == 8 * 3900 // 20


def test_a_turn_of_writes_does_not_wait_for_a_refresh():
    channel = Channel(dram__refresh_interval_cycles=3900)
    blocked = [channel.push(0, 4000, write=1) for _ in range(4)]
    read = channel.push(2, 4000)
    done = channel.answers()
    assert done[read] - BACK < min(done[n] for n in blocked)


def test_a_bank_that_waits_does_not_hold_up_the_bus():
    """Reads of other banks come while the second row of one cannot be opened yet."""
    channel = Channel()
    first, conflict = channel.push(0, 1000), channel.push(0, 1000, which=1)
    done = channel.answers(1030)
    other = channel.push(1, 1030)
    done |= channel.answers()
    assert done[other] == 1031 + OPEN + 2 * BURST + BACK
    assert done[conflict] - done[first] == CYCLE + COLUMN


@pytest.mark.parametrize("places", [1, 2, 3])
def test_beyond_so_many_reads_of_a_slice_none_is_chosen(places):
    """Three rows of one bank, then a read of another: it goes when at most so many older ones wait."""
    channel = Channel(dram_queue=places)
    rows = [channel.push(0, 1000, which=k) for k in range(3)]
    other = channel.push(1, 1000)
    done = channel.answers()
    assert sorted(done, key=lambda n: done[n]) == [*rows[: 4 - places], other, *rows[4 - places :]]


def test_a_read_is_answered_later_for_each_that_waits_beside_it():
    channel = Channel(look_fp=7 << r.FP)
    reads = [channel.push(bank, 1000) for bank in range(3)]
    done = channel.answers()
    assert [done[n] - done[reads[0]] for n in reads] == [0, 2 * BURST + 7, 4 * BURST + 14]
