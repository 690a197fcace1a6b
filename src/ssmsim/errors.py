"""The one exception that reaches a user: a single line with cause, place and remedy."""


class SsmsimError(Exception):
    """Bad input or a failed step, told in one line.

    what:  the fault, in plain words.
    where: file, line, field or PC where it was found ("" when there is none).
    todo:  what the user can do about it ("" when there is nothing to say).
    """

    def __init__(self, what: str, where: object = "", todo: str = "") -> None:
        self.what, self.where, self.todo = what, str(where), todo
        place = f"{where}: " if str(where) else ""
        remedy = f"; {todo}" if todo else ""
        super().__init__(f"{place}{what}{remedy}".replace("\n", " "))
