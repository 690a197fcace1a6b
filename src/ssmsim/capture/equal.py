"""Launches that a replay cannot tell apart: they are stored once, and the sequence names that one for each.

Equal means: the same code, geometry, attributes and parameter bytes, buffers at the same addresses, and the same bytes of
all contents and variables that were recorded. Addresses count, as slices of the L2 and banks of the DRAM are chosen by
them: launches that differ in the places of their buffers alone are kept apart.
"""

import hashlib

from ssmsim.capture.recorded import Recorded


def identity(launch: Recorded) -> str:
    """The same for two launches when a replay of one is a replay of the other."""
    code = launch.cubin.sha256, launch.kernel
    shape = launch.grid, launch.block, launch.cluster, launch.explicit_cluster, launch.shared, launch.registers
    asked = launch.cooperative, sorted(launch.attributes.items()), launch.params
    memory = [sorted(buffer.items()) for buffer in launch.buffers], sorted(launch.contents.items()), launch.missing
    variables = [(v.name, v.kind, v.address, v.size, v.data) for v in launch.variables]
    return hashlib.sha256(repr((code, shape, asked, memory, variables)).encode()).hexdigest()
