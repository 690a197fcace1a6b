"""Exact counts of SASS for the energy model: operations of matrix instructions."""

import pytest

from ssmsim.cost.exact import tensor_operations

BF16, FP16, TF32 = (f"sm__ops_path_tensor_src_{kind}.sum" for kind in ("bf16_dst_fp32", "fp16", "tf32_dst_fp32"))


@pytest.mark.parametrize(
    ("opcode", "counter", "operations"),
    [
        ("HGMMA.64x128x16.F32.BF16", BF16, 2 * 64 * 128 * 16 / 4),
        ("HGMMA.64x8x16.F32", FP16, 2 * 64 * 8 * 16 / 4),
        ("HMMA.16816.F32.BF16", BF16, 4096),
        ("HMMA.1688.F32.TF32", TF32, 2048),
        ("HMMA.1688.F16", FP16, 2048),
    ],
)
def test_operations_of_a_warp_instruction(opcode: str, counter: str, operations: float) -> None:
    assert tensor_operations(opcode) == (counter, operations)


def test_others_are_none_or_refused() -> None:
    assert tensor_operations("HFMA2.MMA") is None and tensor_operations("FFMA") is None
    for opcode in ("IMMA.16832.S8.S8", "DMMA.884", "HGMMA.SP.64x128x32.F32.BF16", "HMMA.F32"):
        with pytest.raises(ValueError):
            tensor_operations(opcode)
