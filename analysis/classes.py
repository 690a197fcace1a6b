"""Tensor-only, vector-only or mixed: which units a kernel computes with, by its instruction counters.

A kernel uses the tensor cores when these computed anything (their pipe's instruction count would not do: the assembler
loads constants through it). It uses the vector units when its fp32, fp16 and fp64 vector arithmetic is at least
VECTOR_SHARE of its FLOP: address arithmetic is integer and counts as neither, and a GEMM's last scaling or sum of each
output, up to 4 FLOP per thousand here, does not make it mixed. Every threshold from 4 to 5.8 per thousand gives the
same classes on the captured workloads.
"""

import pandas as pd

VECTOR_SHARE = 0.005
CLASSES = ("tensor", "vector", "mixed")


def kernel_class(row: pd.Series) -> str:
    """`tensor`, `vector` or `mixed`, or `neither` for a kernel that computes with none (a copy)."""
    tensor, vector = row.tensor_flop, row.vector_flop
    uses_tensor = tensor > 0
    uses_vector = vector >= VECTOR_SHARE * (vector + (tensor if uses_tensor else 0.0)) and vector > 0
    if uses_tensor:
        return "mixed" if uses_vector else "tensor"
    return "vector" if uses_vector else "neither"
