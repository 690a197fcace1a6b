"""Runs one workload: inputs from their recipes, warm-up and autotuning, then the step between profiler start and stop.

python -m ssmsim.workloads NAME [--repeat N] [--tuning FILE] [--outputs FOLDER]
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.capture import describe
from ssmsim.capture.tuning import keep_tuning, pin_tuning
from ssmsim.contents import make, write_contents
from ssmsim.errors import told
from ssmsim.workloads import Input, Tensors, Workload, open_workload


def load(wanted: tuple[Input, ...]) -> Tensors:
    """The inputs on the GPU, made from their recipes."""
    import torch

    def tensor(item: Input) -> Any:
        data = np.frombuffer(bytearray(make(item.recipe)), np.uint8)
        dtype = getattr(torch, item.recipe["dtype"])
        return torch.from_numpy(data).view(dtype).reshape(item.shape).cuda()

    with ThreadPoolExecutor() as pool:
        made = dict(zip((i.name for i in wanted), pool.map(tensor, wanted), strict=True))
    for item in wanted:
        describe.tensor(item.name, made[item.name], item.recipe)
    return made


def run(workload: Workload, repeat: int, warmup: int) -> Tensors:
    """Warm up, then `repeat` steps in the profiled region; the outputs of the last."""
    import torch

    step = workload.build(load(workload.inputs))
    describe.program(workload=workload.name, shapes=workload.shapes)
    for _ in range(warmup):
        step()
    torch.cuda.synchronize()
    outputs: Tensors = {}
    torch.cuda.cudart().cudaProfilerStart()
    for _ in range(repeat):
        outputs.clear()
        outputs.update(step())
    torch.cuda.cudart().cudaProfilerStop()
    torch.cuda.synchronize()
    return outputs


def write_outputs(folder: Path, outputs: Tensors) -> None:
    """Each tensor as NAME.zst, with outputs.json holding dtype, shape and the address it was at."""
    import torch

    table = {}
    for name, value in outputs.items():
        about = describe.described(name, value)
        if about is None:
            raise TypeError(f"output {name} has no memory of its own")
        write_contents(folder / f"{name}.zst", value.detach().contiguous().view(torch.uint8).cpu().numpy().tobytes())
        table[name] = {"dtype": about.dtype, "shape": about.shape, "address": value.data_ptr(), "file": f"{name}.zst"}
    (folder / "outputs.json").write_text(json.dumps(table, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ssmsim.workloads")
    parser.add_argument("name")
    parser.add_argument("--repeat", type=int, default=1, help="steps in the profiled region")
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--tuning", type=Path, help="Triton's choices: read when the file is there, else written")
    parser.add_argument("--outputs", type=Path, help="folder for the step's outputs and gradients")
    arguments = parser.parse_args()
    workload = open_workload(arguments.name)
    if arguments.tuning is not None:
        pin_tuning(arguments.tuning)
    outputs = run(workload, arguments.repeat, arguments.warmup)
    if arguments.tuning is not None:
        keep_tuning(arguments.tuning)
    if arguments.outputs is not None:
        write_outputs(arguments.outputs, outputs)


if __name__ == "__main__":
    sys.exit(told(main))
