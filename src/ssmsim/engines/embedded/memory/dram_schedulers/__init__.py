"""DRAM schedulers: choose(m, channel, transactions, writing, soonest, cycle) of a channel's reads or writes.

Returns (transaction, 0 when there is none; the one before it in the queue, or 0; when its data could start, else INF).
"""
