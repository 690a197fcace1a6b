"""Ordinary Triton kernels: does the model hold where nobody thought of Mamba?"""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal

ROWS, COLUMNS, SIDE = 4096, 6000, 4096
LENGTH, CHANNELS = 4001, 2560
LOG2E = 1.44269504

INPUTS = (
    normal("a", (SIDE, SIDE), 1, "bfloat16", 0.05),
    normal("b", (SIDE, SIDE), 2, "bfloat16", 0.05),
    normal("f", (ROWS, COLUMNS), 3, "float32"),
    normal("g", (ROWS, COLUMNS), 4, "float32"),
    normal("x", (4, LENGTH, CHANNELS), 5, "bfloat16"),
    normal("w", (CHANNELS, 4), 6, "float32"),
    normal("bias", (CHANNELS,), 7, "float32"),
    *(normal(name, (32, 2048, 64), 8 + i, "bfloat16") for i, name in enumerate(("q", "k", "v"))),
    *(normal(name, (16, 1024, 128), 11 + i, "float16") for i, name in enumerate(("q2", "k2", "v2"))),
)


def build(t: Tensors) -> Step:
    import torch

    from ssmsim.workloads import _plain_kernels as run

    def empty(like: str, *shape: int) -> "torch.Tensor":
        return torch.empty(shape, device="cuda", dtype=t[like].dtype)

    c, ragged, wide = empty("a", 2048, 2048), empty("a", 1000, 1000), empty("f", SIDE, SIDE)
    soft, sums, added, turned = (empty("f", ROWS, COLUMNS) for _ in range(4))
    y, out, out2 = empty("x", 4, LENGTH, CHANNELS), empty("q", 32, 2048, 64), empty("q2", 16, 1024, 128)
    columns = torch.zeros(SIDE, device="cuda")

    def step() -> Tensors:
        a, b, f = t["a"], t["b"], t["f"]
        run.gemm[(16, 16)](a, b, c, SIDE, SIDE, SIDE, 2048, 128, 128, 64, num_warps=8, num_stages=3)
        run.gemm[(32, 16)](a, b, c, SIDE, SIDE, SIDE, 2048, 64, 128, 32, num_warps=4, num_stages=4)
        run.gemm_ragged[(16, 8)](
            a, b, ragged, 1000, 1000, 1500, SIDE, SIDE, 1000, 64, 128, 64, num_warps=4, num_stages=2
        )
        run.gemm[(32, 16)](a, b, wide, 1024, SIDE, SIDE, SIDE, 128, 256, 64, num_warps=8, num_stages=3)
        run.softmax_rows[(ROWS,)](f, soft, COLUMNS, 8192, num_warps=8)
        run.cumsum_rows[(ROWS,)](f, sums, COLUMNS, 8192, num_warps=4)
        run.add[(ROWS * COLUMNS // 1024,)](f, t["g"], added, ROWS * COLUMNS, 1024, num_warps=4)
        run.transpose[(64, 94)](f, turned, ROWS, COLUMNS, 64, num_warps=4)
        run.conv_silu[(126, 20, 4)](t["x"], t["w"], t["bias"], y, LENGTH, CHANNELS, 32, 128, num_warps=4)
        run.attention[(16, 32)](t["q"], t["k"], t["v"], out, 2048, LOG2E / 8, 64, 128, 64, num_warps=4, num_stages=3)
        run.attention[(16, 16)](
            t["q2"], t["k2"], t["v2"], out2, 1024, 0.0884 * LOG2E, 128, 64, 64, num_warps=4, num_stages=2
        )
        run.column_sums[(32, 16)](a, columns, SIDE, 256, 128, num_warps=4)
        return {"product": c, "softmax": soft, "attention": out, "columns": columns}

    return step


WORKLOAD = Workload("triton-plain", {"rows": ROWS, "columns": COLUMNS, "side": SIDE}, INPUTS, build)
