"""Launches that a check need not tell apart: the same code and geometry, parameters equal up to where their buffers lie.

Layers of a network launch the same kernels over other buffers. What a check finds depends on places only where recorded
contents hold pointers, so launches with contents are alike only when their buffers lie in the same places.
"""

import hashlib

from ssmsim.launch import Launch, relative_words


def key(launch: Launch) -> str:
    """The same of launches that are alike. Raises OSError when a file is not there."""
    contents = [None if b.contents is None else _hash(launch, b.contents) for b in launch.buffers]
    variables = [
        (v.name, v.bytes, None if v.contents is None else _hash(launch, v.contents)) for v in launch.variables or ()
    ]
    apart = any(contents) or any(file for _, _, file in variables)
    places = {"address", "pointer", "contents"}
    buffers = [
        (b.model_dump(exclude=places), file, b.address if apart else 0)
        for b, file in zip(launch.buffers, contents, strict=True)
    ]
    said = launch.model_dump(exclude={"params", "buffers", "variables", "cubin", "cubin_sha256", "provenance"})
    words = relative_words(launch.param_bytes, [(b.address, b.bytes) for b in launch.buffers])
    return hashlib.sha256(repr((said, _hash(launch, launch.cubin), words, buffers, variables)).encode()).hexdigest()


def _hash(launch: Launch, file: str) -> str:
    return hashlib.sha256((launch.folder / file).read_bytes()).hexdigest()
