"""launch.rasterization_width: the order in which the blocks of a grid come."""

import dataclasses

import numpy as np

from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError


def order(grid: tuple[int, int, int], width: int) -> np.ndarray:
    """Linear ids (x fastest) by columns `width` wide, each row by row, plane after plane; the last may be narrower."""
    across, down, planes = grid
    ids = np.arange(across * down * planes).reshape(planes, down, across)
    columns = [ids[:, :, x : x + width].reshape(planes, -1) for x in range(0, across, width)]
    return np.concatenate(columns, axis=1).reshape(-1)


def in_order(request: Request) -> Request:
    """The request with its blocks in the order that the configuration names.

    Raises SsmsimError when they can't be had in that order, or when a schedule goes with no sample.
    """
    launch, name = request.config.launch, request.config.name
    asked = {"launch.schedule: persistent": launch.schedule == "persistent",
             f"launch.rasterization_width: {launch.rasterization_width}": launch.rasterization_width > 0}  # fmt: skip
    for field in (field for field, given in asked.items() if given and (request.sample or request.window is not None)):
        raise SsmsimError(f"{field} places every block, and a sample or a part of the launch has only some", name,
                          "time the whole launch: without a sample and on all SMs")  # fmt: skip
    if not launch.rasterization_width:
        return request
    if request.tracer is None or request.blocks.block_count != request.launch.blocks:
        raise SsmsimError("launch.rasterization_width orders the blocks of a whole launch, traced for it", name,
                          "give the request a tracer and all blocks")  # fmt: skip
    ids = order(request.launch.grid, launch.rasterization_width)
    return dataclasses.replace(request, blocks=request.tracer.blocks(request.launch, request.program, ids.tolist()))
