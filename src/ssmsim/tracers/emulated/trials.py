"""Loads that find at once what another block stored: would their loop have gone round without it?

A flag that is set once passes the same value in any order of blocks, if those that look too early look again. A warp
that came late does not show that. So its pass is tried apart, from the registers that it came with, over memory as it
was before that store: does the warp come back to the same place as it was?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import Access
from ssmsim.tracers.emulated import divergence
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.order import OF_GLOBAL, Order
from ssmsim.tracers.emulated.run import Plan, Stretch, open_state, run_stretch
from ssmsim.tracers.emulated.state import State, UnknownMet
from ssmsim.tracers.emulated.trial import Trial
from ssmsim.tracers.emulated.unknown import KNOWN, StoresWanted

if TYPE_CHECKING:
    from ssmsim.launch import Launch

STRETCHES = 256  # of a pass that is tried


def goes_round(plan: Plan, launch: Launch, trial: Trial) -> bool:
    """Does the warp come back to the same place as it was, with what memory held before the store?"""
    order = plan.order
    assert isinstance(order, Order)
    image, places = order.image, trial.places
    if not order.saved[places].all():
        return False
    held = image.data[places].copy(), image.marks[places].copy()
    image.data[places], image.marks[places], order.mute = order.before[places], KNOWN, True
    try:
        return _run(plan, launch, trial)
    except (SsmsimError, UnknownMet, StoresWanted):
        return False
    finally:
        image.data[places], image.marks[places], order.mute = *held, False


def _run(plan: Plan, launch: Launch, trial: Trial) -> bool:
    state = open_state(plan, launch, np.array([trial.block]))
    paths, w = state.paths, trial.warp
    paths.status[:] = divergence.DONE
    paths.status[w], paths.pc[w], paths.mask[w] = divergence.RUNNING, trial.start, trial.mask
    for name, numbers, values in trial.files:
        getattr(state, name)[numbers, w] = values
    count = len(trial.paths[0])
    for file, kept in zip((paths.parked_pc, paths.parked_mask, paths.parked_for), trial.paths, strict=True):
        file[w, :count] = kept
    paths.parked[w], paths.barrier[:, w] = count, trial.convergence
    for k in range(STRETCHES):
        at = int(paths.pc[w])
        if k and at == trial.start:
            return _same(state, trial)
        stretch = plan.stretch(at)
        if stretch.wait is not None or stretch.meets or stretch.effect or _stores(plan, stretch):
            return False
        group = Group(np.array([w]), paths.mask[[w]].astype(np.uint32), False)
        run_stretch(stretch, state, group, None)
        if stretch.control is None:
            paths.pc[w] = stretch.end + 1
        else:
            stretch.control(state, group)
        if paths.status[w] != divergence.RUNNING:
            return False
    return False


def _stores(plan: Plan, stretch: Stretch) -> bool:
    inside = plan.code.instructions[stretch.start : stretch.end + 1]
    return any(i.entry.space in OF_GLOBAL and i.entry.access not in (Access.NONE, Access.LOAD) for i in inside)


def _same(state: State, trial: Trial) -> bool:
    paths, w = state.paths, trial.warp
    if paths.mask[w] != trial.mask or paths.parked[w] != len(trial.paths[0]):
        return False
    lanes = (trial.mask >> np.arange(32) & 1).astype(bool)
    for name, numbers, values in trial.files:
        differs = getattr(state, name)[numbers, w] != values
        if (differs & lanes if values.shape[1] == 32 else differs).any():
            return False
    files = (paths.parked_pc, paths.parked_mask, paths.parked_for)
    return all((file[w, : len(kept)] == kept).all() for file, kept in zip(files, trial.paths, strict=True))
