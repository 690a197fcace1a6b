"""A SimConfig as Accel-Sim's files: gpgpusim.config, trace.config, the interconnect file; and what they cannot say.

Every option is written beside the configuration fields it expresses, so the fields without a knob are what is left
over: they become notes of the result, a modified one first. Options that no field governs are as in Accel-Sim's own
H200 configuration (gpgpu-sim, SM90_H200). Units: latencies in SM cycles.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ssmsim.architecture import SM_VERSION
from ssmsim.config.fields import Group
from ssmsim.config.schema import SimConfig
from ssmsim.engines.accelsim.install import Version
from ssmsim.engines.accelsim.memory_options import Memory, memory_options, memory_system

SECTOR_BYTES = 32
ISSUE_LANES = 32
"""Lanes that one issue slot can feed: more of a pipe changes nothing at one instruction per sub-core and cycle."""

# What a dependent instruction waits in Accel-Sim beyond the configured latency (operand collection, write-back):
# chains of dependent instructions replayed by the 2024 core. Subtracted, so that a chain takes what is configured.
PIPE_PATH_CYCLES = 6
L1_PATH_CYCLES = 5
SHARED_PATH_CYCLES = 6

FIXED = [
    ("gpgpu_ptx_sim_mode", 0),
    ("gpgpu_ptx_force_max_capability", SM_VERSION),
    ("gpgpu_stack_size_limit", 1024),
    ("gpgpu_heap_size_limit", 8388608),
    ("gpgpu_kernel_launch_latency", 0),
    ("gpgpu_TB_launch_latency", 0),
    ("gpgpu_max_concurrent_kernel", 128),
    ("gpgpu_clock_gated_lanes", 1),
    ("gpgpu_n_cores_per_cluster", 1),
    ("gpgpu_simd_model", 1),
    ("gpgpu_sub_core_model", 1),
    ("gpgpu_enable_specialized_operand_collector", 0),
    ("gpgpu_operand_collector_num_units_gen", 8),
    ("gpgpu_operand_collector_num_in_ports_gen", 8),
    ("gpgpu_operand_collector_num_out_ports_gen", 8),
    ("gpgpu_pipeline_widths", "4,4,4,4,4,4,4,4,4,4,8,4,4"),
    ("gpgpu_tensor_core_avail", 1),
    ("gpgpu_shmem_limited_broadcast", 0),
    ("gpgpu_shmem_warp_parts", 1),
    ("gpgpu_max_insn_issue_per_warp", 1),
    ("gpgpu_dual_issue_diff_exec_units", 1),
    ("gpgpu_scheduler", "gto"),
    ("gpgpu_adaptive_cache_config", 1),
    ("gpgpu_gmem_skip_L1D", 0),
    ("gpgpu_flush_l1_cache", 1),
    ("gpgpu_l1_cache_write_ratio", 25),
    ("gpgpu_n_cluster_ejection_buffer_size", 32),
    ("gpgpu_cache:il1", "N:64:128:16,L:R:f:N:L,S:2:48,4"),
    ("gpgpu_inst_fetch_throughput", 4),
    ("gpgpu_tex_cache:l1", "N:4:128:256,L:R:m:N:L,T:512:8,128:2"),
    ("gpgpu_const_cache:l1", "N:128:64:8,L:R:f:N:L,S:2:64,4"),
    ("gpgpu_perfect_inst_const_cache", 1),
    ("gpgpu_memlatency_stat", 14),
    ("gpgpu_runtime_stat", 500),
    ("visualizer_enabled", 0),
    ("power_simulation_enabled", 0),
    ("gpgpu_deadlock_detect", 1),
]


ONLY_2 = (("gpgpu_opndcoll_model", 1), ("gpgpu_n_ldst_response_buffer_size", 32))

OUTSIDE = (
    "gpu.compute_capability", "sm.register_allocation_unit", "shared.reserved_bytes_per_block",
    "shared.allocation_unit_bytes", "launch.start_cycles", "launch.end_cycles",
)  # fmt: skip
"""Fields that the trace's header and the row of counters carry (see the engine), not an option."""

GIVEN, LACKING = "options given: ", "options that this Accel-Sim lacks: "
MODIFIED = "Accel-Sim has no knob for what this configuration modifies: "
"""What notes of a result begin with, the names behind them; ssmsim.study.rows makes columns of them."""


@dataclass(frozen=True)
class Option:
    """One option, and the fields ("group.field") whose value it carries."""

    name: str
    value: object
    fields: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        return f"-{self.name} {self.value}"


@dataclass(frozen=True)
class Rendered:
    """Files by name; fields ("group.field") that they carry; notes for people: fields without a knob, values that
    Accel-Sim had to be given instead, the options given and those that this version lacks."""

    files: dict[str, str]
    expressed: frozenset[str]
    notes: tuple[str, ...]

    def write(self, folder: Path) -> None:
        for name, text in self.files.items():
            (folder / name).write_text(text)


def render(
    config: SimConfig, version: Version, network: str = "xbar", has: Callable[[str], bool] = lambda option: True
) -> Rendered:
    """network: "xbar", Accel-Sim's built-in crossbar, or "intersim2", its cycle-level network with the .icnt file.

    has: whether the installed program registers an option. One that it lacks is left out, which a note says by name.
    """
    memory = memory_system(config, version)
    core = [*core_options(config, version), *(Option(*item) for item in memory_options(config, memory, version))]
    if network == "intersim2":
        core += [Option("network_mode", 1), Option("inter_config_file", "interconnect.icnt")]
    else:
        core += [
            Option("network_mode", 2),
            Option("icnt_in_buffer_limit", 512),
            Option("icnt_out_buffer_limit", 512),
            Option("icnt_subnets", 2),
            Option("icnt_flit_size", SECTOR_BYTES + 8),
            Option("icnt_arbiter_algo", 1),
        ]
    trace = trace_options(config, version)
    lacking = [option.name for option in (*core, *trace) if not has(option.name)]
    core, trace = [[option for option in part if has(option.name)] for part in (core, trace)]
    expressed = {field for option in (*core, *trace) for field in option.fields} | set(OUTSIDE)
    files = {
        "gpgpusim.config": "".join(option.line + "\n" for option in core),
        "trace.config": "".join(option.line + "\n" for option in trace),
        "interconnect.icnt": interconnect(config.sm_count + memory.slices),
    }
    notes = (
        *_unexpressed(config, expressed),
        *_substitutes(config, memory, version),
        GIVEN + " ".join(option.line for option in (*core, *trace)),
        LACKING + (", ".join(lacking) or "none"),
    )
    return Rendered(files, frozenset(expressed), notes)


def core_options(config: SimConfig, version: Version) -> list[Option]:
    sm, shared, l1 = config.sm, config.shared, config.l1
    warps = sm.subcores * sm.warp_slots_per_subcore
    base_ways = max(1, l1.ways)
    return [
        *(Option(*item) for item in FIXED),
        Option("gpgpu_compute_capability_major", config.gpu.compute_capability.split(".")[0]),
        Option("gpgpu_compute_capability_minor", config.gpu.compute_capability.split(".")[1]),
        Option("gpgpu_n_clusters", config.sm_count, ("gpu.sms_per_gpc",)),
        Option("gpgpu_shader_registers", sm.registers, ("sm.registers",)),
        Option("gpgpu_registers_per_block", sm.registers),
        Option("gpgpu_occupancy_sm_number", config.gpu.compute_capability.replace(".", "")),
        Option("gpgpu_coalesce_arch", SM_VERSION if version == "2.0" else 70),
        Option("gpgpu_shader_core_pipeline", f"{32 * warps}:32", ("sm.warp_slots_per_subcore",)),
        Option("gpgpu_shader_cta", min(sm.blocks, 32), ("sm.blocks",)),
        Option("gpgpu_num_sched_per_core", sm.subcores, ("sm.subcores",)),
        *(Option(f"gpgpu_num_{unit}_units", sm.subcores) for unit in ("sp", "sfu", "dp", "int", "tensor_core")),
        # depth of the pipes: without these Accel-Sim overruns the ones it allocates
        Option("ptx_opcode_latency_int", ",".join([str(sm.alu_latency_cycles)] * 6)),
        Option("ptx_opcode_latency_fp", ",".join([str(sm.fma_latency_cycles)] * 5)),
        Option("ptx_opcode_latency_dp", ",".join([str(sm.fp64_latency_cycles)] * 5)),
        Option("ptx_opcode_latency_sfu", sm.xu_latency_cycles),
        Option("ptx_opcode_latency_tesnor", config.tensor.hmma_16816_latency_cycles),
        # twice the hardware's banks stand in for the reuse cache, which Accel-Sim lacks (its V100 configuration)
        Option("gpgpu_num_reg_banks", 2 * sm.subcores * sm.register_banks, ("sm.register_banks",)),
        Option("gpgpu_reg_file_port_throughput", sm.register_ports_per_bank, ("sm.register_ports_per_bank",)),
        Option("gpgpu_shmem_num_banks", shared.banks, ("shared.banks",)),
        Option("gpgpu_shmem_option", ",".join(map(str, shared.carveouts_kib)), ("shared.carveouts_kib",)),
        Option("gpgpu_shmem_size", shared.max_bytes_per_sm, ("shared.max_bytes_per_sm",)),
        Option("gpgpu_shmem_sizeDefault", shared.max_bytes_per_sm),
        Option("gpgpu_shmem_per_block", shared.max_bytes_per_block, ("shared.max_bytes_per_block",)),
        Option("gpgpu_smem_latency", shared.load_latency_cycles - SHARED_PATH_CYCLES, ("shared.load_latency_cycles",)),
        Option("gpgpu_unified_l1d_size", l1.unified_bytes // 1024, ("l1.unified_bytes",)),
        Option(
            "gpgpu_cache:dl1",
            f"S:4:{l1.line_bytes}:{base_ways},L:T:m:L:L,A:{l1.miss_lines}:64,16:0,{SECTOR_BYTES}",
            ("l1.line_bytes", "l1.sector_bytes", "l1.ways", "l1.miss_lines"),
        ),
        Option("gpgpu_l1_banks", max(1, l1.bytes_per_cycle // SECTOR_BYTES), ("l1.bytes_per_cycle",)),
        Option("gpgpu_l1_latency", max(1, l1.hit_latency_cycles - L1_PATH_CYCLES), ("l1.hit_latency_cycles",)),
        *(Option(*item) for item in (ONLY_2 if version == "2.0" else ())),
    ]


def pipe(latency: int, interval: int) -> str:
    """ "latency,interval" of a pipe whose dependent instruction should wait `latency` cycles, if that can be."""
    return f"{max(interval, latency - PIPE_PATH_CYCLES)},{interval}"


def interval(lanes: int) -> int:
    """Cycles that a warp instruction holds a pipe of so many lanes."""
    return max(1, ISSUE_LANES // lanes)


def trace_options(config: SimConfig, version: Version) -> list[Option]:
    """trace.config: latency and initiation interval of each pipe, in SM cycles."""
    sm, tensor = config.sm, config.tensor
    options = []
    for name, latency, lanes in (
        ("int", "alu_latency_cycles", "alu_lanes_per_subcore"),
        ("sp", "fma_latency_cycles", "fp32_lanes_per_subcore"),
        ("dp", "fp64_latency_cycles", "fp64_lanes_per_subcore"),
        ("sfu", "xu_latency_cycles", "xu_lanes_per_subcore"),
    ):
        value = pipe(getattr(sm, latency), interval(getattr(sm, lanes)))
        options.append(Option(f"trace_opcode_latency_initiation_{name}", value, (f"sm.{latency}", f"sm.{lanes}")))
    # one HMMA.16816 is 16 x 8 x 16 multiply-adds
    hmma = max(1, round(4096 / (tensor.flops_per_cycle_per_subcore * tensor.hmma_efficiency)))
    matrix = pipe(tensor.hmma_16816_latency_cycles, hmma)
    branch = pipe(sm.branch_latency_cycles, max(1, sm.branch_interval_cycles))
    uniform = pipe(sm.uniform_latency_cycles, sm.uniform_interval_cycles)
    options += [
        Option("trace_opcode_latency_initiation_tensor", matrix),
        *_unit(1, "BRA", branch, "sm.branch_latency_cycles", "sm.branch_interval_cycles"),
        *_unit(2, "TEX", "200,4"),
        *_unit(
            3,
            "TENSOR",
            matrix,
            "tensor.hmma_16816_latency_cycles",
            "tensor.flops_per_cycle_per_subcore",
            "tensor.hmma_efficiency",
        ),
        *_unit(4, "UDP", uniform, "sm.uniform_latency_cycles", "sm.uniform_interval_cycles"),
    ]
    return options + (_unit(5, "GMMA", "128,32") if version == "2.0" else [])


def _unit(number: int, name: str, value: str, *fields: str) -> list[Option]:
    return [
        Option(f"specialized_unit_{number}", f"1,4,{value.split(',')[0]},4,4,{name}"),
        Option(f"trace_opcode_latency_initiation_spec_op_{number}", value, fields),
    ]


def interconnect(nodes: int) -> str:
    """intersim2's file: a crossbar for requests and one for replies, iSLIP, as Accel-Sim's Hopper configuration has."""
    values: dict[str, object] = {
        "use_map": 0, "flit_size": SECTOR_BYTES + 8, "subnets": 2, "topology": "fly", "k": nodes, "n": 1,
        "routing_function": "dest_tag", "num_vcs": 1, "vc_buf_size": 256, "input_buffer_size": 256,
        "ejection_buffer_size": 256, "boundary_buffer_size": 256, "wait_for_tail_credit": 0, "vc_allocator": "islip",
        "sw_allocator": "islip", "alloc_iters": 1, "credit_delay": 0, "routing_delay": 0, "vc_alloc_delay": 1,
        "sw_alloc_delay": 1, "input_speedup": 1, "output_speedup": 1, "internal_speedup": 2.0, "traffic": "uniform",
        "sim_type": "gpgpusim", "injection_rate": 0.1, "read_request_subnet": 0, "read_reply_subnet": 1,
        "write_request_subnet": 0, "write_reply_subnet": 1,
    }  # fmt: skip
    for kind in ("read_request", "write_request", "read_reply", "write_reply"):
        values[f"{kind}_begin_vc"] = values[f"{kind}_end_vc"] = 0
    return "".join(f"{name} = {value};\n" for name, value in values.items())


def _unexpressed(config: SimConfig, expressed: set[str]) -> list[str]:
    """One note for the modified fields without a knob, one for the rest."""
    groups = [(name, value) for name, value in config if isinstance(value, Group)]
    left = [f"{name}.{field}" for name, group in groups for field in type(group).model_fields]
    left = [field for field in left if field not in expressed]
    modified = [field for field in left if (p := config.provenance.get(field)) and p.kind == "modification"]
    notes = []
    if modified:
        notes.append(MODIFIED + ", ".join(modified))
    rest = [field for field in left if field not in modified]
    return [*notes, f"Accel-Sim has no knob for: {', '.join(rest)}"]


def _substitutes(config: SimConfig, memory: Memory, version: Version) -> list[str]:
    sm, notes = config.sm, list(memory.notes)
    for name in ("fp32", "alu", "fp64", "xu"):
        if getattr(sm, f"{name}_lanes_per_subcore") > ISSUE_LANES:
            notes.append(
                f"sm.{name}_lanes_per_subcore beyond {ISSUE_LANES} changes nothing: a sub-core issues one a cycle"
            )
    if version == "1.3":
        notes.append(
            "HGMMA, where this build knows it, runs with HMMA's latency and interval: this version has no unit for it"
        )
    else:
        notes.append("HGMMA's latency depends on N in Accel-Sim's own table, not on this configuration")
    if min(sm.alu_latency_cycles, sm.fma_latency_cycles, sm.branch_latency_cycles) <= PIPE_PATH_CYCLES:
        notes.append(
            f"a dependent instruction waits {PIPE_PATH_CYCLES + 1} cycles or more in Accel-Sim, whatever is asked"
        )
    notes.append("instruction and constant caches are perfect; control bits are not used (scoreboard only)")
    return notes
