"""Arrays without owner and shape, for the compiled loop.

Numba counts references to every array argument of every function that it does not inline, with atomic operations: 22 %
of the loop's time as measured. It also passes each array as seven words, and the loop hands some twenty on at each call.
The caller of core.run holds all arrays for the whole call, so the loop may borrow them: as bare pointers, one word each.
"""

import operator

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import register_default
from numba.core.datamodel.models import PrimitiveModel
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin


class Bare(types.Type):
    """Pointer to the items of an array of one dimension: can be indexed, has no length."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"Bare({dtype})")


@register_default(Bare)
class BareModel(PrimitiveModel):
    def __init__(self, manager, bare):
        super().__init__(manager, bare, manager.lookup(bare.dtype).get_data_type().as_pointer())


@infer_global(operator.getitem)
class BareItem(AbstractTemplate):
    def generic(self, arguments, keywords):
        if len(arguments) == 2 and isinstance(arguments[0], Bare) and isinstance(arguments[1], types.Integer):
            return signature(arguments[0].dtype, arguments[0], types.intp)


@lower_builtin(operator.getitem, Bare, types.Integer)
def item(context, builder, signature, arguments):
    place = builder.gep(arguments[0], [arguments[1]])
    return context.unpack_value(builder, signature.args[0].dtype, place)


@intrinsic
def without_owner(typing_context, array):
    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


@intrinsic
def pointer(typing_context, array):
    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.bitcast(view.data, context.get_value_type(signature.return_type))

    return Bare(array.dtype)(array), generate


@intrinsic
def prefetch_item(typing_context, array, index):
    """Have the host's caches fetch an item that will soon be read."""

    def generate(context, builder, signature, arguments):
        data = arguments[0]
        if not isinstance(signature.args[0], Bare):
            data = context.make_array(signature.args[0])(context, builder, data).data
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), (byte, flag, flag, flag))
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [place, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def same(array):
    return array


def nothing(array, index):
    pass


if numba.config.DISABLE_JIT:
    unowned = bare = same
    prefetch = nothing
else:
    prefetch = prefetch_item
    unowned = without_owner  # the same array with no owner to count
    bare = without_owner if numba.config.BOUNDSCHECK else pointer
