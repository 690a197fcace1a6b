"""Tiles of eight by eight 16-bit elements between shared memory and registers (LDSM, STSM), and their transpose (MOVM).

Lane l holds row l / 4, columns 2 (l % 4) and the next; transposed, column l / 4. Lanes 8i to 8i + 7 give the row
addresses of tile i (PTX ISA, `ldmatrix`, `stmatrix`, `movmatrix`).
"""

from typing import Any

import numpy as np

from ssmsim.tracers.emulated.semantics.formats import U32, Array, known

LANE = np.arange(32)
ROW, PAIR = LANE // 4, 2 * (LANE % 4)


def _count(ins: Any) -> int:
    return 4 if "4" in ins.mods else 2 if "2" in ins.mods else 1


def _bytes(address: Array, tile: int) -> Array:
    """int64[W, 8, 16]: places of the bytes of one tile."""
    return address[:, 8 * tile : 8 * tile + 8, None] + np.arange(16)


def ldsm(ins: Any, address: Array, machine: Any) -> Array:
    known(ins, "16 M88 MT88 2 4")
    warps = len(machine.block)
    address = np.broadcast_to(address, (warps, 32))
    registers = np.empty((_count(ins), warps, 32), U32)
    for tile in range(_count(ins)):
        data = machine.shared[machine.block[:, None, None], _bytes(address, tile)]
        registers[tile] = _to_lanes(ins, np.ascontiguousarray(data).view(np.uint16))
    return registers


def stsm(ins: Any, address: Array, values: Array, active: Array, machine: Any) -> None:
    """All lanes take part, so a warp stores when its lanes are active."""
    known(ins, "16 M88 MT88 2 4")
    warps = len(machine.block)
    address = np.broadcast_to(address, (warps, 32))
    values = np.broadcast_to(values, (_count(ins), warps, 32))
    on = np.broadcast_to(active, (warps, 32)).any(1)
    for tile in range(_count(ins)):
        data = _from_lanes(ins, values[tile][on]).view(np.uint8)
        machine.shared[machine.block[on][:, None, None], _bytes(address, tile)[on]] = data


def movm(ins: Any, a: Array) -> Array:
    """The transpose of the tile that a warp's lanes hold."""
    known(ins, "16 MT88")
    tile = np.empty((len(a), 8, 8), np.uint16)
    a = np.broadcast_to(a, (len(a), 32))
    tile[:, ROW, PAIR], tile[:, ROW, PAIR + 1] = a & U32(0xFFFF), a >> U32(16)
    return _to_lanes(ins, tile)


def _to_lanes(ins: Any, tile: Array) -> Array:
    """uint16[W, 8, 8] to uint32[W, 32]."""
    if "MT88" in ins.mods:
        tile = tile.transpose(0, 2, 1)
    return tile[:, ROW, PAIR].astype(U32) | (tile[:, ROW, PAIR + 1].astype(U32) << U32(16))


def _from_lanes(ins: Any, values: Array) -> Array:
    """uint32[W, 32] to uint16[W, 8, 8] as the rows lie in memory."""
    tile = np.empty((len(values), 8, 8), np.uint16)
    tile[:, ROW, PAIR], tile[:, ROW, PAIR + 1] = values & U32(0xFFFF), values >> U32(16)
    return np.ascontiguousarray(tile.transpose(0, 2, 1)) if "MT88" in ins.mods else tile
