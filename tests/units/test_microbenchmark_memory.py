"""Buffers of a measuring session: pieces of one allocation, as large as the device allows."""

import pytest

from ssmsim.microbenchmarks import session as module

MB = 1 << 20


class Device:
    """A GPU with so many bytes, all of them free."""

    def __init__(self, size: int) -> None:
        self.size, self.zeroed = size, []

    def load(self, cubin):
        return None

    def facts(self):
        return {"sms": 132}

    def allocate(self, size):
        if size > self.size:
            raise RuntimeError("cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY")
        return (1 << 40) + 512

    def zero(self, address, size):
        self.zeroed.append((address, size))

    def synchronize(self):
        pass


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "Gpu", lambda: Device(10 << 30))
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    return module.Session(tmp_path / "none.cubin")


def test_the_memory_for_buffers_is_halved_until_the_device_has_it(small):
    assert (8 << 30) < small.room() + module.SWEPT + module.PAGE <= 10 << 30


def test_buffers_begin_pages_do_not_overlap_and_begin_anew_after_a_release(small):
    one, two = small.buffer(100), small.buffer(3 * MB, zero=False)
    assert one % module.PAGE == two % module.PAGE == 0 and two == one + module.PAGE
    assert one >= small.swept + module.SWEPT and small.gpu.zeroed == [(one, 100)]
    small.release()
    assert small.buffer(100) == one


def test_a_buffer_that_does_not_fit_says_so(small):
    with pytest.raises(RuntimeError, match=r"20,\d+,\d+,\d+ bytes, but [\d,]+ are left"):
        small.buffer(20_000_000_000)


def test_a_device_without_room_for_the_least_fails(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "Gpu", lambda: Device(100 * MB))
    with pytest.raises(RuntimeError, match="OUT_OF_MEMORY"):
        module.Session(tmp_path / "none.cubin")
