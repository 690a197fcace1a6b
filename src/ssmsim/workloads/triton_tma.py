"""Triton kernels that copy by tensor maps: Hopper's asynchronous machinery, in programs that may be kept."""

from ssmsim.workloads import Step, Tensors, Workload
from ssmsim.workloads._recipes import normal

M = N = 4096
K = 2048
ROWS, COLUMNS = 8192, 2048

INPUTS = (
    normal("a", (M, K), 1, "float16"),
    normal("b", (N, K), 2, "float16"),
    normal("x", (ROWS, COLUMNS), 3, "float32"),
    normal("y", (ROWS, COLUMNS), 4, "float32"),
)


def build(t: Tensors) -> Step:
    import torch
    import triton
    from triton.tools.tensor_descriptor import TensorDescriptor

    from ssmsim.workloads import _tma_kernels as run

    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    c = torch.empty((M, N), device="cuda", dtype=torch.float16)
    z = torch.zeros((ROWS, COLUMNS), device="cuda")

    def by(tensor: "torch.Tensor", *box: int) -> "TensorDescriptor":
        return TensorDescriptor.from_tensor(tensor, list(box))

    def step() -> Tensors:
        a, b, tiles = t["a"], t["b"], M // 128 * (N // 128)
        run.tma_matmul[(tiles,)](
            by(a, 128, 64), by(b, 128, 64), by(c, 128, 128), M, N, K, 128, 128, 64, num_warps=4, num_stages=4
        )
        run.tma_matmul[(tiles // 2,)](
            by(a, 128, 64), by(b, 256, 64), by(c, 128, 256), M, N, K, 128, 256, 64, num_warps=8, num_stages=3
        )
        run.tma_device_matmul[(tiles,)](a, b, c, M, N, K, 128, 128, 64, num_warps=4, num_stages=4)
        run.tma_persistent_matmul[(132,)](
            by(a, 128, 64), by(b, 128, 64), by(c, 128, 128), M, N, K, 128, 128, 64, 132, num_warps=8, num_stages=4
        )
        run.tma_copy_add[(ROWS // 64,)](
            by(t["x"], 64, 32), by(t["y"], 64, 32), by(z, 64, 32), COLUMNS, 64, 32, num_warps=4, num_stages=3
        )
        run.tma_reduce[(ROWS // 64,)](by(t["x"], 64, 32), by(z, 64, 32), COLUMNS, 64, 32, num_warps=4)
        return {"product": c, "sums": z}

    return step


WORKLOAD = Workload("triton-tma", {"m": M, "n": N, "k": K, "rows": ROWS, "columns": COLUMNS}, INPUTS, build)
