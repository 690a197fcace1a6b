"""Every opcode that ptxas makes of PTX for sm_90a is emulated, and tested, or refused by name before anything runs."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from async_programs import program_text
from compiled import codes_of, compile_ptx, ptxas
from dataflow import faults
from ptx_families import FAMILIES, FUNCTIONS, HEAD, kernel, module
from statement_models import CASES

from ssmsim.errors import SsmsimError
from ssmsim.launch import Device, Launch
from ssmsim.sass.decode import Code, _disassemble, decode_launch
from ssmsim.sass.opcodes import OPCODES
from ssmsim.tracers.emulated.report import support

pytestmark = pytest.mark.long

DATA = Path(__file__).parents[1] / "data"
# Dead code that ptxas itself leaves: a count unpacked again behind a reduction, the high half of a generic address.
ITS_OWN = {("control", "SHF.R.U32"), ("mbarrier", "MOV")}
ROLES_UNKNOWN = {"texture"}  # how many registers a coordinate takes hangs on the geometry; all of them are refused
# Emulated, and without a value that a statement leaves: order, hints, control (which tests/golden has), what only fences use.
NO_VALUES = frozenset(
    [
        "ACQBULK",
        "BREAK",
        "CCTL",
        "CGAERRBAR",
        "DEPBAR",
        "ERRBAR",
        "FENCE",
        "LDGDEPBAR",
        "MEMBAR",
        "NANOSLEEP",
        "NOP",
        "PMTRIG",
        "PREEXIT",
        "UP2UR",
        "UR2UP",
        "USETMAXREG",
        "UTMACCTL",
        "UTMACMDFLUSH",
        "UTMAPF",
        "UBLKPF",
        "UCGABAR_ARV",
        "UCGABAR_WAIT",
        "WARPGROUP",
        "YIELD",
        "BPT",
    ]
)


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, list[Code]]:
    """The cubin of every family, and its kernels, decoded."""
    ptxas()
    folder = tmp_path_factory.mktemp("families")

    def compiled(name: str) -> Path:
        return compile_ptx(module(FAMILIES[name], name), folder / f"{name}.cubin")

    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(compiled, FAMILIES))
    return {path: codes_of(path) for path in paths}


def forms(survey: dict[Path, list[Code]]) -> Iterator[tuple[Path, str, Code]]:
    """(cubin of the family, full opcode, kernel), each opcode once."""
    seen = set()
    for path, codes in survey.items():
        for code in codes:
            for opcode in code.program.opcodes:
                if opcode not in seen:
                    seen.add(opcode)
                    yield path, opcode, code


@pytest.fixture(scope="session")
def tested(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Base opcodes of the programs whose results tests compare with a model."""
    path = tmp_path_factory.mktemp("tested") / "statements.cubin"
    texts = [kernel(f"s{i}", [s]) for i, s in enumerate(CASES)]
    functions = "".join(FUNCTIONS[f] for f in FUNCTIONS if any(f in s for s in CASES))
    compile_ptx(HEAD + functions + "".join(texts), path)
    control = [DATA / "kernels" / f"{name}.cubin" for name in ("control", "special", "barriers")]
    asynchronous = compile_ptx(program_text(), tmp_path_factory.mktemp("asynchronous") / "programs.cubin")
    cubins = [path, asynchronous, *control, *(DATA / "opcodes").glob("*.cubin")]
    kernels = [items for cubin in cubins for items in _disassemble(cubin.read_bytes(), cubin).values()]
    return {item["opcode"].split(".")[0] for items in kernels for item in items}


def test_the_survey_is_wide(survey: dict[Path, list[Code]]) -> None:
    bases = {opcode.split(".")[0] for _, opcode, _ in forms(survey)}
    assert len(bases) > 140
    assert bases <= set(OPCODES)


def test_operands_fit_the_code_around_them(survey: dict[Path, list[Code]]) -> None:
    found = [
        (path.stem, fault) for path, codes in survey.items() for code in codes for fault in faults(code)
        if path.stem not in ROLES_UNKNOWN and (path.stem, fault.split()[0]) not in ITS_OWN
    ]  # fmt: skip
    assert not found


def test_each_opcode_is_emulated_and_tested_or_refused(survey: dict[Path, list[Code]], tested: set[str]) -> None:
    untested = {}
    for path, opcode, code in forms(survey):
        base = opcode.split(".")[0]
        row = support(opcode)
        if row.replay.startswith("refused: "):
            launch = launch_of(code, path)
            with pytest.raises(SsmsimError) as told:
                decode_launch(launch)
            assert told.value.what in {s.replay.removeprefix("refused: ") for s in map(support, code.program.opcodes)}
        elif row.replay == "emulated" and base not in tested | NO_VALUES:
            untested[base] = opcode
        assert row.timing
    assert not untested


def launch_of(code: Code, path: Path) -> Launch:
    """A launch of a kernel of the survey."""
    launch = Launch(
        format="launch/1", kernel=code.kernel.name, device=Device(name="H100", compute_capability=(9, 0)), grid=(2, 1, 1),
        block=(64, 1, 1), shared_memory_bytes=code.kernel.static_shared, registers_per_thread=168, cubin=path.name, buffers=[],
        params=bytes(192).hex(),
    )  # fmt: skip
    launch._folder = path.parent
    return launch
