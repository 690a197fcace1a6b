"""Arrays without reference counts, for the compiled loop.

Numba counts references to every array argument of every function that it does not inline, with atomic operations: 22 %
of the loop's time as measured. The caller of core.run holds all arrays for the whole call, so the loop may borrow them.
"""

import numba
from numba.core import cgutils
from numba.extending import intrinsic

if numba.config.DISABLE_JIT:

    def unowned(array):
        return array

else:

    @intrinsic
    def unowned(typing_context, array):
        """The same array with no owner to count."""

        def generate(context, builder, signature, arguments):
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            view.parent = cgutils.get_null_value(view.parent.type)
            return view._getvalue()

        return array(array), generate
