"""What each opcode computes: plain functions over arrays of warps, found by name.

The table (ssmsim.sass.opcodes) gives an opcode its operand types and, as `semantics`, "module.function"; the function
lies in this folder (`integer.iadd3` is semantics/integer.py: iadd3). One function serves an opcode and its uniform
twin.

    function(ins, *sources, **extras) -> result, or a tuple with one result per destination of the table's signature

ins:      the static instruction: `ins.mods` (frozenset of modifiers, "IMAD.WIDE.U32" -> {"WIDE", "U32"}),
          `ins.has("U32")`, `ins.wants[i]` (False when destination i is absent, RZ or PT: None may be returned in its
          place).
sources:  one per source of the signature, in the order of the text; an absent optional one is None.
          Types i32, b32, f32, f16x2 (32 bits), p (predicate), and 64-bit or wider ones given as rows:

            32 bits     uint32, broadcastable to [W, 32]   (W warps; [W, 1] when uniform, [1, 1] when constant)
            n registers uint32, broadcastable to [n, W, 32], low register first
            predicate   bool,   broadcastable to [W, 32]; negation (!P0) is applied already

          Negation and absolute value written on an operand (-R1, |R1|) are applied already, by type: i32 and i64
          negate in two's complement, f32, f64 and f16x2 in the sign bits; ~R1 inverts. The half selectors of f16x2
          (.H0_H0, .H1_H1) are applied too. Other selectors (R2.B1, R2.H1 of I2F or PRMT-like ones) are
          `ins.selectors[i]`, for source i, or "". Sources must not be written to. Lanes that do not execute hold
          anything: results there are thrown away, so a function must not fail or warn on any bit pattern (use
          numpy.errstate).
result:   same dtypes and shapes; anything that broadcasts to them. float32 results must be given as .view(uint32).
extras:   only when the table entry asks for them (`extras=("active", "machine")`):
          active    bool[W, 32]   lanes that execute the instruction (active and guard).
          machine   Machine       where the warps are, for opcodes that touch shared memory or special registers:
                    machine.shared  uint8[blocks, bytes]   shared memory of every resident block; write in place
                    machine.block   int64[W]               row of `shared` for each of the W warps
                    machine.warp    int64[W]               warp number in its block (warp group and row quarter of
                    HGMMA)

Opcodes with a memory operand whose movement is not a plain load or store have functions too:

    ldsm(ins, address, machine) -> [n, W, 32]      address int64[W, 32]: byte offset into the block's shared memory
    stsm(ins, address, values, active, machine)    values [n, W, 32]
    hgmma(ins, a, b, accumulator, *predicates, machine) -> [n, W, 32]
              b: uint64[W] shared-memory descriptor; a: uint64[W] descriptor, or registers [4, W, 32] (dtype tells
              which). Every warp computes its own 16 of the 64 rows: rows 16 * (warp % 4) on of A, all of B.
    atomics:  atom(ins, old, value, compare) -> new value in memory; all [W] or [2, W] (64 bits), one call per round
              of lanes that do not collide; `compare` is None except for CAS. Used by ATOM, ATOMG, ATOMS, RED, REDG
              alike.

Plain loads, stores, branches, barriers and the shuffles' and votes' bookkeeping are the machine's (memory.py,
divergence.py).
"""

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED


@cache
def find(name: str) -> Callable[..., Any]:
    """The function "module.function" of this folder; SsmsimError when the table names one that nobody wrote."""
    module, _, function = name.partition(".")
    try:
        return getattr(importlib.import_module(f"{__name__}.{module}"), function)
    except (ModuleNotFoundError, AttributeError):
        raise SsmsimError(f"no semantics {name}", "", SUPPORTED) from None
