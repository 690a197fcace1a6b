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
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import intrinsic, lower_builtin
from numba.np.numpy_support import from_dtype


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


class Addresses(types.Type):
    """Pointer to a row of addresses of arrays, read by name. fields: (name, type of the array or of its only record)."""

    def __init__(self, name, fields):
        self.fields = fields
        super().__init__(f"Addresses({name}, {', '.join(f'{field}: {kind}' for field, kind in fields)})")


@register_default(Addresses)
class AddressesModel(PrimitiveModel):
    def __init__(self, manager, addresses):
        super().__init__(manager, addresses, ir.IntType(64).as_pointer())


@infer_getattr
class AddressesAttribute(AttributeTemplate):
    key = Addresses

    def generic_resolve(self, addresses, name):
        return dict(addresses.fields).get(name)


@lower_getattr_generic(Addresses)
def read_address(context, builder, addresses, value, name):
    """The table does not change while compiled code runs, so a read may be moved and shared (LLVM's invariant.load)."""
    place = [field for field, _ in addresses.fields].index(name)
    read = builder.load(builder.gep(value, [ir.Constant(ir.IntType(64), place)]))
    read.set_metadata("invariant.load", builder.module.add_metadata([]))
    return builder.inttoptr(read, context.get_value_type(dict(addresses.fields)[name]))


def addresses_view(name, fields, first):
    """Compiled f(table): the Addresses that begin at table[first]. fields: name to (dtype, whether it is one record)."""
    kinds = tuple(
        (field, from_dtype(dtype) if one else Bare(from_dtype(dtype))) for field, (dtype, one) in fields.items()
    )
    addresses = Addresses(name, kinds)

    @intrinsic
    def view(typing_context, table):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.gep(data, [ir.Constant(ir.IntType(64), first)])

        return addresses(table), generate

    return view


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
