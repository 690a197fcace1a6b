"""Cycles in which a warpgroup gives registers back and takes them again (setmaxnreg), and of a dependent grid's control.

registers: dec and inc of one warpgroup. dependents.WARPS: launch_dependents and wait in a grid that depends on none.
"""

from ssmsim.microbenchmarks.case import Loop

ARCHITECTURE = "90a"
LOOPS = [Loop("registers", "registers", 1, threads=128, replay=True)]
LOOPS += [Loop(f"dependents.{warps}", "dependents", 1, threads=32 * warps, replay=True) for warps in (1, 4)]
