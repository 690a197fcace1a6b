"""Products of matrices by one warp: how long each takes the tensor core, and when DMMA's result is there."""

import numpy as np
import pytest
from streams import EXIT, assemble, issued, one_sm, op

from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.state.records import FP

TENSOR = one_sm().tensor
CYCLES = {  # of sm/mma_format_throughput, rate.16
    "HMMA.16816.F32": 6, "HMMA.16816.F16": 6, "HMMA.1688.F32.BF16": 4, "HMMA.1688.F32.TF32": 6, "HMMA.1684.F32.TF32": 4,
    "IMMA.8816.S8.S8": 4, "IMMA.16816.U8.S8": 4, "IMMA.16832.S8.S8.SAT": 6,
    "BMMA.88128.AND.POPC": 4, "BMMA.168128.XOR.POPC": 4, "BMMA.168256.AND.POPC": 6,
    "HMMA.SP.16816.F32": 6, "HMMA.SP.16832.F32": 8.25, "HMMA.SP.1688.F32.TF32": 6, "HMMA.SP.16816.F32.TF32": 8.25,
    "IMMA.SP.16832.S8.S8": 6, "IMMA.SP.16864.U8.S8": 8.25,
    "DMMA.8x8x4": 16, "DMMA.16x8x4": 16, "DMMA.16x8x8": 32, "DMMA.16x8x16": 64,
}  # fmt: skip


@pytest.mark.parametrize(("name", "cycles"), CYCLES.items())
def test_products_follow_each_other_as_measured(name: str, cycles: float) -> None:
    times = issued([*[op(f"{name} R0, R4, R8, R0")] * 9, EXIT])
    assert times[8] == pytest.approx(8 * cycles, abs=1)


@pytest.mark.parametrize(("shape", "cycles"), [("8x8x4", 26), ("16x8x4", 34), ("16x8x8", 50), ("16x8x16", 82)])
def test_dmma_releases_its_counter(shape: str, cycles: int) -> None:
    times = issued([op(f"DMMA.{shape} R0, R4, R8, R0", write=0), op("NOP", wait=[0]), EXIT])
    assert times[1] - times[0] == cycles


def row(text: str, n: int) -> np.ndarray:
    """The record of a warpgroup product."""
    return instructions.translate(assemble([op(text, gmma_n=n, gmma_commits=1), EXIT]), one_sm())[0]


@pytest.mark.parametrize(
    ("text", "n", "cycles", "operands"),
    [
        ("HGMMA.64x128x16.F32 R24, gdesc[UR4], R24, gsb0", 128, 64, 48),
        ("HGMMA.SP.64x128x32.F32 R24, gdesc[UR4], R24, R2, 0x0, gsb0", 128, 64, 80),
        ("QGMMA.SP.64x64x64.F32.E4M3.E4M3 R24, R4, gdesc[UR4], R24, R2, gsb0", 64, 32, 32),
        ("BGMMA.64x256x256.AND.POPC R24, gdesc[UR4], R24, gsb0", 256, 128, 80),
    ],
)
def test_warpgroup_products_by_their_operands(text: str, n: int, cycles: int, operands: int) -> None:
    """A sparse one takes as long, and reads twice as much of B."""
    one = row(text, n)
    assert (one.gmma_fp >> FP, one.gmma_smem_fp >> FP) == (cycles, operands)
    assert one.turn_fp >> FP == (TENSOR.hgmma_sparse_turn_cycles if ".SP." in text else 0)
