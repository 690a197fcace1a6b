"""What a capture does with a launch that it cannot keep: the others are kept, and the sequence says what is missing and why."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from ssmsim.capture import cupti, driver, intercept, writer
from ssmsim.capture.ablate import _patched
from ssmsim.capture.intercept import Interceptor
from ssmsim.capture.measure import check
from ssmsim.capture.names import short_name
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.refused import Refused, launched, summary
from ssmsim.coverage.occurrences import occurrences
from ssmsim.elf_attributes import code_sha256, kernel_info, kernel_names
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch

CASE = read_launch(Path(__file__).parents[1] / "data/cases/constant-symbol")
IMAGE = CASE.cubin_path.read_bytes()
OTHER = _patched(CASE, [0])  # the same kernel with another first instruction


@pytest.fixture
def interceptor(monkeypatch: pytest.MonkeyPatch) -> Interceptor:
    """Without CUPTI and a driver; the function's attributes are those of the case's kernel."""
    info = kernel_info(IMAGE, CASE.kernel)
    told = {driver.NUM_REGS: info.registers, driver.SHARED_SIZE_BYTES: info.static_shared}
    monkeypatch.setattr(cupti, "subscribe", lambda handler: lambda: None)
    monkeypatch.setattr(driver, "module_of", lambda function: 7)
    monkeypatch.setattr(driver, "function_attribute", lambda function, attribute: told[attribute])
    monkeypatch.setattr(driver, "parameters_of", lambda function: info.params)
    return Interceptor()


def load(interceptor: Interceptor, image: bytes) -> Cubin:
    interceptor._loaded(image)
    return interceptor._thread.latest


def test_a_name_in_two_modules_of_the_same_code_is_no_question(interceptor: Interceptor):
    load(interceptor, IMAGE)
    load(interceptor, IMAGE + bytes(16))  # another file, the same code
    assert interceptor._cubin(CASE.kernel, 1, None).kernels == tuple(kernel_names(IMAGE))


def test_a_name_in_two_modules_of_other_code_is_the_one_that_the_driver_loaded_for_it(interceptor: Interceptor):
    load(interceptor, IMAGE)
    second = load(interceptor, OTHER)
    with pytest.raises(SsmsimError, match="2 loaded cubins have it, with different code"):
        interceptor._cubin(CASE.kernel, 1, None)
    assert interceptor._cubin(CASE.kernel, 1, second) is second
    assert interceptor._cubin(CASE.kernel, 1, None) is second  # its module is known from then on


def test_code_that_is_not_what_the_driver_says_of_the_function_is_left_out(
    interceptor: Interceptor, monkeypatch: pytest.MonkeyPatch
):
    first = load(interceptor, IMAGE)
    other = load(interceptor, OTHER)
    real = intercept.kernel_info
    larger = lambda image, kernel: SimpleNamespace(**(vars(real(image, kernel)) | {"registers": 255}))  # noqa: E731
    monkeypatch.setattr(
        intercept, "kernel_info", lambda image, kernel: (larger if image == other.image else real)(image, kernel)
    )
    assert interceptor._cubin(CASE.kernel, 1, None) is first


def test_no_module_has_it(interceptor: Interceptor):
    with pytest.raises(SsmsimError, match="no loaded cubin has it"):
        interceptor._cubin("elsewhere", 1, None)


@pytest.fixture
def capture(interceptor: Interceptor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A launch that was kept between two that were not."""
    cubin = Cubin(IMAGE, "1", (CASE.kernel,))
    kept = Recorded(
        kernel=CASE.kernel, cubin=cubin, code_sha256=code_sha256(IMAGE, CASE.kernel), info=kernel_info(IMAGE, CASE.kernel),
        grid=CASE.grid, block=CASE.block, cluster=(1, 1, 1), shared=0, registers=CASE.registers_per_thread,
        params=CASE.param_bytes, buffers=[],
    )  # fmt: skip
    clock = SimpleNamespace(microseconds_to=lambda other: 2.5)
    interceptor.launches = [
        Refused("first", "because", (4, 1, 1), (32, 1, 1)),
        kept,
        Refused("CUDA graph", "all at once"),
    ]
    interceptor.operations = [
        {"launch": 0},
        {"set": {"address": 1, "width": 1, "value": 0, "count": 4}},
        {"launch": 1},
        {"launch": 2},
    ]
    interceptor.timers = [(clock, clock), (clock, clock)]
    monkeypatch.setattr(driver, "synchronize", lambda: None)
    device = {"name": "NVIDIA H100", "compute_capability": (9, 0), "multiprocessors": 132, "l2_bytes": 52428800}
    monkeypatch.setattr(writer.device, "current", lambda: device)
    monkeypatch.setattr(writer.device, "smi", dict)
    writer.write(tmp_path, interceptor)
    return tmp_path


def test_the_sequence_has_what_was_refused_and_the_rest_is_kept(capture: Path):
    operations = json.loads((capture / "sequence.json").read_text())["operations"]
    assert [next(iter(one)) for one in operations] == ["refused", "set", "launch", "refused"]
    first, last = operations[0]["refused"], operations[3]["refused"]
    assert (first["kernel"], first["reason"], first["grid"], first["time_ns"]) == ("first", "because", [4, 1, 1], 2500)
    assert "time_ns" not in last
    found = launched(capture)
    assert [type(one).__name__ for one in found.values()] == ["Refused", "Launch", "Refused"]
    assert [one.reason for one in occurrences(capture)] == ["because", "", "all at once"]
    assert summary(capture).splitlines() == [
        "captured 1 of 3 launches (50.0 % of the time), stored as 1",
        "launches  stored     time",
        "       1       1   50.0 %  captured",
        "       1       -   50.0 %  refused: first: because",
        "       1       -    0.0 %  refused: CUDA graph: all at once",
    ]


def test_a_launch_that_cannot_be_written_is_refused_alone(capture: Path, interceptor: Interceptor, tmp_path: Path):
    bad = interceptor.launches[1]
    assert isinstance(bad, Recorded)
    bad.block = (4096, 1, 1)
    writer.write(tmp_path / "again", interceptor)
    found = list(launched(tmp_path / "again").values())
    assert isinstance(found[1], Refused) and "4096" in found[1].reason
    assert not list((tmp_path / "again").glob("*/launch.json"))


def test_what_was_refused_is_measured_by_name_and_geometry():
    refused = Refused("first", "because", (4, 1, 1), (32, 1, 1))
    same = {"kernel": "first", "grid": (4, 1, 1), "block": (32, 1, 1), "code": "any"}
    check(0, "00-first", refused, same, "timed run")
    with pytest.raises(SsmsimError, match="has grid"):
        check(0, "00-first", refused, same | {"grid": (5, 1, 1)}, "timed run")


def test_one_line_says_why_contents_are_missing(capture: Path):
    """However many launches and buffers it is, and whatever their addresses are."""
    reasons = [
        "more than --contents-limit: 0x7fc8fc000000 of 413138944 bytes, 0x7fc8fc000000 of 413138944 bytes",
        "more than --contents-limit: a buffer of 411705344 bytes",
        "a replay is refused: address 0x7f0000001000 lies outside every buffer",
        "a replay is refused: address 0x7f0000002000 lies outside every buffer",
    ]
    given = read_launch(next(capture.glob("*/launch.json")).parent)
    operations = []
    for k, reason in enumerate(reasons):
        (capture / f"1{k}-k").mkdir()
        given.model_copy(update={"provenance": given.provenance | {"contents_missing": reason}}).write(
            capture / f"1{k}-k"
        )
        operations.append({"launch": f"1{k}-k"})
    (capture / "sequence.json").write_text(json.dumps({"format": "sequence/1", "operations": operations}))
    name = short_name(CASE.kernel)
    assert summary(capture).splitlines() == [
        "captured 4 of 4 launches, stored as 4",
        "launches  stored     time",
        f"       2       2        -  captured, contents missing: {name}: more than --contents-limit, up to 394 MiB",
        f"       2       2        -  captured, contents missing: {name}: a replay is refused: address N lies outside every buffer",
    ]
