"""A Mamba-2 block with a gate inside the scan and a skip weight per channel."""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal, ramp

BATCH, SEQLEN, HEADS, HEAD_DIM, STATE, GROUPS, CHUNK = 2, 2048, 32, 64, 64, 1, 256

INPUTS = (
    normal("x", (BATCH, SEQLEN, HEADS, HEAD_DIM), 1, "bfloat16"),
    normal("dt", (BATCH, SEQLEN, HEADS), 2, "bfloat16"),
    ramp("A", (HEADS,), 16, -1.0, -1.0, "float32"),
    normal("B", (BATCH, SEQLEN, GROUPS, STATE), 3, "bfloat16"),
    normal("C", (BATCH, SEQLEN, GROUPS, STATE), 4, "bfloat16"),
    normal("D", (HEADS, HEAD_DIM), 5, "float32", 0.1, 1.0),
    normal("z", (BATCH, SEQLEN, HEADS, HEAD_DIM), 8, "bfloat16"),
    normal("dt_bias", (HEADS,), 6, "float32", 0.5, -4.0),
    normal("dout", (BATCH, SEQLEN, HEADS, HEAD_DIM), 7, "bfloat16"),
)


def build(tensors: Tensors) -> Step:
    import torch
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    wanted = ("x", "dt", "A", "B", "C", "D", "z", "dt_bias")
    leaves = {key: tensors[key].requires_grad_() for key in wanted}

    def step() -> Tensors:
        x, dt, a, b, c, d, z, bias = leaves.values()
        out = mamba_chunk_scan_combined(x, dt, a, b, c, CHUNK, D=d, z=z, dt_bias=bias, dt_softplus=True)
        gradients = torch.autograd.grad(out, list(leaves.values()), tensors["dout"])
        return {"out": out} | {f"d{key}": value for key, value in zip(wanted, gradients, strict=True)}

    return step


WORKLOAD = Workload("mamba2-gated", {"batch": BATCH, "seqlen": SEQLEN, "heads": HEADS}, INPUTS, build)
