"""What a Mamba-2 block runs beside its scan: add and norm, gated norm, SwiGLU (forward and backward), and a decoding step."""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal, ramp

BATCH, SEQLEN, MODEL, INNER, MIDDLE = 4, 2048, 2560, 5120, 6912
USERS, HEADS, HEAD_DIM, STATE = 128, 80, 64, 128

INPUTS = (
    normal("hidden", (BATCH, SEQLEN, MODEL), 1, "bfloat16"),
    normal("residual", (BATCH, SEQLEN, MODEL), 2, "float32"),
    normal("norm_weight", (MODEL,), 3, "float32", 0.1, 1.0),
    normal("dhidden", (BATCH, SEQLEN, MODEL), 4, "bfloat16"),
    normal("dresidual", (BATCH, SEQLEN, MODEL), 5, "float32"),
    normal("y", (BATCH, SEQLEN, INNER), 6, "bfloat16"),
    normal("z", (BATCH, SEQLEN, INNER), 7, "bfloat16"),
    normal("gate_weight", (INNER,), 8, "float32", 0.1, 1.0),
    normal("dy", (BATCH, SEQLEN, INNER), 9, "bfloat16"),
    normal("xy", (BATCH, SEQLEN, 2 * MIDDLE), 10, "bfloat16"),
    normal("dxy", (BATCH, SEQLEN, MIDDLE), 11, "bfloat16"),
    normal("state", (USERS, HEADS, HEAD_DIM, STATE), 12, "float32"),
    normal("x", (USERS, HEADS, HEAD_DIM), 13, "bfloat16"),
    normal("dt", (USERS, HEADS), 14, "bfloat16"),
    ramp("A", (HEADS,), 16, -1.0, -1.0, "float32"),
    normal("B", (USERS, 1, STATE), 15, "bfloat16"),
    normal("C", (USERS, 1, STATE), 16, "bfloat16"),
    normal("D", (HEADS,), 17, "float32", 0.1, 1.0),
    normal("dt_bias", (HEADS,), 18, "float32", 0.5, -4.0),
    normal("xz", (USERS, HEADS, HEAD_DIM), 19, "bfloat16"),
)


def build(tensors: Tensors) -> Step:
    import torch
    from mamba_ssm.ops.triton.k_activations import swiglu
    from mamba_ssm.ops.triton.layer_norm import rms_norm_fn
    from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn
    from mamba_ssm.ops.triton.selective_state_update import selective_state_update

    t = tensors
    for name in ("hidden", "residual", "norm_weight", "y", "z", "gate_weight", "xy"):
        t[name].requires_grad_()
    shape = (HEADS, HEAD_DIM, STATE)
    a, d = t["A"][:, None, None].expand(shape), t["D"][:, None].expand(shape[:2])
    dt, bias = t["dt"][:, :, None].expand(USERS, *shape[:2]), t["dt_bias"][:, None].expand(shape[:2])

    def step() -> Tensors:
        normed, kept = rms_norm_fn(
            t["hidden"], t["norm_weight"], None, residual=t["residual"], prenorm=True, residual_in_fp32=True
        )
        gradients = torch.autograd.grad(
            (normed, kept), (t["hidden"], t["residual"], t["norm_weight"]), (t["dhidden"], t["dresidual"])
        )
        gated = rmsnorm_fn(t["y"], t["gate_weight"], None, z=t["z"], norm_before_gate=False)
        more = torch.autograd.grad(gated, (t["y"], t["z"], t["gate_weight"]), t["dy"])
        product = swiglu(t["xy"])
        last = torch.autograd.grad(product, t["xy"], t["dxy"])
        with torch.no_grad():
            out = selective_state_update(
                t["state"], t["x"], dt, a, t["B"], t["C"], D=d, z=t["xz"], dt_bias=bias, dt_softplus=True
            )
        return {
            "normed": normed,
            "gated": gated,
            "product": product,
            "out": out,
            "dhidden": gradients[0],
            "dy": more[0],
            "dxy": last[0],
        }

    return step


WORKLOAD = Workload("mamba2-around", {"batch": BATCH, "seqlen": SEQLEN}, INPUTS, build)
