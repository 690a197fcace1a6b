"""Thread blocks run to their end: warps that stand at one PC go together, stretch by stretch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Control, Space
from ssmsim.sass.operands import RZ, Operand
from ssmsim.sass.records import barrier_in_register
from ssmsim.tracers.emulated import divergence, waits
from ssmsim.tracers.emulated.access import compile_move, compile_rows, compile_spoil
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.barriers import compile_barrier_rows
from ssmsim.tracers.emulated.bulk_copy import BulkCopy, RemoteStore
from ssmsim.tracers.emulated.cluster_access import compile_arrival
from ssmsim.tracers.emulated.control import compile_control
from ssmsim.tracers.emulated.endless import Endless
from ssmsim.tracers.emulated.execute import Execute, compile_instruction
from ssmsim.tracers.emulated.log import Log
from ssmsim.tracers.emulated.mbarrier import compile_mbarrier, compile_mbarrier_rows
from ssmsim.tracers.emulated.operand_values import Group, guard_lanes, packed
from ssmsim.tracers.emulated.order import OF_GLOBAL, Watcher
from ssmsim.tracers.emulated.polls import has_effect, polling
from ssmsim.tracers.emulated.shared_memory_history import SHARED_SPACES, History, Note
from ssmsim.tracers.emulated.slice import Slice, slice_program
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.tensor_copy import TensorCopy
from ssmsim.tracers.emulated.unknown import Unknowns, labels_of, pass_labels

ASYNCHRONOUS = frozenset([Access.MBARRIER, Access.BULK, Access.REMOTE])
MAX_INSTRUCTIONS = 1 << 22  # per warp; more is taken for a loop that never ends
TRIED_STRETCHES = (
    1 << 14
)  # of a run whose instructions of a warp are limited: a product of 4,096 x 4,096 x 1,024 takes 1,700


class TooLong(SsmsimError):
    """A warp has executed more instructions than it may, or a trial more stretches."""


@dataclass
class Step:
    """What the runner does at one instruction: record a guard, record addresses and move data, or just execute.

    stores: it may change what later loads read (atomics tell by themselves).
    """

    offset: int
    execute: Execute | None = None
    guard: Callable | None = None
    rows: Callable | None = None
    move: Callable | None = None
    stores: bool = False


@dataclass
class Stretch:
    """Straight code from `start` up to and including `end`, whose last instruction may steer (control).

    wait: sets those warps aside that must not go past its first instruction yet (waits.py). reads, meets: it reads
    global memory, or ends at a barrier, in a loop that may poll (polls.py). effect: polls must not repeat it.
    """

    start: int
    end: int
    steps: list[Step]
    control: Callable | None
    wait: waits.Wait | None = None
    reads: bool = False
    meets: bool = False
    effect: bool = False


class Plan:
    """A kernel ready to run: its slice, and each stretch compiled when it is first reached."""

    def __init__(
        self,
        code: Code,
        image: Image | None,
        bounds: Image | None,
        part: Slice,
        labelled: bool = False,
        watched: bool = False,
        history: History | None = None,
    ) -> None:
        """image: memory that data move in. bounds: what global addresses are checked against (None: not).

        labelled: values carry labels of unknown loads. watched: without labels, UnknownMet is raised where one would
        be given.
        """
        self.code, self.image, self.bounds, self.part, self.labelled = code, image, bounds, part, labelled
        self.history = history
        instructions = code.instructions
        leaders = (
            {0} | {i.target for i in instructions if i.target >= 0} | {v // 16 for v in code.kernel.symbols.values()}
        )
        self.ends_before = leaders | {i.index for i in instructions if waits.is_wait(i)}
        self.stretches: dict[int, Stretch] = {}
        self.unknowns = Unknowns(watched, part.full)
        self.most = 0  # instructions of a warp, 0: MAX_INSTRUCTIONS
        self.order: Watcher | None = None
        self.wanted = part
        moved = [i for i, c in zip(instructions, part.computes, strict=True) if c and i.entry.access != Access.NONE]
        spaces = {i.entry.space for i in moved}
        reads_shared = {i.base for i, c in zip(instructions, part.computes, strict=True) if c} & WARPGROUP_PRODUCTS
        reads_shared |= {i.base for i in instructions if i.entry.access in ASYNCHRONOUS}
        self.needs_shared = bool(spaces & {Space.SHARED, Space.GLOBAL_TO_SHARED, Space.GENERIC} or reads_shared)
        self.needs_local = bool(spaces & {Space.LOCAL, Space.GENERIC})
        self.registers = 2 + max(
            (o.index + o.count + o.wide + (o.base if o.kind in ("mem", "const") else 0)
             for i in instructions for o in (*i.destinations, *i.sources)
             if o is not None and ((o.kind == "R" and o.index != RZ) or o.kind in ("mem", "const"))), default=0,
        )  # fmt: skip

    def keep_order(self, order: Watcher, wanted: Slice) -> None:
        """Let `order` watch accesses to global memory. wanted: what control hangs on (its own slice, but in full mode)."""
        self.order, self.wanted = order, wanted
        self.polls = polling(self.code.instructions, wanted)

    def stretch(self, start: int) -> Stretch:
        """The stretch that begins at an instruction."""
        found = self.stretches.get(start)
        if found is None:
            found = self.stretches[start] = self._compile(start)
        return found

    def _compile(self, start: int) -> Stretch:
        instructions = self.code.instructions
        end, steps, control = start, [], None
        while True:
            ins = instructions[end]
            if ins.entry.control != Control.NONE:
                control = compile_control(ins)
                steps += self._check(ins, end - start, "branch" if ins.entry.control == Control.BRANCH else "operand")
                if barrier_in_register(ins):
                    steps.append(Step(end - start, None, guard_lanes(ins.guard), compile_barrier_rows(ins)))
                else:
                    steps += self._guard_step(ins, end - start)
                break
            steps += self._steps(ins, end - start)
            if end + 1 == len(instructions) or end + 1 in self.ends_before:
                break
            end += 1
        first = instructions[start]
        found = Stretch(start, end, steps, control, waits.compile_wait(first) if waits.is_wait(first) else None)
        if self.order is not None:
            self._find_polls(found)
        return found

    def _find_polls(self, stretch: Stretch) -> None:
        inside = self.code.instructions[stretch.start : stretch.end + 1]
        computes, last = self.wanted.computes, inside[-1]
        stretch.reads = any(
            self.polls[i.index] and computes[i.index] and i.entry.space in OF_GLOBAL
            and i.entry.access in (Access.LOAD, Access.ATOMIC) for i in inside
        )  # fmt: skip
        barrier = last.entry.control == Control.BARRIER
        stretch.meets = barrier and self.polls[last.index]
        stretch.effect = any(has_effect(i, computes[i.index]) for i in inside) or (barrier and not stretch.meets)

    def _guard_step(self, ins: Instruction, offset: int) -> list[Step]:
        if ins.guard is None or not self.part.guarded[ins.index]:
            return []
        lanes_of = guard_lanes(ins.guard)
        if not self.part.vague[ins.index] or not self.labelled:
            return [Step(offset, guard=lanes_of)]
        label_of = labels_of([ins.guard])

        def guard(state: State, group: Group) -> np.ndarray:
            return lanes_of(state, group) | (label_of(state, group) > 0) & group.lanes

        return [Step(offset, guard=guard)]

    def _check(self, ins: Instruction, offset: int, what: str) -> list[Step]:
        """A step that refuses values that are not known, where the slice says that it may meet them."""
        if not self.part.risky[ins.index] or not self.labelled:
            return []
        of_guard, of_record = labels_of([ins.guard]), labels_of(s for s in ins.sources if is_recorded(ins, s))
        lanes_of = guard_lanes(ins.guard)

        def check(state: State, group: Group) -> None:
            self.unknowns.refuse(of_guard(state, group), group.lanes, ins, "mask" if what != "branch" else what)
            lanes = lanes_of(state, group)
            self.unknowns.refuse(of_record(state, group), group.lanes if lanes is None else lanes, ins, what)

        return [Step(offset, execute=check)]

    def _asynchronous(self, ins: Instruction, offset: int) -> list[Step]:
        """Barriers, bulk copies, remote stores: what they do to control is carried out whether or not data are wanted."""
        moves, grain = self.part.computes[ins.index], self.history.grain if self.history else 0
        checks = self._check(ins, offset, "operand")
        unit: BulkCopy | TensorCopy | RemoteStore
        if ins.entry.access == Access.MBARRIER:
            rows, move = compile_mbarrier_rows(ins), compile_mbarrier(ins)
            return [*checks, Step(offset, None, guard_lanes(ins.guard), rows, move)]
        if ins.entry.access == Access.REMOTE:
            unit = RemoteStore(ins, self.unknowns, moves, grain)
        else:
            kind = TensorCopy if ins.base.startswith("UTMA") else BulkCopy
            unit = kind(ins, self.image, self.bounds, self.unknowns, moves, grain)
        return [*checks, Step(offset, None, guard_lanes(ins.guard), unit.rows, unit.move, True)]

    def _steps(self, ins: Instruction, offset: int) -> list[Step]:
        if ins.entry.access in ASYNCHRONOUS:
            return self._asynchronous(ins, offset)
        if ins.base == "UCGABAR_ARV":
            return [*self._guard_step(ins, offset), Step(offset, execute=compile_arrival(ins, guard_lanes(ins.guard)))]
        computes = self.part.computes[ins.index]
        execute = (
            compile_instruction(ins) if computes and (ins.entry.access == Access.NONE or is_constant(ins)) else None
        )
        if execute is not None and self.order is not None and ins.reads_time:
            watched = self.order.watch_time(ins, execute)
            if watched is not None:
                return [*self._guard_step(ins, offset), Step(offset, execute=watched)]
        if execute is not None and self.labelled:
            execute = pass_labels(ins, execute, self.unknowns)
        if ins.base not in WARPGROUP_PRODUCTS and (ins.entry.access == Access.NONE or is_constant(ins)):
            return self._guard_step(ins, offset) + ([Step(offset, execute=execute)] if execute else [])
        checks = self._check(ins, offset, "address")
        rows = compile_rows(ins, self.bounds if ins.entry.space in (Space.GLOBAL, Space.GLOBAL_TO_SHARED) else None)
        moves = computes and ins.base not in WARPGROUP_PRODUCTS
        move = compile_move(ins, self.image, self.unknowns) if moves else None
        if not moves and self.image is not None and ins.entry.access in (Access.STORE, Access.ATOMIC):
            move = compile_spoil(ins, self.image) if ins.entry.space in (Space.GLOBAL, Space.GENERIC) else None
        if self.history and ins.entry.space in SHARED_SPACES and (moves or ins.entry.access != Access.LOAD):
            move = _both(self.history.note(ins), move)
        if self.order is not None and move is not None and ins.entry.space in OF_GLOBAL:
            if self.wanted.computes[ins.index] or ins.entry.access in (Access.STORE, Access.ATOMIC):
                move = self.order.watch(ins, move, moves)
        stores = moves and ins.entry.access in (Access.STORE, Access.COPY)
        return [*checks, Step(offset, execute, guard_lanes(ins.guard), rows, move, stores)]


def _both(note: Note, move: Callable | None) -> Callable:
    """Note first: a load must see who stored before it, and a store's own note may come before its data."""
    if move is None:
        return note

    def run(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        note(state, group, lanes, rows)
        move(state, group, lanes, rows)

    return run


def is_constant(ins: Instruction) -> bool:
    return ins.entry.space == Space.CONSTANT


def is_recorded(ins: Instruction, operand: Operand | None) -> bool:
    """Does this source show in the trace: an address, a descriptor, or what a control instruction reads?"""
    if operand is None:
        return False
    if ins.entry.control != Control.NONE or operand.kind in ("mem", "gdesc"):
        return True
    if ins.entry.access in (Access.MBARRIER, Access.BULK):
        return True
    return ins.entry.access == Access.COPY and operand.kind in ("P", "UP")


def run_stretch(stretch: Stretch, state: State, group: Group, log: Log | None) -> None:
    """Carry a stretch out but for its control instruction; log: None to keep no record."""
    masks: list[tuple[int, np.ndarray]] = []
    all_rows: list[np.ndarray] = []
    for step in stretch.steps:
        if step.guard is None:
            step.execute(state, group)  # type: ignore[misc]
            continue
        lanes = step.guard(state, group)
        if step.rows is not None:
            rows = step.rows(state, group, lanes)
            if step.move is not None:
                step.move(state, group, lanes, rows)
                state.version += step.stores
            if step.execute is not None:
                step.execute(state, group)
            if log is not None:
                all_rows.append(rows)
        if log is not None and lanes is not None:
            masks.append((step.offset, packed(lanes, group)))
    if log is not None:
        log.add(group.numbers, stretch.start, stretch.end - stretch.start + 1, group.mask, masks, all_rows)


def open_state(plan: Plan, launch: Launch, blocks: np.ndarray) -> State:
    """The state of some blocks before their first instruction."""
    state = State(launch, plan.code.kernel, blocks, plan.registers)
    state.open_memories(plan.needs_shared, plan.needs_local, plan.labelled)
    state.watched = plan.unknowns.watched
    if plan.history:
        plan.history.open(state)
    return state


class Wave:
    """Blocks that run in order (in_order.py): what run_blocks asks for on the way. This one asks for nothing."""

    def open(self, plan: Plan, state: State, log: Log) -> None:
        """The blocks are about to begin."""

    def meet(self, stretch: Stretch, group: Group) -> Group | None:
        """Those warps of a group that go on into a stretch (None: nobody)."""
        return group

    def go_on(self) -> bool:
        """Nothing runs: can something be done about it?"""
        return False

    def ends(self) -> bool:
        """Nothing runs: is that all for now? Else tries at mbarriers end (waits.expire)."""
        return False

    def refuse(self) -> None:
        """SsmsimError for warps that wait for ever."""


def run_blocks(
    plan: Plan, launch: Launch, blocks: np.ndarray, log: bool = True, wave: Wave | None = None
) -> tuple[State, Log]:
    """Run the thread blocks with the linear ids `blocks` to their end; the log holds what they executed. wave: of a
    launch whose blocks run in order.

    Raises SsmsimError for what the machine would fault on, for a deadlock, and for a loop without end.
    """
    state = open_state(plan, launch, blocks)
    record = Log(state.warps)
    if wave is not None:
        wave.open(plan, state, record)
    run_warps(plan, state, record, log, wave)
    if wave is not None:
        wave.refuse()
    check_end(state, plan)
    return state, record


def run_warps(plan: Plan, state: State, record: Log, log: bool = True, wave: Wave | None = None) -> None:
    """Run all warps as far as they get. log: keep what they execute in `record`, not only how much it was."""
    paths, endless = state.paths, Endless()
    instructions, most = plan.code.instructions, plan.most or MAX_INSTRUCTIONS
    count, left = len(instructions), TRIED_STRETCHES if plan.most else 1 << 62
    with np.errstate(all="ignore"):
        while True:
            running = paths.status == divergence.RUNNING
            if not running.any():
                if wave is not None and wave.go_on():
                    continue
                if wave is not None and wave.ends():
                    return
                if waits.expire(state, lambda pc: instructions[pc].base == "SYNCS"):
                    continue
                return
            here = np.where(running, paths.pc, count)
            start = int(here.min())
            numbers = np.flatnonzero(here == start)
            if start >= count:
                raise SsmsimError("execution runs behind the kernel's last instruction", plan.code.kernel.name)
            group = Group(numbers, paths.mask[numbers].astype(np.uint32), len(numbers) == state.warps)
            stretch = plan.stretch(start)
            going: Group | None = group
            if stretch.wait is not None:
                going = stretch.wait(state, group)
            if wave is not None and going is not None:
                going = wave.meet(stretch, going)
            if going is None:
                continue
            group, numbers = going, going.numbers
            endless.look(state, group, start, int(record.executed[numbers[0]]), instructions[start])
            run_stretch(stretch, state, group, record)
            if stretch.control is None:
                paths.pc[numbers] = stretch.end + 1
            else:
                stretch.control(state, group)
            left -= 1
            if record.executed[numbers[0]] > most or not left:
                raise TooLong(
                    f"a warp has executed more than {most} instructions: a loop that never ends",
                    instructions[stretch.end].where, "check the launch's parameters",
                )  # fmt: skip
            if not log:
                record.stretches.clear()


def check_end(state: State, plan: Plan) -> None:
    """SsmsimError naming warp and instruction when warps wait for ever."""
    stuck = np.flatnonzero(state.paths.status != divergence.DONE)
    if not stuck.size:
        return
    w = int(stuck[0])
    block, warp = int(state.blocks[state.block_of[w]]), int(state.warp_of[w])
    if (state.paths.status == divergence.AT_MBARRIER).any():
        w = int(np.flatnonzero(state.paths.status == divergence.AT_MBARRIER)[0])
        block, warp = int(state.blocks[state.block_of[w]]), int(state.warp_of[w])
        raise SsmsimError(
            f"deadlock: warp {warp} of block {block} waits for ever for {waits.awaited(state, w, plan.code.instructions)}",
            plan.code.instructions[int(state.paths.pc[w])].where,
            "what would complete its phase never comes",
        )
    at = int(state.paths.pc[w]) if state.paths.status[w] == divergence.AT_BARRIER else int(state.paths.parked_pc[w, 0])
    where = plan.code.instructions[min(max(at - 1, 0), len(plan.code.instructions) - 1)].where
    raise SsmsimError(
        f"deadlock: warp {warp} of block {block} waits for ever", where, "its block's other warps never come"
    )


def full_plan(code: Code, image: Image) -> Plan:
    """The plan of full mode: every instruction is carried out over `image`."""
    return Plan(code, image, image, slice_program(code, everything=True))
