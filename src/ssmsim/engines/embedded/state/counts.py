"""Sums over the whole GPU, for the result row and the conservation checks."""

from ssmsim.engines.embedded.sm.instruction import PIPES
from ssmsim.engines.embedded.state.records import record

# Sums over the whole GPU, for the result row and the conservation checks.
COUNTS = record(
    "issued", "retired_warps", "launched_warps", "requests", "answers", "warp_cycles", "queue_conflicts",
    "l1_sectors", "l1_hits", "l1_load_sectors", "l1_load_hits", "l1_fills", "l1_fill_sectors",
    "l2_sectors", "l2_hits", "l2_read_sectors", "l2_read_hits", "l2_write_sectors", "l2_far", "l2_fences", "link_bytes", "l2_retries",
    "l2_replies", "dram_reads", "dram_writes", "dram_row_hits", "dram_row_misses", "dram_turns",
    "dram_issued", "dram_done", "reply_bytes", "request_bytes", "merged", "lsu_cycles", "copy_conflicts",
    "prefetch_lines", "prefetch_used", "prefetch_late", "prefetch_lost",
    "fetch_misses", "fetch_lines", "imc_misses", "idc_misses", ("pipe_busy_fp", len(PIPES)),
)  # fmt: skip


# What moves with time but belongs to no single unit: the block scheduler, ports of GPCs, the link between the partitions.
RUN = record(
    "cycle", "launch_free_fp", "launch_scheduled", "next_launch", "heirs", "loaded_blocks", "blocks_done", "ages", "finish", "ended_fp",
    "fault", "warps_alive", "uses", "progress_at", ("gpc_request_fp", 32), ("link_fp", 2),
    "next_gpc", ("gpc_cluster_fp", 32),
    "performed", "answer_by",  # see sm/memory/performed.py
)  # fmt: skip
