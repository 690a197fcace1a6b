"""Where lines live: no two in one place, and spread as our microbenchmark l2/slice_hash found them on an H200."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import EXIT, ROOT, assemble, launch

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.memory import address_map
from ssmsim.engines.embedded.state import machine

PAGE, PIECE = 32, 4  # lines


def machine_of(**changes):
    values = load(ROOT / "simconfigs/h200.yaml").model_dump()
    for name, value in changes.items():
        group, field = name.split("__")
        values[group][field] = value
    config = SimConfig.model_validate(values)
    return machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1).machine[0]


M = machine_of()


def slices(first: int, lines: int) -> np.ndarray:
    return np.array([address_map.home_of(M, line) for line in range(first, first + lines)])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, (1 << 40) // 128 // PAGE - 1))
def test_a_page_lies_in_one_partition_and_eight_slices_by_turns(page):
    found = slices(page * PAGE, PAGE)
    assert len(set(found // (M.l2.slices // 2))) == 1
    assert len(set(found)) == 8
    for a1, a2, b1, b2, a3, a4, b3, b4 in found.reshape(4, 8):
        assert a1 == a2 == a3 == a4 != b1 == b2 == b3 == b4


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1 << 20))
def test_each_slice_gets_its_share_of_64_and_of_512_kb(block):
    for kb, least, most in ((64, 0, 3), (512, 9, 13)):
        pieces = np.bincount(slices(block * kb * 8, kb * 8), minlength=96) / PIECE
        assert least <= pieces.min() and pieces.max() <= most


@pytest.mark.parametrize("changes", [{}, {"l2__partitions": 1}, {"l2__slices": 12, "l2__bytes": 60 << 17}])
def test_no_two_lines_have_one_place(changes):
    m = machine_of(**changes)
    places = {(address_map.home_of(m, line), address_map.number_of(m, line)) for line in range(1 << 14)}
    assert len(places) == 1 << 14
    assert max(number for _, number in places) < 1.02 * (1 << 14) / m.l2.slices + 8  # no gaps: all sets are used


def test_pieces_of_64_kb_are_refreshed_at_one_time_but_for_a_quarter_of_the_interval():
    """Two of three within a twelfth (our microbenchmark dram/refresh_timing: three of four); 48 times in each partition."""
    when = []
    for line in range(0, 1 << 16, 2):
        slice_ = address_map.home_of(M, line)
        part, bank, _ = address_map.dram_of(M, slice_, line)
        when.append(address_map.refresh_of(M, slice_ * M.dram.channels // M.l2.slices + part, bank))
    phase = np.exp(2j * np.pi * np.array(when).reshape(-1, 256) / M.dram.refresh_interval_cycles)
    usual = [max(np.mean(np.abs(np.angle(block / one)) < np.pi / 6) for one in block[::16]) for block in phase]
    assert 0.6 < np.mean(usual) < 0.8
    assert (
        len(set(when)) == M.dram.refresh_groups + M.dram.refresh_groups // M.dram.banks_per_channel
    )  # those of the other partition a bank later


@pytest.mark.parametrize("slice_", [0, 95])
def test_pieces_of_a_slice_go_round_the_banks_and_four_rounds_share_rows(slice_):
    """As microbenchmark dram/bank_mapping, rows, found them: 256 bytes of each piece in each of two channels, in banks of one number."""
    rounds: dict[int, list[int]] = {}
    rows: dict[tuple[int, int, int], set[int]] = {}
    for line in range(1 << 17):
        if address_map.home_of(M, line) == slice_:
            part, bank, row = (int(x) for x in address_map.dram_of(M, slice_, line))
            place = int(address_map.number_of(M, line))
            rounds.setdefault(place // 4 // M.dram.banks_per_channel, []).append(bank)
            rows.setdefault((part, bank, row), set()).add(line)
    whole = [banks for banks in rounds.values() if len(banks) == 4 * M.dram.banks_per_channel]
    assert len(whole) > 5
    assert all(sorted(banks) == sorted(4 * list(range(M.dram.banks_per_channel))) for banks in whole)
    assert len({tuple(banks) for banks in whole}) > 2  # each begins somewhere else
    assert {len(lines) for lines in list(rows.values())[: 2 * M.dram.banks_per_channel]} == {8}
