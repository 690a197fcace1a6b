"""Cutting a cubin down keeps its kernels as they are."""

from pathlib import Path

import pytest

from ssmsim.capture.reduce import reduce_cubin
from ssmsim.elf_attributes import code_sha256, kernel_info, kernel_names
from ssmsim.errors import SsmsimError

ROOT = Path(__file__).parents[2]
TWO = next(p for p in sorted(ROOT.glob("traces/h200/mamba2-8b/cubins/*")) if len(kernel_names(p.read_bytes())) > 1)


def test_one_of_two_kernels(tmp_path: Path):
    image = TWO.read_bytes()
    first, second, *_ = kernel_names(image)
    cut = reduce_cubin(image, {second})
    assert kernel_names(cut) == [second] and len(cut) < len(image)
    assert kernel_info(cut, second) == kernel_info(image, second)
    assert code_sha256(cut, second) == code_sha256(image, second)
    with pytest.raises(SsmsimError, match="no kernel"):
        kernel_info(cut, first)


def test_nothing_left_to_cut():
    image = TWO.read_bytes()
    assert reduce_cubin(image, set(kernel_names(image))) == image


def test_debug_information_goes():
    oracle = ROOT / "tests" / "data" / "oracle"
    for path in sorted(oracle.glob("*/*.cubin"))[:3]:
        image = path.read_bytes()
        kernels = set(kernel_names(image))
        cut = reduce_cubin(image, kernels)
        assert b".debug_line" not in cut and b"nv_debug_ptx" not in cut
        for kernel in kernels:
            assert code_sha256(cut, kernel) == code_sha256(image, kernel)
