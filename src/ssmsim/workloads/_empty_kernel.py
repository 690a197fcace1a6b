"""A kernel that does nothing. Triton needs the source in a file; importing this needs Triton."""

import triton


@triton.jit
def empty_kernel():
    pass
