"""Mamba's recurrences and their gradients in float64, step by step as the papers define them, from nothing but NumPy.

Written from the definitions (Gu and Dao, "Mamba", section 3; Dao and Gu, "Transformers are SSMs", section 2), not from
any kernel: no chunks, no scans in parallel, no matrix tricks.
"""

import numpy as np

Tensors = dict[str, np.ndarray]


def softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(x, 0.0)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def ssd(t: Tensors) -> Tensors:
    """Output and gradients of Mamba-2's block, dt_softplus on.

    x, dout [b, l, h, p]; dt [b, l, h]; A, D, dt_bias [h]; B, C [b, l, g, n]; all float64. Heads share groups in runs.
    h_t = exp(dt A) h_{t-1} + dt x_t B_t^T, y_t = h_t C_t + D x_t.
    """
    x, dy, a, d = t["x"], t["dout"], t["A"], t["D"]
    batch, length, heads, width = x.shape
    raw = t["dt"] + t["dt_bias"]
    dt = softplus(raw)
    share = heads // t["B"].shape[2]
    b, c = np.repeat(t["B"], share, 2), np.repeat(t["C"], share, 2)
    decay = np.exp(dt * a)
    states = np.zeros((length + 1, batch, heads, width, b.shape[3]))
    for i in range(length):
        entering = (dt[:, i, :, None] * x[:, i])[..., None] * b[:, i, :, None, :]
        states[i + 1] = decay[:, i, :, None, None] * states[i] + entering
    out = np.einsum("lbhpn,blhn->blhp", states[1:], c) + d[:, None] * x
    dc = np.einsum("lbhpn,blhp->blhn", states[1:], dy)
    dx, db, ddt, dda = d[:, None] * dy, np.empty_like(b), np.empty_like(dt), np.empty_like(dt)
    later = np.zeros_like(states[0])
    for i in reversed(range(length)):
        later = later + dy[:, i, :, :, None] * c[:, i, :, None, :]
        along = np.einsum("bhpn,bhn->bhp", later, b[:, i])
        dx[:, i] += dt[:, i, :, None] * along
        db[:, i] = np.einsum("bhpn,bhp->bhn", later, dt[:, i, :, None] * x[:, i])
        dda[:, i] = decay[:, i] * np.einsum("bhpn,bhpn->bh", later, states[i])
        ddt[:, i] = (along * x[:, i]).sum(2) + a * dda[:, i]
        later = decay[:, i, :, None, None] * later
    draw = ddt * sigmoid(raw)
    grouped = (batch, length, heads // share, share, -1)
    return {
        "out": out, "dx": dx, "ddt": draw, "dA": (dda * dt).sum((0, 1)), "dB": db.reshape(grouped).sum(3),
        "dC": dc.reshape(grouped).sum(3), "dD": (dy * x).sum((0, 1, 3)), "ddt_bias": draw.sum((0, 1)),
    }  # fmt: skip


def selective_scan(t: Tensors) -> Tensors:
    """Output and gradients of Mamba-1's selective scan, delta_softplus on, gated by silu(z).

    u, delta, z, dout [b, d, l]; A [d, n]; B, C [b, n, l]; D, delta_bias [d]; all float64.
    h_t = exp(delta A) h_{t-1} + delta u_t B_t, y_t = (C_t h_t + D u_t) silu(z_t).
    """
    u, z, a, d, b, c = (t[k] for k in ("u", "z", "A", "D", "B", "C"))
    batch, inner, length = u.shape
    raw = t["delta"] + t["delta_bias"][:, None]
    delta = softplus(raw)
    decay = np.exp(delta[..., None] * a[:, None, :])  # [b, d, l, n]
    states = np.zeros((length + 1, batch, inner, a.shape[1]))
    for i in range(length):
        states[i + 1] = decay[:, :, i] * states[i] + (delta * u)[:, :, i, None] * b[:, None, :, i]
    y = np.einsum("lbdn,bnl->bdl", states[1:], c) + d[:, None] * u
    gate = sigmoid(z)
    dy = t["dout"] * z * gate
    du, ddelta, da = d[:, None] * dy, np.empty_like(u), np.zeros_like(a)
    db, later = np.empty_like(b), np.zeros_like(states[0])
    for i in reversed(range(length)):
        later = later + dy[:, :, i, None] * c[:, None, :, i]
        along = (later * b[:, None, :, i]).sum(2)
        du[:, :, i] += delta[:, :, i] * along
        db[:, :, i] = np.einsum("bdn,bd->bn", later, (delta * u)[:, :, i])
        back = decay[:, :, i] * later * states[i]
        ddelta[:, :, i] = along * u[:, :, i] + (back * a).sum(2)
        da += np.einsum("bdn,bd->dn", back, delta[:, :, i])
        later = decay[:, :, i] * later
    draw = ddelta * sigmoid(raw)
    return {
        "out": y * z * gate, "du": du, "ddelta": draw, "dA": da, "dB": db, "dD": (dy * u).sum((0, 2)),
        "dC": np.einsum("lbdn,bdl->bnl", states[1:], dy), "ddelta_bias": draw.sum((0, 2)),
        "dz": t["dout"] * y * gate * (1 + z * (1 - gate)),
    }  # fmt: skip
