"""Accel-Sim's printed statistics to the counters of a result row.

Its cache statistics count sector accesses, as ncu's `t_sectors` do. Unless said otherwise a statistic is of the whole
GPU and accumulates over the kernels of a run, so a kernel's own is the difference to the kernel before it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError

SECTOR_BYTES = 32
ATOM_BYTES = 32
"""One DRAM command moves this much in every configuration that render.py writes."""

_VALUE = re.compile(r"^\s*([A-Za-z][\w\[\]:/ ]*?)\s*=\s*(-?[\d.]+(?:e[-+]?\d+)?)\s*%?\s*$", re.M)
_DRAM = re.compile(r"\bn_rd=(\d+).*?n_rd_L2_A=(\d+) n_write=(\d+) n_wr_bk=(\d+)")
_KERNEL = re.compile(r"^kernel_name = (.*?)\s*$", re.M)
_BUILD = re.compile(r"^\s*(Accel-Sim) \[build (\S+?)\]|(GPGPU-Sim) Simulator Version (\S+) +\[build (\S+?)\]", re.M)
_NEEDED = ("gpu_sim_cycle", "gpgpu_n_tot_w_icount", "gpu_tot_issued_cta")


@dataclass(frozen=True)
class Statistics:
    """What was printed after one kernel. values: the last number of each name. dram_*: commands of all channels."""

    kernel: str
    values: dict[str, float]
    dram_reads: int
    dram_writes: int

    def get(self, name: str) -> float:
        return self.values.get(name, 0.0)

    def minus(self, before: "Statistics") -> "Statistics":
        """This kernel's own share; gpu_sim_cycle and gpu_occupancy are a kernel's own already."""
        own = ("gpu_sim_cycle", "gpu_sim_insn", "gpu_occupancy")
        values = {name: value if name in own else value - before.get(name) for name, value in self.values.items()}
        return Statistics(
            self.kernel, values, self.dram_reads - before.dram_reads, self.dram_writes - before.dram_writes
        )


def parse_log(log: Path) -> list[Statistics]:
    """One entry per kernel that finished, in order. SsmsimError when a kernel's statistics are not all there."""
    text = log.read_text("utf-8", "replace")
    bounds = [*(match.start() for match in _KERNEL.finditer(text)), len(text)]
    return [_parse(text[a:b], log) for a, b in pairwise(bounds)]


def builds(log: Path) -> str:
    """Versions that it prints first: `Accel-Sim accelsim-commit-1234567, GPGPU-Sim 4.2.0 gpgpu-sim_git-commit-1234567`."""
    with log.open(encoding="utf-8", errors="replace") as stream:
        found = _BUILD.findall(stream.read(4096))
    return ", ".join(" ".join(word for word in words if word) for words in found) or "Accel-Sim of an unknown version"


def _parse(text: str, log: Path) -> Statistics:
    name = _KERNEL.match(text)
    values = {match[1]: float(match[2]) for match in _VALUE.finditer(text) if match[2].count(".") < 2}
    missing = [needed for needed in _NEEDED if needed not in values]
    if missing or name is None:
        raise SsmsimError(f"Accel-Sim printed no {', '.join(missing)}", log, "its version prints other statistics")
    commands = [tuple(map(int, match.groups())) for match in _DRAM.finditer(text)]
    return Statistics(
        kernel=name[1],
        values=values,
        dram_reads=sum(read + read_after for read, read_after, _, _ in commands),
        dram_writes=sum(write + back for _, _, write, back in commands),
    )


def _accesses(statistics: Statistics, cache: str, kinds: tuple[str, ...], outcome: str) -> float:
    return sum(statistics.get(f"{cache}[{kind}][{outcome}]") for kind in kinds)


READS, WRITES = ("GLOBAL_ACC_R", "LOCAL_ACC_R"), ("GLOBAL_ACC_W", "LOCAL_ACC_W")
L1, L2 = "Total_core_cache_stats_breakdown", "L2_cache_stats_breakdown"


def _share(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


def _total(statistics: Statistics, cache: str, kinds: tuple[str, ...]) -> float:
    outcomes = ("HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS")
    return sum(_accesses(statistics, cache, kinds, outcome) for outcome in outcomes)


def l2_read_hits(statistics: Statistics) -> float:
    """Read sectors that L2 had or had already asked for."""
    return _accesses(statistics, L2, READS, "HIT") + _accesses(statistics, L2, READS, "HIT_RESERVED")


def counters(statistics: Statistics, config: SimConfig, plain_loads: bool) -> dict[str, float | None]:
    """Counters by ncu name, units as there; what Accel-Sim has no statistic for is None.

    plain_loads: all global accesses of the kernel are LDG and STG, so that Accel-Sim's global reads, which hold LDGSTS
    and atomics too, are what ncu's op_ld counts.
    """
    launch, clock = config.launch, config.gpu.sm_clock_mhz
    simulated = statistics.get("gpu_sim_cycle")
    # kernel launch latency is rendered as 0; what ncu's counter holds beyond the blocks' run is the configuration's
    cycles = simulated + launch.start_cycles + launch.end_cycles
    seconds = cycles / (clock * 1e6)
    read, written = ATOM_BYTES * statistics.dram_reads, ATOM_BYTES * statistics.dram_writes
    both = (*READS, *WRITES)
    l1_total, l2_total = _total(statistics, L1, both), _total(statistics, L2, both)
    # a read sector that is already on its way counts as a hit, as in Accel-Sim's own correlation (correl_mappings.py)
    l1_hits = _accesses(statistics, L1, both, "HIT") + _accesses(statistics, L1, READS, "HIT_RESERVED")
    l2_hits = l2_read_hits(statistics) + _total(statistics, L2, WRITES)
    occupancy = statistics.values.get("gpu_occupancy")
    return {
        "gpc__cycles_elapsed.max": cycles,
        "gpu__time_duration.sum": 1e9 * seconds,
        # every line of the trace that was issued, guard false included; a .traceg has one line per LDGSTS
        "smsp__inst_executed.sum": statistics.get("gpgpu_n_tot_w_icount"),
        # lanes of the traced masks: active and guard
        "smsp__thread_inst_executed_pred_on.sum": statistics.values.get("gpgpu_n_tot_thrd_icount"),
        # warps resident over warp slots, of SMs that hold any
        "sm__warps_active.avg.pct_of_peak_sustained_active": occupancy,
        # sectors of loads, stores and LDGSTS; atomics pass L1 by
        "l1tex__t_sector_hit_rate.pct": _share(l1_hits, l1_total),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": _total(statistics, L1, READS[:1]) if plain_loads else None,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": _total(statistics, L1, WRITES[:1]) if plain_loads else None,
        # sectors that reach the slices from the SMs; write-backs and fills are not among them. A written sector fetches
        # nothing: Accel-Sim calls the first write of it a miss, ncu a hit (a kernel that writes 524,288 fresh sectors
        # and reads 262,144 from DRAM has 405,000 misses there)
        "lts__t_sector_hit_rate.pct": _share(l2_hits, l2_total),
        "lts__t_sectors.sum": l2_total,
        "lts__t_sectors_op_read.sum": _total(statistics, L2, READS),
        "lts__t_sectors_op_write.sum": _total(statistics, L2, WRITES),
        # commands of the DRAM model times their bytes; lines still dirty in L2 at the end are not written, as under ncu
        "dram__bytes_read.sum": read,
        "dram__bytes_write.sum": written,
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": _share(
            (read + written) / seconds, config.dram.peak_gb_per_s * 1e9
        ),
    }


NO_STATISTIC = {
    "sm__cycles_active": "the cycles of one SM are not printed",
    "smsp__issue_active": "needs the active cycles of a sub-core",
    "l1tex__data_pipe": "LDSM and STSM do not reach its shared-memory model in every version",
    "sm__inst_executed_pipe": "counted by its own units, which differ from ncu's pipes",
    "smsp__average_warps_issue_stalled": "its stall counts are of issue slots, not of warps",
}
"""Families of counters that stay None, and why."""
