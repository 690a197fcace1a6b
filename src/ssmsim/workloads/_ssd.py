"""Mamba-2's state-space-duality block: mamba_ssm's `mamba_chunk_scan_combined`, forward and backward."""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal, ramp


def ssd(
    name: str, batch: int, seqlen: int, heads: int, head_dim: int, state: int, groups: int, chunk: int, gated: bool = False
) -> Workload:  # fmt: skip
    """bfloat16 x, dt, B, C and gradient of the output; float32 A, D and dt_bias per head; dt_softplus on.

    gated: with a gate z inside the scan, and D per channel.

    A runs from -1 down to -16 over the heads and dt_bias is about -4, the ranges of Mamba-2's initialisation.
    """
    inputs = (
        normal("x", (batch, seqlen, heads, head_dim), 1, "bfloat16"),
        normal("dt", (batch, seqlen, heads), 2, "bfloat16"),
        ramp("A", (heads,), 16, -1.0, -1.0, "float32"),
        normal("B", (batch, seqlen, groups, state), 3, "bfloat16"),
        normal("C", (batch, seqlen, groups, state), 4, "bfloat16"),
        normal("D", (heads, head_dim) if gated else (heads,), 5, "float32", 0.1, 1.0),
        normal("dt_bias", (heads,), 6, "float32", 0.5, -4.0),
        normal("dout", (batch, seqlen, heads, head_dim), 7, "bfloat16"),
        *([normal("z", (batch, seqlen, heads, head_dim), 8, "bfloat16")] if gated else []),
    )

    def build(tensors: Tensors) -> Step:
        import torch
        from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

        wanted = ("x", "dt", "A", "B", "C", "D", "dt_bias", *(["z"] if gated else []))
        leaves = {key: tensors[key].requires_grad_() for key in wanted}

        def step() -> Tensors:
            x, dt, a, b, c, d, bias, *gate = leaves.values()
            z = gate[0] if gated else None
            out = mamba_chunk_scan_combined(x, dt, a, b, c, chunk, D=d, z=z, dt_bias=bias, dt_softplus=True)
            gradients = torch.autograd.grad(out, list(leaves.values()), tensors["dout"])
            return {"out": out} | {f"d{key}": value for key, value in zip(wanted, gradients, strict=True)}

        return step

    shapes = {
        "batch": batch, "seqlen": seqlen, "heads": heads, "head_dim": head_dim,
        "state": state, "groups": groups, "chunk": chunk,
    }  # fmt: skip
    return Workload(name, shapes, inputs, build)
