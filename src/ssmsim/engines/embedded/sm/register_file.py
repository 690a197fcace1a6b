"""Register file of a sub-core: who holds how much of it, where registers are given back before their block ends.

With sm.register_release last_use a warp holds, at each instruction, as much as anything that it can reach from there
needs at most (sass/liveness.py), in units of sm.register_allocation_unit. It never takes registers again, so no warp
waits for registers while it holds some, and there is no deadlock. Registers that an instruction reads come back when it
has read them: those of memory instructions leave with the last that the sub-core has yet to hand on. A new block needs
all of its registers at once, launch.release_cycles after they were given back, as behind a block that has ended.

A warp whose threads stand at several places keeps what it holds (feed/register_release.py). That live registers can be
kept side by side, wherever they are, takes a map from names to places (Jeon et al., GPU Register File Virtualization,
MICRO 2015); the map's own cost and latency are left out. With block_end nothing of this file is called.
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import GIVEN_BACK, schedule


@njit(cache=True)
def has_room(m, sub, warps):
    """Whether a sub-core has registers and slots for so many more warps."""
    slots = sub.taken + warps <= m.sm.warp_slots_per_subcore
    return slots and sub.held + warps * m.warp_units <= m.subcore_units


@njit(cache=True)
def take(m, sub, warp):
    """A warp starts with all registers that the launch asks for."""
    warp.holds = m.warp_units
    sub.held += m.warp_units


@njit(cache=True)
def give(m, chip, cores, w, cycle):
    """The warp goes on to an instruction from which on it needs less: it holds that from now on."""
    warp, index = cores.warps[w], w // m.sm.warp_slots_per_subcore
    sub, units = cores.subs[index], warp.holds - cores.code[warp.current].holds
    warp.holds -= units
    if sub.unread:
        cores.requests[sub.queue_tail].gives += units
    else:
        schedule(chip.events, cycle + m.launch.release_cycles, GIVEN_BACK, index, units)


@njit(cache=True)
def read(m, request, events, when):
    """The last memory instruction before some registers were given back has read its own."""
    index = request.warp // m.sm.warp_slots_per_subcore
    schedule(events, when + m.launch.release_cycles, GIVEN_BACK, index, request.gives)


@njit(cache=True)
def leave(m, chip, warp, index, cycle):
    """A warp of sub-core `index` has ended."""
    schedule(chip.events, cycle + m.launch.release_cycles, GIVEN_BACK, index, warp.holds)
    warp.holds = 0
