"""Products of matrices that ptxas makes of PTX: the engine runs each of them, and one takes the tensor core as long as measured."""

import struct
from pathlib import Path

import pytest
from compiled import compile_ptx
from ptx_families import FAMILIES, HEAD, kernel

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.accelsim import refusal
from ssmsim.engines.request import Request
from ssmsim.launch import Buffer, Device, Launch
from ssmsim.sass.decode import decode, decode_launch
from ssmsim.tracers import open_tracer

INPUT, OUTPUT, SIZE = 0x7E0000000000, 0x7E0001000000, 1 << 17
PRODUCTS = ("HMMA", "IMMA", "BMMA", "DMMA", "HGMMA", "QGMMA", "IGMMA", "BGMMA")
STATEMENTS = [s for family in ("mma", "wgmma") for s in FAMILIES[family]]


@pytest.fixture(scope="module")
def config() -> SimConfig:
    return load(Path(__file__).parents[2] / "simconfigs/h200.yaml")


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel for each statement."""
    texts = [kernel(f"s{i}", [s], "", 0) for i, s in enumerate(STATEMENTS)]
    folder = tmp_path_factory.mktemp("products")
    (folder / "zeros").write_bytes(bytes(SIZE))  # descriptors
    return compile_ptx(HEAD + "".join(texts), folder / "products.cubin")


def launch_of(cubin: Path, name: str) -> Launch:
    code = decode(cubin, name)
    launch = Launch(
        format="launch/1", kernel=name, device=Device(name="emulated", compute_capability=(9, 0)), grid=(1, 1, 1), block=(128, 1, 1),
        shared_memory_bytes=code.kernel.static_shared, registers_per_thread=255, cubin=cubin.name,
        params=struct.pack("<QQI", INPUT, OUTPUT, 0).ljust(code.kernel.parameter_bytes, b"\0").hex(),
        buffers=[Buffer(address=INPUT, bytes=SIZE, name="in", contents="zeros"), Buffer(address=OUTPUT, bytes=SIZE, name="out")],
    )  # fmt: skip
    launch._folder = cubin.parent
    return launch


@pytest.mark.long
def test_every_product_is_timed(cubin: Path, config: SimConfig) -> None:
    seen = set()
    for i in range(len(STATEMENTS)):
        launch = launch_of(cubin, f"s{i}")
        program, tracer = decode_launch(launch).program, open_tracer("emulated")
        seen |= {name for name in program.opcodes if name.startswith(PRODUCTS)}
        request = Request(program, tracer.blocks(launch, program), launch, config, tracer)
        counters = open_engine("embedded").simulate(request).counters
        assert counters["smsp__inst_executed.sum"] > 0
    assert {name.split(".")[0] for name in seen} == set(PRODUCTS)
    assert any(".SP." in name for name in seen)


def test_accel_sim_refuses_products_that_have_rates_of_their_own() -> None:
    names = {
        "HMMA.16816.F32": "", "HGMMA.64x64x16.F32": "", "IADD3": "", "HMMA.SP.16832.F32": "one rate", "IMMA.16832.S8.S8": "one rate",
        "DMMA.8x8x4": "one rate", "BGMMA.64x64x256.AND.POPC": "one rate",
    }  # fmt: skip
    for name, why in names.items():
        assert why in refusal(*name.split(".")) and bool(why) == bool(refusal(*name.split(".")))
