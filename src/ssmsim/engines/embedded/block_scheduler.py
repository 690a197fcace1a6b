"""Block scheduler: gives thread blocks to SMs with room, breadth first, and takes finished ones away.

One block per launch_fp cycles over the GPU (successor_fp once every place is taken) and per sm_launch on an SM. While
places are empty, consecutive blocks go to the SMs of one GPC, then to the next GPC (first_wave.py). Registers, shared
memory, warps and blocks limit residency; machine.py has worked out how many blocks fit. Blocks' ends are taken note of
one per successor_fp too, and the kernel ends with the last: with 1,056 empty blocks it lasts 944 cycles longer beyond the
last SM's work than with 132 (captures of empty kernels; 1,000 to 1,400 when all spin and end together).

With launch.schedule persistent the launch has as many blocks as fit at once, and each walks tiles, which are the blocks
of the captured launch: the k-th those of number k, k + places, k + 2 places and so on. A warp that has ended goes on
with the next tile as behind a branch. It need not wait for the others where shared memory has room for two tiles of each
block (state/occupancy.py): they overlap, but no more than two. Nothing is launched for it, and its registers stay.

With sm.register_release last_use a block also starts on registers that warps of others have given back, where shared
memory, warp slots and blocks leave it room (sm/register_file.py). Blocks keep their warp slots and shared memory.
"""

from numba import njit

from ssmsim.architecture import SUBCORES, WARPGROUP_WARPS
from ssmsim.engines.embedded.event_queue import BLOCK_FREE, LAUNCH, SUCCEED, schedule
from ssmsim.engines.embedded.sm import barrier, cluster_barrier, register_file
from ssmsim.engines.embedded.sm.memory import mbarrier, prefetch_buffer
from ssmsim.engines.embedded.sm.stalls import NO_INSTRUCTION, settle
from ssmsim.engines.embedded.state.records import FP, INDEX, INF, MAX_BARRIERS, MAX_BLOCK_WARPS, NONE, OFF_BIT, record

BLOCK = record(
    "id", "live", "sm", "used", "first_subcore", ("warps", MAX_BLOCK_WARPS), ("arrived", MAX_BARRIERS), ("expected", MAX_BARRIERS), "loaded",
    "cluster",  # record of its cluster
    "tile", "heir", "led", "entered", "leaving",  # of a persistent block: number, record of the next, see succeed()
    ("gmma_issued", MAX_BLOCK_WARPS), ("gmma_done", MAX_BLOCK_WARPS // WARPGROUP_WARPS), ("gmma_arrived", MAX_BLOCK_WARPS),
)  # fmt: skip

# A block that the tracer has delivered: where its warps lie in the pool. turn: of record k the number of the record whose
# block is launched k-th, counted round the array.
LOADED = record(
    "turn",
    "id",
    "done",
    "launched",
    "finished",
    "sm",
    "slot",
    ("first", MAX_BLOCK_WARPS + 1),
    ("access", MAX_BLOCK_WARPS),
    ("open", MAX_BLOCK_WARPS),  # STREAM_BIT of each warp whose stream goes on beyond what is here
)


@njit(cache=True)
def launch(m, chip, cores, grid, cycle):
    """Start one block if one fits somewhere. False when a block is needed that has not been loaded yet."""
    chip.run.launch_scheduled = 0
    if chip.run.next_launch >= m.launch_total:
        return True
    best, soonest = place(m, chip.run, cores, grid, cycle)
    if best == NONE:
        if soonest < INF:
            ask(chip.run, chip.events, soonest)
        return True
    if chip.run.next_launch >= chip.run.loaded_blocks:
        ask(chip.run, chip.events, cycle)
        return False
    start(m, chip, cores, grid, best, cycle)
    first_wave = chip.run.next_launch <= m.sms * m.blocks_per_sm
    chip.run.launch_free_fp = max(chip.run.launch_free_fp, cycle << FP) + (
        m.launch_fp if first_wave else m.successor_fp
    )
    ask(chip.run, chip.events, max(cycle, chip.run.launch_free_fp >> FP))
    return True


@njit(cache=True)
def place(m, run, cores, grid, cycle):
    """(SM of the next block, NONE if there is none now; the first cycle at which an SM that has room is free).

    While places are empty and GPCs take turns, the SM whose turn it is (first_wave.py); else the first with the fewest blocks.
    """
    if run.next_launch < m.first_places:
        s = grid.order[run.next_launch]
        sm = cores.sms[s]
        if sm.blocks < m.most_blocks and fits(m, sm, cores.subs, SUBCORES * s):
            return (s, INF) if sm.launch_free <= cycle else (NONE, sm.launch_free)
    best, fewest, soonest = NONE, m.most_blocks, INF
    for s in range(m.sms):
        sm = cores.sms[s]
        if sm.blocks < fewest and fits(m, sm, cores.subs, SUBCORES * s):
            if sm.launch_free <= cycle:
                best, fewest = s, sm.blocks
            else:
                soonest = min(soonest, sm.launch_free)
    return best, soonest


@njit(cache=True)
def ask(gpu, events, when):
    """Have launch() called at `when`."""
    if not gpu.launch_scheduled:
        gpu.launch_scheduled = 1
        schedule(events, when, LAUNCH, 0, 0)


@njit(cache=True)
def start(m, chip, cores, grid, s, cycle):
    """Put the next loaded block on SM s, its warps on the sub-cores in turn; its slot.

    The first warp goes where the block before ended. Our microbenchmark launch/warp_slot_allocation: of blocks of 4, 8,
    12, 16 and 32 warps one sub-core further, or sub-core 0 would get the first warps of all.
    """
    sm = cores.sms[s]
    slot = occupy(m, cores, grid, s, chip.run.next_launch, cycle)
    block = cores.blocks[slot]
    chip.run.next_launch += 1
    sm.blocks += 1
    sm.launch_free = cycle + m.launch.sm_interval_cycles
    block.first_subcore = sm.next_subcore
    full = m.warps_per_block % SUBCORES == 0
    sm.next_subcore = (sm.next_subcore + (m.launch.full_block_turn if full else m.warps_per_block)) % SUBCORES
    for i in range(m.warps_per_block):
        cores.subs[SUBCORES * s + (block.first_subcore + i) % SUBCORES].taken += 1
        enter(m, chip, cores, grid, slot, i, cycle, cycle + m.launch.first_instruction_cycles)
    return slot


@njit(cache=True)
def occupy(m, cores, grid, s, tile, cycle):
    """Take a place of SM s for a loaded block, of which no warp has begun; its record."""
    number = grid.loaded[tile % m.loaded_capacity].turn
    source = grid.loaded[number]
    source.launched, source.sm = cycle, s
    slot = s * m.block_places
    while cores.blocks[slot].used:
        slot += 1
    source.slot = slot - s * m.block_places
    block = cores.blocks[slot]
    block.used, block.id, block.live, block.sm, block.loaded = 1, source.id, m.warps_per_block, s, number
    block.tile, block.heir, block.led, block.entered, block.leaving = tile, NONE, 0, 0, 0
    block.arrived[:] = 0
    block.gmma_issued[:] = 0
    block.gmma_done[:] = 0
    block.gmma_arrived[:] = 0
    block.warps[:] = NONE
    if m.mbarriers:
        mbarrier.forget(cores.mbarriers, slot)
    if m.cluster_size == 1 and m.cluster_barriers:
        cluster_barrier.alone(m, cores, slot)
    return slot


@njit(cache=True)
def enter(m, chip, cores, grid, slot, i, cycle, ready):
    """Warp i of a block takes a free place of its sub-core and may issue from `ready` on."""
    block = cores.blocks[slot]
    sm, sub_index = cores.sms[block.sm], SUBCORES * block.sm + (block.first_subcore + i) % SUBCORES
    sub = cores.subs[sub_index]
    if sm.warps == 0:
        sm.active_since = cycle
    if sub.warps == 0:
        sub.active_since = cycle
    sub.warps += 1
    sm.warps += 1
    w = sub_index * m.sm.warp_slots_per_subcore
    while cores.warps[w].block != NONE:
        w += 1
    block.warps[i] = w
    block.entered |= 1 << i
    warp = cores.warps[w]
    begin(chip.run, warp, grid.loaded[block.loaded], cores.stream, i, slot, cycle)
    warp.ready = warp.stall_end = ready
    if m.sm.early_blocks:
        register_file.take(m, sub, warp)
    sub.awake |= warp.bit
    sub.wake = min(sub.wake, warp.ready)
    sm.wake = min(sm.wake, sub.wake)
    chip.counts.launched_warps += 1
    chip.run.warps_alive += 1
    if m.prefetch_places:
        prefetch_buffer.call(chip.events, sm, cycle)


@njit(cache=True)
def fits(m, sm, subs, first):
    """Whether a block's warps fit where they would go: warps are dealt to the sub-cores in strict turn.

    A sub-core has registers for subcore_warps of them. Our microbenchmark launch/block_replacement_latency: with
    registers full, places of blocks of one or two warps stay empty for 1,870 and 1,230 cycles, those of four for 490.
    """
    if m.warps_per_block % SUBCORES == 0 and m.sm.early_blocks == 0:
        return True
    for i in range(SUBCORES):
        more = (m.warps_per_block + SUBCORES - 1 - i) // SUBCORES
        if m.sm.early_blocks:
            if not register_file.has_room(m, subs[first + (sm.next_subcore + i) % SUBCORES], more):
                return False
        elif subs[first + (sm.next_subcore + i) % SUBCORES].taken + more > m.subcore_warps:
            return False
    return True


@njit(cache=True)
def begin(gpu, warp, source, stream, i, slot, cycle):
    """Reset a warp slot to the start of its stream; issue fetches its first line."""
    warp.position, warp.end, warp.access = source.first[i], source.first[i + 1], source.access[i]
    warp.block, warp.number, warp.line, warp.held, warp.leaving = slot, i, NONE, 0, 0
    warp.scoreboard, warp.long, warp.outstanding, warp.gmma_pending = source.open[i], source.open[i], 0, 0
    warp.copy_group, warp.copy_closed, warp.copy_oldest, warp.gathering, warp.meeting = 0, 0, 0, 0, 0
    warp.first_answer, warp.last_answer = 0, 0
    warp.deferred, warp.opened, warp.stored, warp.yielded = 0, 0, 0, 0
    warp.copy_left[:] = 0
    warp.loads, warp.ahead, warp.ahead_line = 0, 0, 0
    warp.ahead_position, warp.ahead_access = warp.position, warp.access
    warp.turn, warp.issued, warp.branched = gpu.next_launch + gpu.heirs, cycle, cycle
    warp.age = gpu.ages
    gpu.ages += 1
    warp.current, warp.off = stream[warp.position] & INDEX, stream[warp.position] >> OFF_BIT
    warp.started, warp.mark, warp.state = cycle, cycle, NO_INSTRUCTION


@njit(cache=True)
def retire(m, chip, cores, grid, w, cycle):
    """A warp that has exited and has nothing outstanding leaves; with the last one the block ends."""
    warp = cores.warps[w]
    settle(warp, cores.stalls, cycle)
    block = cores.blocks[warp.block]
    slot = warp.block
    block.live -= 1
    block.warps[warp.number] = NONE
    chip.counts.retired_warps += 1
    chip.counts.warp_cycles += cycle - warp.started
    chip.run.warps_alive -= 1
    sm, sub = cores.sms[block.sm], cores.subs[w // m.sm.warp_slots_per_subcore]
    sub.warps -= 1
    if sub.warps == 0:
        sub.active += cycle - sub.active_since
    sm.warps -= 1
    if sm.warps == 0:
        sm.active += cycle - sm.active_since
    warp.block, warp.ready = NONE, INF
    if m.sm.early_blocks:
        register_file.leave(m, chip, warp, w // m.sm.warp_slots_per_subcore, cycle)
    if m.cluster_barriers:
        cluster_barrier.leave(m, chip, cores, block, cycle)
    if m.persistent:
        block.leaving += 1
        schedule(chip.events, cycle, SUCCEED, slot, warp.number)
    if block.live:
        barrier.leave(m, cores, block, cycle)
        return
    grid.loaded[block.loaded].done = 1
    grid.loaded[block.loaded].finished = cycle
    chip.run.blocks_done += 1
    if m.cluster_barriers:
        cores.clusters[block.cluster].used -= 1
    if not m.persistent:
        end(m, chip, slot, cycle)


@njit(cache=True)
def end(m, chip, slot, cycle):
    """A block has ended; its place is free some time later."""
    chip.run.ended_fp = max(chip.run.ended_fp, cycle << FP) + m.successor_fp
    chip.run.finish = max(chip.run.finish, chip.run.ended_fp >> FP)
    schedule(chip.events, cycle + m.launch.release_cycles, BLOCK_FREE, slot, 0)


@njit(cache=True)
def succeed(m, chip, cores, grid, slot, i, cycle):
    """Warp i of a persistent block has ended its tile and goes on with the next. False when that has not been loaded yet.

    block.heir: the record of the next tile, once a warp has begun it. led: the tile before has not ended yet, so there is
    no room for another one behind. entered: warps that have begun, as a mask. leaving: events like this one to come.
    """
    block = cores.blocks[slot]
    tile = block.tile + m.places
    more = tile < m.block_total
    if more and block.heir == NONE and (block.live == 0 or (m.tiles_overlap and not block.led)):
        if tile >= chip.run.loaded_blocks:
            schedule(chip.events, cycle, SUCCEED, slot, i)
            return False
        chip.run.heirs += 1
        block.heir = occupy(m, cores, grid, block.sm, tile, cycle)
        heir = cores.blocks[block.heir]
        heir.first_subcore, heir.led = block.first_subcore, 1
    if block.heir != NONE:
        for j in range(m.warps_per_block):
            gone = block.entered >> j & 1 and block.warps[j] == NONE
            if gone and not cores.blocks[block.heir].entered >> j & 1:
                enter(m, chip, cores, grid, block.heir, j, cycle, cycle + m.sm.branch_latency_cycles)
    block.leaving -= 1
    if block.live or block.leaving:
        return True
    if not more:
        end(m, chip, slot, cycle)
        return True
    heir = cores.blocks[block.heir]
    heir.led, block.used = 0, 0
    if heir.live < m.warps_per_block:  # some have ended that tile, too, and waited for room
        heir.leaving += 1
        schedule(chip.events, cycle, SUCCEED, block.heir, i)
    return True


@njit(cache=True)
def free(m, run, cores, events, slot, cycle):
    """The block's resources are back; a successor may start."""
    block = cores.blocks[slot]
    sm = cores.sms[block.sm]
    for i in range(m.warps_per_block):
        cores.subs[SUBCORES * block.sm + (block.first_subcore + i) % SUBCORES].taken -= 1
    block.used = 0
    sm.blocks -= 1
    ask(run, events, max(cycle, run.launch_free_fp >> FP))


@njit(cache=True)
def given_back(run, sub, events, units, cycle):
    """Registers of a sub-core are free; a block may start on them."""
    sub.held -= units
    ask(run, events, max(cycle, run.launch_free_fp >> FP))
