"""A worker of a capture: tries launches and follows kernels' code, with neither GPU nor interception.

    python -m ssmsim.capture.worker PARENT

Started by pool.py. Messages on standard input: first the setting {"folder": of the capture, "facts": of the GPU,
"disassembled": folder of nvdisasm's texts}; then (function, name of a cubin, its bytes or None when they came before,
arguments). Answers on standard output: (True, what the function returned) or (False, how it failed). It ends when
standard input does, also while it works, and when the process PARENT is no longer its parent.
"""

import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ssmsim.capture.pool import LENGTH, receive

LOOK_SECONDS = 1.0  # how often a worker looks for its parent: a fork of the program may hold the pipe open


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what code prints is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides what an interrupt ends
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(messages,), daemon=True).start()
    threading.Thread(target=_look, args=(int(sys.argv[1]),), daemon=True).start()
    work = Work(messages.get())
    while True:
        answer = pickle.dumps(work.answer(*messages.get()), pickle.HIGHEST_PROTOCOL)
        try:
            out.write(LENGTH.pack(len(answer)) + answer)
            out.flush()
        except OSError:  # nobody reads it
            os._exit(0)


def _read(messages: "queue.SimpleQueue[Any]") -> None:
    pipe = sys.stdin.buffer
    try:
        while True:
            messages.put(receive(pipe))
    except EOFError:
        os._exit(0)


def _look(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(0)


class Work:
    """What a worker can be asked. Decoded code stays as long as the process."""

    def __init__(self, setting: dict[str, Any]) -> None:
        from ssmsim.sass import decode

        self.folder, self.facts = Path(setting["folder"]), setting["facts"]
        decode.share(Path(setting["disassembled"]))
        self._images: dict[str, bytes] = {}

    def answer(self, what: str, name: str, image: bytes | None, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        if image is not None:
            self._images[name] = image
        try:
            return True, {"try": self._try, "follow": self._follow}[what](self._images[name], *arguments)
        except Exception as error:
            return False, f"{type(error).__name__}: {error}"

    def _try(self, image: bytes, recorded: Any, files: Mapping[int, Path]) -> Any:
        """trial.Tried of a launch."""
        from ssmsim.capture.trial import attempt

        return attempt(image, recorded, files, self.folder, self.facts)

    def _follow(self, image: bytes, kernel: str, slots: Any) -> Any:
        """What is known of a kernel."""
        from ssmsim.capture.follow import follow

        return follow(image, kernel, slots)


if __name__ == "__main__":
    main()
