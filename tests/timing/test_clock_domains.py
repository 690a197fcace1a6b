"""What lies beyond the SMs keeps its own clock: values by hand, and loads at half the SM clock, to the cycle."""

import pytest
from streams import one_sm
from test_memory_latency import BASE, in_l2, latency, load, use

from ssmsim.config.clocks import in_sm_cycles

CONFIG = one_sm(l2__own_clock_share=0.5, gpu__cycles_at_mhz=2000, gpu__sm_clock_mhz=2000)
HALF = one_sm(l2__own_clock_share=0.5, gpu__cycles_at_mhz=2000, gpu__sm_clock_mhz=1000)


def test_at_the_clock_of_the_measurements_nothing_changes() -> None:
    assert in_sm_cycles(CONFIG) is CONFIG


def test_at_half_the_sm_clock_rates_double_and_a_half_of_the_latency_stays() -> None:
    """280 cycles of a hit, of which 140 pass at the L2's clock; 182 more to the far partition, 270 to DRAM."""
    slow, l2 = in_sm_cycles(HALF), CONFIG.l2
    assert (l2.hit_latency_near_cycles, l2.hit_latency_far_cycles, CONFIG.dram.latency_near_cycles) == (280, 462, 550)
    assert (slow.l2.hit_latency_near_cycles, slow.l2.hit_latency_far_cycles) == (210, 210 + 91)
    assert slow.dram.latency_near_cycles == 210 + 135
    assert slow.l2.slice_bytes_per_cycle == 2 * l2.slice_bytes_per_cycle
    assert slow.l2.slice_interval_cycles == l2.slice_interval_cycles / 2
    assert slow.noc.reply_bytes_per_cycle_per_gpc == 2 * CONFIG.noc.reply_bytes_per_cycle_per_gpc
    assert slow.noc.reply_bytes_per_cycle_per_sm == CONFIG.noc.reply_bytes_per_cycle_per_sm


@pytest.mark.parametrize(("config", "cycles"), [(CONFIG, 280), (HALF, 210)])
def test_a_hit_takes_what_its_two_clocks_give(config, cycles) -> None:
    assert latency(*in_l2(1), load(BASE), use(), config=config) == cycles


def test_the_h200_is_what_was_measured() -> None:
    """Microbenchmark clock/domain_frequency: 282.9 cycles at 1979 MHz and 268.7 at 1781 (chase_l2).

    chase_dram: 657.2 at 1965 MHz and 615.1 at 1798.
    """
    slow = in_sm_cycles(one_sm(gpu__sm_clock_mhz=1781))
    assert slow.l2.hit_latency_near_cycles - 280 == pytest.approx(268.7 - 282.9, abs=1)
    slower, faster = (in_sm_cycles(one_sm(gpu__sm_clock_mhz=mhz)).dram for mhz in (1798, 1965))
    mean = (slower.latency_near_cycles + slower.latency_far_cycles) / 2  # the chase meets both partitions alike
    assert mean - (faster.latency_near_cycles + faster.latency_far_cycles) / 2 == pytest.approx(615.1 - 657.2, abs=2)
