"""What a capture may record of the memory that launches find, and why some of it is missing."""

MODES = ("needed", "all", "none")
LIMIT_MIB = 256  # of one needed buffer
BEYOND, REFUSED = "more than --contents-limit", "a replay is refused"  # why contents are missing
LOST = "it could not be tried"  # nor are contents known then
NOT_TAKEN = "control hangs on data that were not copied before the launch ran: capture with --workers 0"
