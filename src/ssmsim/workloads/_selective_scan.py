"""Mamba-1's selective scan: mamba_ssm's `selective_scan_fn` (CUDA C++), forward and backward."""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal, ramp

# The kernels take one struct by value. Its first 32 bytes are sizes and flags, then 20 strides of 8 bytes, then these
# pointers; the backward kernel's struct goes on with 18 more strides and its own pointers.
FORWARD_POINTERS = ("A", "B", "C", "D", "u", "delta", "delta_bias", "out", "x", "z", "out_z")
BACKWARD_POINTERS = ("dout", "dA", "dB", "dC", "dD", "du", "dz", "ddelta", "ddelta_bias")
FORWARD = {192 + 8 * i: f"{name}_ptr" for i, name in enumerate(FORWARD_POINTERS)}
BACKWARD = {424 + 8 * i: f"{name}_ptr" for i, name in enumerate(BACKWARD_POINTERS)}


def selective_scan(name: str, batch: int, inner: int, seqlen: int, state: int) -> Workload:
    """bfloat16 u, delta, B, C, z and gradient of the output; float32 A, D, delta_bias; delta_softplus on.

    A is -1 to -state in every row and delta_bias about -4, the ranges of Mamba's initialisation.
    """
    inputs = (
        normal("u", (batch, inner, seqlen), 11, "bfloat16"),
        normal("delta", (batch, inner, seqlen), 12, "bfloat16"),
        ramp("A", (inner, state), state, -1.0, -1.0, "float32"),
        normal("B", (batch, state, seqlen), 13, "bfloat16"),
        normal("C", (batch, state, seqlen), 14, "bfloat16"),
        normal("D", (inner,), 15, "float32", 0.1, 1.0),
        normal("z", (batch, inner, seqlen), 16, "bfloat16"),
        normal("delta_bias", (inner,), 17, "float32", 0.5, -4.0),
        normal("dout", (batch, inner, seqlen), 18, "bfloat16"),
    )

    def build(tensors: Tensors) -> Step:
        import torch
        from mamba_ssm.ops.selective_scan_interface import selective_scan_fn

        from ssmsim.capture import describe

        describe.parameters("selective_scan_fwd_kernel", FORWARD)
        describe.parameters("selective_scan_bwd_kernel", FORWARD | BACKWARD)
        wanted = ("u", "delta", "A", "B", "C", "D", "z", "delta_bias")
        leaves = {key: tensors[key].requires_grad_() for key in wanted}

        def step() -> Tensors:
            u, delta, a, b, c, d, z, bias = leaves.values()
            out = selective_scan_fn(u, delta, a, b, c, D=d, z=z, delta_bias=bias, delta_softplus=True)
            gradients = torch.autograd.grad(out, list(leaves.values()), tensors["dout"])
            return {"out": out} | {f"d{key}": value for key, value in zip(wanted, gradients, strict=True)}

        return step

    return Workload(name, {"batch": batch, "inner": inner, "seqlen": seqlen, "state": state}, inputs, build)
