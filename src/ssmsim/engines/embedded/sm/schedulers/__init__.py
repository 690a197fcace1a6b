"""Warp schedulers: before(sub, w, warp, v, other, cycle), whether warp w issues rather than v; both could."""
