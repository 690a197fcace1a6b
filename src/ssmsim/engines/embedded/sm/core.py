"""Records of an SM, its sub-cores and its warps: what their units keep from cycle to cycle."""

from ssmsim.engines.embedded.sm.instruction import PIPES
from ssmsim.engines.embedded.state.records import COPY_GROUPS, LANDINGS, record

# The fields of each line are read together.
WARP = record(
    "ready",  # earliest issue of the current instruction; INF when something must wake it
    "bit",  # of its slot, in masks of the sub-core
    "current",
    "mark",  # cycles before this are in the stall table
    "state",  # stall reason until `ready`
    "yielded",
    "age",
    "turn",  # of its block, in the order of launches
    "issued",  # cycle of its last instruction
    "branched",  # cycle at which it went on from its last branch, or was launched
    "stall_end",  # end of the previous instruction's stall count
    "scoreboard",  # six dependency counters of COUNTER_BITS each
    "long",  # the counters whose last producer was a local or global access
    "position", "end", "line", "held", "deferred",
    "opened", "made", "off", "access", "given", "outstanding", "leaving", "gmma_pending",
    "block", "number", "holds", "gathering", "meeting", "fence", "started", "stored", "paced", "first_answer", "last_answer",
    "loads", "ahead", "ahead_position", "ahead_access", "ahead_line",  # of the prefetcher: loads issued and foreseen, and where it is
    "copy_group", "copy_closed", "copy_oldest", ("copy_left", COPY_GROUPS), ("copy_add", COPY_GROUPS), ("copy_told", COPY_GROUPS),
    whole_lines=True,
)  # fmt: skip


SUBCORE = record(
    "wake",
    "awake",  # Warp.bit of at least those warps whose `ready` is not INF
    "refused",  # and of those that found the queue of memory instructions full
    "greedy", "last", "hold_fp", "stage_free_fp", "even_free_fp", "odd_free_fp",
    "fma_turn", "issued", "special_room", ("pipe_free_fp", len(PIPES) + 1),
    "queue_head", "queue_tail", "queue_count", "queue_last", "unread", "handed", "handed_data", "lg_count", "given", "given_turn",
    "taken", "held", "warps", "active_since", "active",
    whole_lines=True,
)  # fmt: skip


SM = record(
    "wake", "number", "gpc", "cpc", "side", "blocks", "warps", "next_subcore", "fenced_until", "active_since", "active", "launch_free",
    "lsu_free", "lsu_next", "tags_free", "back_head", "back_tail", "back_last", "through", "hand_free",
    "request_free_fp", "reply_free_fp", "tensor_free_fp", "tensor_group", "tensor_shadow_fp", "port_share_fp",
    "pieces_from_fp", "piece_period_fp", "piece_fp", "results_free_fp",
    "store_free_fp", "storing_from", "storing_until", "copy_debt_fp", "copy_free_fp", "copy_past_free_fp", "copy_back_fp", "copy_written",
    "misses", "awaited", "ahead_due", "ahead_free", "ahead_turn", "ahead_next", "ahead_awaited",
    "places_taken_fp", "oldest", "newest",
    ("landing_from", LANDINGS), ("landing_until", LANDINGS), "landings",
    "fetch_free", "prefetch_free", "refill_free", "refill_ahead", "refill_interval", "stores", "barrier_free",
    "last_access", "last_far", "stores_issued", "stores_acknowledged", "fences_waiting", "clean", ("fence_began", 2), ("fence_over", 2),
    "fence_state", "fence_group", "fence_next", "fence_sent", "fence_until", "fence_target",
    "tma_head", "tma_tail", "tma_next", "tma_free", "tma_time_fp", "tma_fill_free_fp", "takes_clusters", "cluster_free_fp",
)  # fmt: skip
