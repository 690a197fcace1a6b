"""A number with its range, and the arithmetic that keeps the range: nothing is assumed about what lies where in it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """low <= value <= high, all in one unit.

    Sums add the ends: errors of figures from one source or one process go the same way, so they must not cancel.
    """

    low: float
    value: float
    high: float

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.value + other.value, self.high + other.high)

    def __mul__(self, factor: float) -> "Interval":
        """Times an exact number, which may be negative: the ends change places."""
        low, high = sorted((self.low * factor, self.high * factor))
        return Interval(low, self.value * factor, high)

    def times(self, other: "Interval") -> "Interval":
        """Times another uncertain number; neither may be negative."""
        return Interval(self.low * other.low, self.value * other.value, self.high * other.high)

    def over(self, other: "Interval") -> "Interval":
        """Over another uncertain number; neither may be negative."""
        return Interval(self.low / other.high, self.value / other.value, self.high / other.low)


NOTHING = Interval(0.0, 0.0, 0.0)
