"""Old names are replaced where they name a microbenchmark, and stay where they are words; a second time changes nothing."""

import pytest

from ssmsim.microbenchmarks.rename import ROOT, Texts, read_names, rewrite

CASES = {"barrier.sync", "barrier.sync.16", "l2.read_l2", "precedence.both", "precedence.both.cubin"}
TEXTS = Texts(read_names(), CASES)
SPOKEN = {
    "our microbenchmark joins)": "our microbenchmark noc/request_coalescing)",
    "Our microbenchmark channel, rows: the": "Our microbenchmark dram/bank_mapping, rows: the",
    "microbenchmarks hot, amid)": "microbenchmarks l2/single_slice_atomic_throughput, l2/load_latency_beside_atomics)",
    "microbenchmarks favours and mio show": "microbenchmarks sm/issue_slot_arbitration and sm_memory/mio_queue_wait show",
    "the fence microbenchmark saw": "the sm_memory/fence_latency microbenchmark saw",
    "wait (turns: commit)": "wait (sm_memory/lsu_occupancy: commit)",
    '["barrier.sync"]': '["sm/barrier_latency.sync"]',
    "programs.l2 import GPC, sms": "programs.l2 import GPC, sms",
    "microbenchmarks.programs.l2 import GPC, sms": "microbenchmarks.programs.l2.latency_bandwidth import GPC, sms",
    '"launches/cubins/precedence.both.cubin"': '"launches/sm/cubins/block_issue_priority.both.cubin"',
    '"launches/barrier.sync.16"': '"launches/sm/barrier_latency.sync.16"',
    '"h200/microbenchmarks") / "homes.json"': '"h200/microbenchmarks") / "l2/slice_hash.json"',
    'SOURCE = "icache"': 'SOURCE = "sm/instruction_fetch_throughput"',
    "ssmsim.microbenchmarks.words import": "ssmsim.microbenchmarks.instruction_words import",
}
WORDS = [
    "warps take turns: the older goes first", "def groups(launch: Launch, count: int)", 'folder / "launch.json"',
    "a barrier.wait, and shared: memory", "self.l2.read(stores)", "places of copies on their way", "launch.hold()", 'out / "link.json"',
    "microbenchmarks.programs.l2 import latency_bandwidth", "all banks (banks that are free)",
]  # fmt: skip


@pytest.mark.parametrize("text", SPOKEN)
def test_a_microbenchmark_that_is_named_gets_its_new_name(text):
    assert TEXTS.everywhere(text) == SPOKEN[text]
    assert TEXTS.everywhere(SPOKEN[text]) == SPOKEN[text]


@pytest.mark.parametrize("text", WORDS)
def test_words_stay(text):
    assert TEXTS.everywhere(text) == text


def test_modules_are_imported_from_their_groups_and_used_by_their_new_names():
    text = "from ssmsim.microbenchmarks.programs import channel, link\n\nlink.rates(channel.LINES)\n"
    assert TEXTS.everywhere(text) == (
        "from ssmsim.microbenchmarks.programs.dram import bank_mapping\n"
        "from ssmsim.microbenchmarks.programs.noc import partition_link_bandwidth\n\n"
        "partition_link_bandwidth.rates(bank_mapping.LINES)\n"
    )


def test_sources_of_fields_keep_the_fields_names(tmp_path):
    file = tmp_path / "gpu.yaml"
    file.write_text('shared:\n  banks: {value: 32, source: "jumps: 63 hops; banks: ss128, rows: 2", kind: x}\n')
    assert rewrite(file, TEXTS).splitlines()[1] == (
        '  banks: {value: 32, source: "sm/instruction_cache_latency: 63 hops; sm/register_bank_conflicts: ss128, '
        'sm_memory/ldgsts_word_occupancy: 2", kind: x}'
    )


def test_a_source_may_name_programs_alone():
    assert TEXTS.source('"favours and chains; HB"') == (
        '"sm/issue_slot_arbitration and sm/dependent_chain_throughput; HB"'
    )


def test_of_evidence_the_first_names_are_programs_and_the_rest_samples():
    assert TEXTS.evidence("launch: order, warps; bursts (H100); l1") == (
        "launch/block_dispatch_rate: order, warps; sm_memory/load_data_bank_timing (H100); l1/latency_capacity_bandwidth"
    )


def test_in_markdown_ordinary_words_are_names_beside_other_names_and_in_links_to_programs():
    assert TEXTS.markdown("| `l2`, `crew`: line | `l2` |\n") == (
        "| `l2/latency_bandwidth`, `dram/load_latency_by_pattern`: line | `l2` |\n"
    )
    assert TEXTS.markdown("[`rows`](../programs/rows.py)") == (
        "[`sm_memory/ldgsts_word_occupancy`](../programs/sm_memory/ldgsts_word_occupancy.py)"
    )
    assert TEXTS.markdown("in `order`, by `crew`") == "in `order`, by `dram/load_latency_by_pattern`"


def test_results_keep_their_numbers(tmp_path):
    file = tmp_path / "launch.json"
    file.write_text('{\n "cubin": "../cubins/pipes.ffma.cubin",\n "params": "00",\n  "microbenchmark": "pipes"\n}\n')
    assert rewrite(file, TEXTS) == (
        '{\n "cubin": "../cubins/instruction_latency_throughput.ffma.cubin",\n "params": "00",\n'
        '  "microbenchmark": "sm/instruction_latency_throughput"\n}\n'
    )


def test_texts_of_the_checkout_have_no_old_names():
    for name in (
        "simconfigs/h200.yaml",
        "simconfigs/h100.yaml",
        "traces/h200/microbenchmarks/README.md",
        "traces/README.md",
    ):
        assert rewrite(ROOT / name, TEXTS) == (ROOT / name).read_text()
