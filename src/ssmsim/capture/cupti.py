"""CUPTI's callback interface through ctypes: which driver calls a process makes, and the modules it loads.

Only libcupti itself is needed, which PyTorch and the CUDA toolkit bring. Numbers and layouts are those of
cupti_callbacks.h, cupti_driver_cbid.h, cupti_runtime_cbid.h and generated_cuda_meta.h of CUDA 13; NVIDIA keeps them
stable across releases.
"""

import ctypes
import ctypes.util
import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path

from ssmsim.capture.frameworks import untraced
from ssmsim.errors import SsmsimError

DRIVER, RUNTIME, RESOURCE = 1, 2, 3  # callback domains
ENTER, EXIT = 0, 1  # callback sites
MODULE_LOADED = 6  # resource domain

DRIVER_CALLS = {
    18: "cuModuleLoad", 19: "cuModuleLoadData", 20: "cuModuleLoadDataEx", 21: "cuModuleLoadFatBinary",
    307: "cuLaunchKernel", 442: "cuLaunchKernel", 477: "cuLaunchCooperativeKernel", 478: "cuLaunchCooperativeKernel",
    652: "cuLaunchKernelEx", 653: "cuLaunchKernelEx", 514: "cuGraphLaunch", 515: "cuGraphLaunch_ptsz",
    513: "cuGraphInstantiate", 578: "cuGraphInstantiate", 643: "cuGraphInstantiateWithFlags",
    656: "cuGraphInstantiateWithParams", 657: "cuGraphInstantiateWithParams",
    561: "cuGraphExecUpdate", 696: "cuGraphExecUpdate", 516: "cuGraphExecDestroy", 650: "cuGraphNodeSetEnabled",
    538: "cuGraphExecKernelNodeSetParams", 692: "cuGraphExecKernelNodeSetParams_v2",
    562: "cuGraphExecMemcpyNodeSetParams", 563: "cuGraphExecMemsetNodeSetParams", 564: "cuGraphExecHostNodeSetParams",
    586: "cuGraphExecChildGraphNodeSetParams", 595: "cuGraphExecEventRecordNodeSetEvent",
    596: "cuGraphExecEventWaitNodeSetEvent", 714: "cuGraphExecNodeSetParams",
    495: "begin", 496: "begin", 539: "begin", 540: "begin", 720: "begin", 721: "begin", 497: "end", 498: "end",
    308: "start", 309: "stop",
    216: "memset8", 428: "memset8", 218: "memset16", 429: "memset16", 220: "memset32", 430: "memset32",
    281: "copy", 423: "copy", 306: "copy", 418: "copy",
}  # fmt: skip
LAUNCHES = frozenset(cbid for cbid, name in DRIVER_CALLS.items() if name.startswith("cuLaunch"))
GRAPH_LAUNCHES = frozenset(cbid for cbid, name in DRIVER_CALLS.items() if name.startswith("cuGraphLaunch"))
NEWER = 654  # driver calls from here on may be unknown to an older CUPTI, whose programs cannot make them
RUNTIME_CALLS = {171: "start", 172: "stop"}  # cudaProfilerStart, cudaProfilerStop


class CallbackData(ctypes.Structure):
    _fields_ = (
        ("site", ctypes.c_int),
        ("function_name", ctypes.c_char_p),
        ("params", ctypes.c_void_p),
        ("returned", ctypes.c_void_p),
        ("symbol_name", ctypes.c_char_p),
        ("context", ctypes.c_void_p),
        ("context_uid", ctypes.c_uint32),
        ("correlation_data", ctypes.c_void_p),
        ("correlation_id", ctypes.c_uint32),
    )


class ResourceData(ctypes.Structure):
    _fields_ = (("context", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("descriptor", ctypes.c_void_p))


class ModuleData(ctypes.Structure):
    _fields_ = (("module_id", ctypes.c_uint32), ("cubin_size", ctypes.c_size_t), ("cubin", ctypes.c_void_p))


CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)
Handler = Callable[[int, int, int], None]  # domain, callback id, address of the data


def _candidates() -> Iterable[str]:
    """Places of libcupti: the one PyTorch would load comes first, since a process should hold one copy only."""
    for package in ("nvidia.cu13", "nvidia.cuda_cupti"):
        try:
            spec = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in (spec.submodule_search_locations or []) if spec else []:
            yield from map(str, sorted(Path(folder).glob("lib/libcupti.so.*")))
    for root in (Path("/usr/local/cuda/extras/CUPTI/lib64"), Path("/usr/local/cuda/lib64")):
        yield from map(str, sorted(root.glob("libcupti.so*")))
    if named := ctypes.util.find_library("cupti"):
        yield named
    yield "libcupti.so"


def load() -> ctypes.CDLL:
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise SsmsimError("no libcupti found", "", "install PyTorch for CUDA, nvidia-cuda-cupti or the CUDA toolkit")


def subscribe(handler: Handler) -> Callable[[], None]:
    """Call `handler` for every call named above and every loaded module, until the returned function is called."""
    library = load()

    def check(status: int, call: str) -> None:
        if status:
            text = ctypes.c_char_p()
            library.cuptiGetResultString(status, ctypes.byref(text))
            reason = (text.value or b"?").decode()
            raise SsmsimError(f"{call}: {reason}", "", "is another profiler attached, or the driver older than CUPTI?")

    callback = CALLBACK(untraced(lambda _user, domain, cbid, data: handler(domain, cbid, data)))
    subscriber = ctypes.c_void_p()
    check(library.cuptiSubscribe(ctypes.byref(subscriber), callback, None), "cuptiSubscribe")
    wanted = [(DRIVER, c) for c in DRIVER_CALLS] + [(RUNTIME, c) for c in RUNTIME_CALLS] + [(RESOURCE, MODULE_LOADED)]
    for domain, cbid in wanted:
        status = library.cuptiEnableCallback(1, subscriber, domain, cbid)
        if domain != DRIVER or cbid < NEWER:
            check(status, f"cuptiEnableCallback({domain}, {cbid})")

    def unsubscribe(keep: object = callback) -> None:
        library.cuptiUnsubscribe(subscriber)

    return unsubscribe
