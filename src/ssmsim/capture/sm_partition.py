"""Some of a GPU's SMs: a green context of the driver, and which GPC each SM lies in.

    python -m ssmsim.capture.sm_partition N ...   for each N, how many SMs the context has got in each GPC

A green context has whole groups of eight SMs on Hopper, so it may have more than were asked for. Structures and limits:
CUDA Driver API, Green Contexts.
"""

import ctypes
import struct
import sys
from collections import Counter
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p

from ssmsim.capture import driver

SM_RESOURCE, DEFAULT_STREAM = 1, 1  # CUdevResourceType, CUgreenCtxCreate_flags
RESOURCE_BYTES, COUNT_AT = 512, 96  # room for a CUdevResource, and where its number of SMs stands
MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER, CLUSTER = 8, 14, 4  # CUfunction_attribute twice, CUlaunchAttributeID
ONE_BLOCK_PER_SM = 160 << 10  # bytes of shared memory
CLUSTER_SIZES = (16, 12, 9, 7, 5, 3)  # of blocks that share a GPC; SMs that one size leaves out are in another
TRIES = 8  # launches, until every SM has had a block
WHERE = b"""
.version 7.8
.target sm_90
.address_size 64
.visible .entry where(.param .u64 out)
{
  .reg .u32 %r<6>; .reg .u64 %d<4>; .reg .pred %p;
  ld.param.u64 %d0, [out];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %ctaid.x;
  mul.wide.u32 %d1, %r0, 8;
  add.u64 %d0, %d0, %d1;
  mov.u32 %r1, %smid;
  mov.u32 %r2, %clusterid.x;
  st.global.u32 [%d0], %r1;
  st.global.u32 [%d0+4], %r2;
  mov.u32 %r3, 0;
again:
  nanosleep.u32 1000;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, 50;
  @%p bra again;
  ret;
}
"""


def enter(sms: int = 0) -> int:
    """Make a context with at least `sms` SMs current, the primary context for 0. The SMs that it has; 0 for all."""
    driver.call("cuInit", c_uint(0))
    context = c_void_p()
    driver.call("cuDevicePrimaryCtxRetain", byref(context), c_int(0))
    driver.call("cuCtxSetCurrent", context)
    if not sms:
        return 0
    whole, part, rest = (ctypes.create_string_buffer(RESOURCE_BYTES) for _ in range(3))
    groups, described, green = c_uint(1), c_void_p(), c_void_p()
    driver.call("cuDeviceGetDevResource", c_int(0), whole, c_int(SM_RESOURCE))
    driver.call("cuDevSmResourceSplitByCount", part, byref(groups), whole, rest, c_uint(0), c_uint(sms))
    driver.call("cuDevResourceGenerateDesc", byref(described), part, c_uint(1))
    driver.call("cuGreenCtxCreate", byref(green), described, c_int(0), c_uint(DEFAULT_STREAM))
    driver.call("cuCtxFromGreenCtx", byref(context), green)
    driver.call("cuCtxSetCurrent", context)
    return int(struct.unpack_from("<I", part, COUNT_AT)[0])


def _blocks(grid: int, cluster: int) -> list[tuple[int, int]]:
    """(SM, cluster) of each block of a launch, one block at a time on an SM."""
    module, function, out = c_void_p(), c_void_p(), c_uint64()
    driver.call("cuModuleLoadData", byref(module), WHERE)
    driver.call("cuModuleGetFunction", byref(function), module, b"where")
    driver.call("cuFuncSetAttribute", function, c_int(MAX_DYNAMIC_SHARED), c_int(ONE_BLOCK_PER_SM))
    driver.call("cuFuncSetAttribute", function, c_int(NON_PORTABLE_CLUSTER), c_int(1))
    driver.call("cuMemAlloc_v2", byref(out), c_size_t(8 * grid))
    argument = c_uint64(out.value)
    pointers = (c_void_p * 1)(ctypes.addressof(argument))
    attribute = ctypes.create_string_buffer(struct.pack("<I4x3I52x", CLUSTER, cluster, 1, 1), 72)
    geometry = struct.pack("<7I4xQQI", grid, 1, 1, 1, 1, 1, ONE_BLOCK_PER_SM, 0, ctypes.addressof(attribute), 1)
    driver.call("cuLaunchKernelEx", ctypes.create_string_buffer(geometry, 56), function, pointers, None)
    driver.synchronize()
    data = driver.read_memory(out.value, 8 * grid)
    driver.call("cuMemFree_v2", out)
    driver.call("cuModuleUnload", module)
    return [(sm, group) for sm, group in struct.iter_unpack("<II", data)]


def gpcs() -> dict[int, int]:
    """SM to the smallest SM of its GPC, in the current context: SMs that ever hold blocks of one cluster share a GPC."""
    leader: dict[int, int] = {}

    def first(sm: int) -> int:
        while leader.setdefault(sm, sm) != sm:
            sm = leader[sm]
        return sm

    for size in CLUSTER_SIZES:
        members: dict[int, list[int]] = {}
        for sm, group in _blocks(size * 64, size):
            members.setdefault(group, []).append(sm)
        for sms in members.values():
            for sm in sms:
                low, high = sorted((first(sms[0]), first(sm)))
                leader[high] = low
    return {sm: first(sm) for sm in sorted(leader)}


def main() -> None:
    enter(0)
    whole = gpcs()
    print("all", *sorted(Counter(whole.values()).values()))
    for wanted in map(int, sys.argv[1:]):
        got = enter(wanted)
        used = {sm for _ in range(TRIES) for sm, _ in _blocks(8 * got, 1)}
        inside = Counter(whole.get(sm, -1) for sm in used)
        print(wanted, got, len(used), *(inside.get(gpc, 0) for gpc in sorted(set(whole.values()))), flush=True)


if __name__ == "__main__":
    main()
