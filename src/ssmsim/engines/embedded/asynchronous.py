"""Static instructions of mbarriers, bulk copies and clusters to CODE records, as instructions.py does the others."""

from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded.sm import instruction as kinds
from ssmsim.sass.opcodes import Access

ACCESSES = frozenset([Access.MBARRIER, Access.BULK, Access.REMOTE])
OPCODES = frozenset(["UTMACMDFLUSH", "UCGABAR_ARV", "UCGABAR_WAIT"])
# Arrivals (-1: the register's) and transactions (1, -1: times the register; 2, -2: one of each lane) of each kind of
# SYNCS.ARRIVE and of ARRIVES.LDGSTSBAR.
ARRIVALS = {"A1T0": (1, 0), "ART0": (-1, 0), "": (1, 1), "A0TR": (0, 1), "A0TX": (0, -1), "A0T1": (0, 2)}
COPIES = {"ARVCNT": (1, 0), "TRANSCNT": (0, -2)}


def translate(one, base: str, mods: list[str], row, config: SimConfig) -> None:
    """Fill the record of one instruction."""
    if base == "SYNCS":
        _syncs(one, mods, config)
    elif base == "ARRIVES":
        _copies_arrive(one, mods, config)
    elif base in ("STAS", "REDAS"):
        one.kind, one.space, one.pipe, one.is_store = kinds.MEMORY, kinds.REMOTE_STORE, kinds.FREE, 1
        one.payload = (int(row["width"]) + 3) // 4
    elif base == "UCGABAR_ARV":
        one.kind = kinds.CLUSTER_ARRIVE
    elif base == "UCGABAR_WAIT":
        one.kind = kinds.CLUSTER_WAIT
    else:
        _bulk(one, base, mods)


def _syncs(one, mods: list[str], config: SimConfig) -> None:
    one.kind, one.space, one.pipe = kinds.MEMORY, kinds.MBARRIER, kinds.FREE
    one.remote = "RED" in mods
    one.port = config.mbarrier.port_cycles
    if "EXCH" in mods:
        one.syncs = kinds.INIT
    elif "CCTL" in mods:
        one.syncs = kinds.INVALIDATE
    elif "PHASECHK" in mods:
        one.syncs = kinds.CHECK
    else:
        kind = next((m for m in mods if m in ARRIVALS), "")
        one.syncs = kinds.DROP if "OPTOUT" in mods else kinds.ARRIVE
        one.arrivals, one.transactions = ARRIVALS[kind]
        one.remote = one.remote and kind != "A0T1"  # always of the own block, and before what its copies take off


def _copies_arrive(one, mods: list[str], config: SimConfig) -> None:
    """ARRIVES.LDGSTSBAR closes a group of copies, as LDGDEPBAR does, and the end of the group arrives at the barrier."""
    one.kind, one.space, one.pipe, one.closes = kinds.MEMORY, kinds.MBARRIER, kinds.FREE, 1
    one.port, one.syncs = config.mbarrier.port_cycles, kinds.COPIES_ARRIVE
    one.arrivals, one.transactions = next(COPIES[m] for m in mods if m in COPIES)


def _bulk(one, base: str, mods: list[str]) -> None:
    """What the TMA unit does. A reduction adds in the L2, as an atomic that returns nothing."""
    one.kind, one.space, one.bypass = kinds.BULK, kinds.BULK_SPACE, 1
    if base == "UTMACMDFLUSH":
        one.bulk = kinds.BULK_FLUSH
    elif base in ("UBLKPF", "UTMAPF"):
        one.bulk = kinds.BULK_PREFETCH
    elif base in ("UBLKCP", "UBLKRED") and mods[:2] == ["S", "S"]:
        one.bulk, one.is_atomic = kinds.BULK_BETWEEN, base == "UBLKRED"
    elif base == "UTMALDG" or mods[:2] == ["S", "G"]:
        one.bulk = kinds.BULK_LOAD
    else:
        one.bulk, one.is_store, one.is_atomic = kinds.BULK_STORE, 1, base in ("UTMAREDG", "UBLKRED")
