"""What a slice has asked the other partition for, in the order of asking; hits on copies wait for its answers.

Our microbenchmark noc/partition_link_bandwidth, hits: a hit on a line that the other partition owns waits while its
slice has reads on their way there, for the third answer to come, or the last where fewer are awaited; hits on the
partition's own lines do not wait. Quartiles of the waits are met within 60 cycles at 2 to 13 reads per 1,000 cycles and
slice. Why it is so is not known.
"""

from numba import njit


@njit(cache=True)
def append(slice_, transactions, number):
    """A question is the last of its slice."""
    transaction = transactions[number]
    transaction.later, transaction.earlier = 0, slice_.last_asked
    if slice_.last_asked:
        transactions[slice_.last_asked].later = number
    else:
        slice_.first_asked = number
    slice_.last_asked = number
    slice_.asked += 1


@njit(cache=True)
def remove(slice_, transactions, number):
    """A question is answered."""
    transaction = transactions[number]
    if transaction.earlier:
        transactions[transaction.earlier].later = transaction.later
    else:
        slice_.first_asked = transaction.later
    if transaction.later:
        transactions[transaction.later].earlier = transaction.earlier
    else:
        slice_.last_asked = transaction.earlier
    slice_.asked -= 1


@njit(cache=True)
def holds_up(m, slice_, transactions, fill):
    """The question whose answer a hit on a copy waits for; 0 when there is none."""
    if m.l2.copy_hit_answers == 0 or fill.slice == fill.home:
        return 0
    number = slice_.first_asked
    for _ in range(m.l2.copy_hit_answers - 1):
        if number and transactions[number].later:
            number = transactions[number].later
    return number
