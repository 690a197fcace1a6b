"""A kernel that does nothing: what a launch costs before and after its work, for few and for many blocks."""

from ssmsim.workloads import Step, Tensors, Workload

GRIDS = (1, 132, 1056, 8448)  # blocks; the GPU has 132 SMs


def _build(tensors: Tensors) -> Step:
    from ssmsim.workloads._empty_kernel import empty_kernel

    def step() -> Tensors:
        for blocks in GRIDS:
            empty_kernel[(blocks,)]()
        return {}

    return step


WORKLOAD = Workload("empty", {"launches": len(GRIDS)}, (), _build)
