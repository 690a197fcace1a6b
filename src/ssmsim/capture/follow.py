"""A kernel's code followed, for what its launches may need in memory."""

import threading
from collections.abc import Sequence

from ssmsim.capture.pool import Died, Worker
from ssmsim.capture.recorded import Cubin
from ssmsim.capture.reduce import reduce_cubin
from ssmsim.elf_attributes import kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import decode_image
from ssmsim.tracers.emulated.provenance import Provenance, provenance

Known = (
    tuple[bytes, Provenance] | str
)  # a cubin with the kernel alone and its provenance, or why its code cannot be followed


def reduced(cubin: Cubin, kernel: str) -> bytes | str:
    """A cubin with one kernel alone, or why there is none."""
    try:
        return reduce_cubin(cubin.image, {kernel})
    except SsmsimError as error:
        return error.what
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def follow(image: bytes, kernel: str, slots: Sequence[tuple[int, int]]) -> Known:
    """What is known of a kernel. image: a cubin with it alone. slots: (offset, bytes) of each parameter."""
    try:
        return image, provenance(decode_image(image, kernel, kernel), slots)
    except SsmsimError as error:
        return error.what
    except Exception as error:  # a capture goes on; the launch says why its contents are missing
        return f"{type(error).__name__}: {error}"


class Following:
    """A kernel whose code a worker follows before a launch asks for it."""

    def __init__(self, cubin: Cubin, kernel: str) -> None:
        self.cubin, self.kernel = cubin, kernel
        self._begun, self._unwanted, self._done = False, False, threading.Event()
        self._found: Known | None = None

    def run(self, worker: Worker) -> None:
        if self._unwanted:
            return
        self._begun = True
        try:
            image = reduced(self.cubin, self.kernel)
            if isinstance(image, bytes):
                slots = kernel_info(image, self.kernel).params
                self._found = worker.ask("follow", (f"{self.cubin.sha256} {self.kernel}", image), self.kernel, slots)
        except (Died, SsmsimError):
            pass  # the launch that asks for it finds out by itself
        finally:
            self._done.set()

    def result(self) -> Known | None:
        """What was found; None when it was not begun, which it then will not be, and when it failed."""
        self._unwanted = not self._begun
        if self._unwanted:
            return None
        self._done.wait()
        return self._found
