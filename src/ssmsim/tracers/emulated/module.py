"""A module's constants and variables as a launch finds them: from the launch where a capture recorded them, else from
the cubin where nobody but the compiler can have set them, else unknown.

The host can set any __constant__ or __device__ variable by name before a launch (cudaMemcpyToSymbol), with or without an
initialiser, const or not, and kernels can set __device__ ones; so a variable's bytes in the cubin say nothing about a
launch. Only data that no source can name are sure to be as the cubin has them: what the compiler itself emits, under names
that C++ reserves or cannot spell (strings of printf and assert, virtual tables, tables of libdevice).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ssmsim.contents import read_contents
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, Variable
from ssmsim.sass.decode import address_of, module_addresses
from ssmsim.sass.kernel_elf import ADDRESS, ADDRESS_OF_DATA, Kernel, ModuleVariable, Relocation
from ssmsim.tracers.emulated.hardware import Bank, bank0

OF_COMPILER = re.compile(r"\$|__cudart_|__unnamed_|_ZT[VTIS]|switch\.table|__func__|__PRETTY_FUNCTION__")
CAPTURE = "capture the launch again, which records the module's variables"


def own(variable: ModuleVariable) -> bool:
    """Is this the compiler's own, so that host and kernels cannot have changed it?"""
    return OF_COMPILER.match(variable.name) is not None


def recorded(launch: Launch, variable: ModuleVariable) -> Variable | None:
    """What the launch says of a variable's value, None when nothing."""
    found = (v for v in launch.variables or () if (v.name, v.kind) == (variable.name, variable.kind))
    return next((v for v in found if v.contents is not None), None)


def value_of(launch: Launch, kernel: Kernel, variable: ModuleVariable) -> bytes | None:
    """A variable's bytes at launch, None when nobody knows them. SsmsimError when the launch's are of another length."""
    found = recorded(launch, variable)
    if found is not None and found.contents is not None:
        data = read_contents(launch.folder / found.contents, variable.size)
        if len(data) != variable.size:
            what = f"variable {variable.name}: {len(data)} bytes of contents where the cubin has {variable.size}"
            raise SsmsimError(what, launch.folder / found.contents, "capture the launch again")
        return data
    if not own(variable):
        return None
    filled, addresses = bytearray(variable.initial), module_addresses(kernel, launch)
    for each in kernel.relocations:
        at = each.offset - variable.place
        if each.section == variable.section and 0 <= at <= variable.size - 8:
            if each.kind not in (ADDRESS, ADDRESS_OF_DATA):
                return None
            value = address_of(kernel, addresses, each.symbol, launch.cubin_path) + each.addend
            filled[at : at + 8] = value.to_bytes(8, "little")
    return bytes(filled)


def banks_of(launch: Launch, kernel: Kernel) -> dict[int, Bank]:
    """The kernel's constant banks: 0 hardware and parameters, 2 the compiler's, 3 __constant__, 4 addresses."""
    banks = {number: Bank.of(data) for number, data in kernel.constants.items()}
    banks[0] = bank0(launch, kernel)
    for variable in kernel.variables:
        if variable.kind == "constant" and 3 in banks:
            value = value_of(launch, kernel, variable)
            if value is None:
                what = f"__constant__ variable {variable.name}, whose value at launch is not recorded"
                banks[3].forget(variable.place, variable.size, what, CAPTURE)
            else:
                banks[3].words.view(np.uint8)[variable.place : variable.place + variable.size] = np.frombuffer(
                    value, np.uint8
                )
    addresses = module_addresses(kernel, launch)
    for each in kernel.relocations:
        if each.section.startswith("bank") and int(each.section[4:]) in banks:
            _relocate(banks[int(each.section[4:])], each, kernel, addresses)
    return banks


def _relocate(bank: Bank, each: Relocation, kernel: Kernel, addresses: dict[str, int]) -> None:
    if each.kind == ADDRESS:
        try:
            bank.put(each.offset, address_of(kernel, addresses, each.symbol, "") + each.addend, "<u8")
            return
        except SsmsimError:
            pass
    bank.forget(each.offset, 8, f"the address of {each.symbol}, which the driver fills in", "")


def spans(launch: Launch, kernel: Kernel) -> Iterator[tuple[int, int, str]]:
    """(address, bytes, name) of the module's __device__ variables."""
    addresses = module_addresses(kernel, launch)
    for variable in kernel.variables:
        if variable.kind == "device" and variable.size:
            yield addresses[variable.name], variable.size, f"__device__ variable {variable.name}"


def contents(launch: Launch, kernel: Kernel) -> Iterator[tuple[int, bytes]]:
    """(address, bytes) of those whose value at launch is known."""
    addresses = module_addresses(kernel, launch)
    for variable in kernel.variables:
        if variable.kind == "device" and variable.size:
            value = value_of(launch, kernel, variable)
            if value is not None:
                yield addresses[variable.name], value
