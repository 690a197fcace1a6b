"""What the block of Mamba-2 1.3B runs beside its scan, in training: add and norm, causal convolution, gated norm.

Replayed once, when the model is frozen.
"""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal

BATCH, SEQLEN, MODEL, INNER, STATE, WIDTH = 4, 3072, 2048, 4096, 128, 4
CONVOLVED = INNER + 2 * STATE  # x, B and C

INPUTS = (
    normal("hidden", (BATCH, SEQLEN, MODEL), 1, "bfloat16"),
    normal("residual", (BATCH, SEQLEN, MODEL), 2, "float32"),
    normal("norm_weight", (MODEL,), 3, "float32", 0.1, 1.0),
    normal("dhidden", (BATCH, SEQLEN, MODEL), 4, "bfloat16"),
    normal("dresidual", (BATCH, SEQLEN, MODEL), 5, "float32"),
    normal("xbc", (BATCH, SEQLEN, CONVOLVED), 6, "bfloat16"),
    normal("conv_weight", (CONVOLVED, WIDTH), 7, "float32", 0.3),
    normal("conv_bias", (CONVOLVED,), 8, "float32", 0.1),
    normal("dxbc", (BATCH, SEQLEN, CONVOLVED), 9, "bfloat16"),
    normal("y", (BATCH, SEQLEN, INNER), 10, "bfloat16"),
    normal("z", (BATCH, SEQLEN, INNER), 11, "bfloat16"),
    normal("gate_weight", (INNER,), 12, "float32", 0.1, 1.0),
    normal("dy", (BATCH, SEQLEN, INNER), 13, "bfloat16"),
)


def build(tensors: Tensors) -> Step:
    import torch
    from causal_conv1d import causal_conv1d_fn
    from mamba_ssm.ops.triton.layer_norm import rms_norm_fn
    from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn

    t = tensors
    for name in ("hidden", "residual", "norm_weight", "xbc", "conv_weight", "conv_bias", "y", "z", "gate_weight"):
        t[name].requires_grad_()

    def step() -> Tensors:
        normed, kept = rms_norm_fn(
            t["hidden"], t["norm_weight"], None, residual=t["residual"], prenorm=True, residual_in_fp32=True
        )
        of_norm = torch.autograd.grad(
            (normed, kept), (t["hidden"], t["residual"], t["norm_weight"]), (t["dhidden"], t["dresidual"])
        )
        convolved = causal_conv1d_fn(t["xbc"].transpose(1, 2), t["conv_weight"], t["conv_bias"], activation="silu")
        of_convolution = torch.autograd.grad(
            convolved, (t["xbc"], t["conv_weight"], t["conv_bias"]), t["dxbc"].transpose(1, 2)
        )
        gated = rmsnorm_fn(t["y"], t["gate_weight"], None, z=t["z"], norm_before_gate=False)
        of_gate = torch.autograd.grad(gated, (t["y"], t["z"], t["gate_weight"]), t["dy"])
        return {
            "normed": normed,
            "convolved": convolved,
            "gated": gated,
            "dhidden": of_norm[0],
            "dxbc": of_convolution[0],
            "dy": of_gate[0],
        }

    return step


WORKLOAD = Workload("mamba2-block-blind", {"batch": BATCH, "seqlen": SEQLEN}, INPUTS, build)
