"""Mamba-3's scan with one input and output: mamba_ssm's `mamba3_siso_combined`, forward and backward."""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal

BATCH, SEQLEN, HEADS, HEAD_DIM, STATE, CHUNK = 2, 2048, 32, 64, 128, 64

INPUTS = (
    normal("Q", (BATCH, SEQLEN, 1, STATE), 1, "bfloat16"),
    normal("K", (BATCH, SEQLEN, 1, STATE), 2, "bfloat16"),
    normal("V", (BATCH, SEQLEN, HEADS, HEAD_DIM), 3, "bfloat16"),
    normal("ADT", (BATCH, HEADS, SEQLEN), 4, "float32", 0.01, -0.1),
    normal("DT", (BATCH, HEADS, SEQLEN), 5, "float32", 0.01, 0.05),
    normal("Trap", (BATCH, HEADS, SEQLEN), 6, "bfloat16", 0.1, 0.5),
    normal("Q_bias", (HEADS, STATE), 7, "float32"),
    normal("K_bias", (HEADS, STATE), 8, "float32"),
    normal("Angles", (BATCH, SEQLEN, HEADS, STATE // 4), 9, "bfloat16"),
    normal("D", (HEADS,), 10, "float32", 0.1, 1.0),
    normal("Z", (BATCH, SEQLEN, HEADS, HEAD_DIM), 11, "bfloat16"),
    normal("dout", (BATCH, SEQLEN, HEADS, HEAD_DIM), 12, "bfloat16"),
)


def build(tensors: Tensors) -> Step:
    import torch
    from mamba_ssm.ops.triton.mamba3.mamba3_siso_combined import mamba3_siso_combined

    wanted = tuple(item.name for item in INPUTS[:-1])
    leaves = {key: tensors[key].requires_grad_() for key in wanted}

    def step() -> Tensors:
        out = mamba3_siso_combined(**leaves, chunk_size=CHUNK)
        gradients = torch.autograd.grad(out, list(leaves.values()), tensors["dout"])
        return {"out": out} | {f"d{key}": value for key, value in zip(wanted, gradients, strict=True)}

    return step


WORKLOAD = Workload("mamba3-siso", {"batch": BATCH, "seqlen": SEQLEN, "heads": HEADS}, INPUTS, build)
