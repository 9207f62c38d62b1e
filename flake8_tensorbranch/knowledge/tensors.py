"""What methods of tensors do to storage, dimensions and saved values, by name; tests/oracle tries each on torch."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.knowledge.randomness import DRAWN_IN_PLACE

DTYPE_CASTS: Final = frozenset("half float double bfloat16".split())
"""Methods that cast to a floating point type; what can carry gradients goes on carrying them."""

INTEGER_CASTS: Final = frozenset("bool short int long".split())
"""Methods that cast to a type that carries no gradients."""

INTEGER_DTYPES: Final = frozenset("uint8 int8 int16 short int32 int int64 long".split())
"""The names in `torch` of the integer types, by which nothing is true of bool."""

DTYPES: Final = INTEGER_DTYPES | frozenset("float16 float32 float64 bfloat16 half float double bool".split())
"""The names in `torch` of the integer and floating point types, and bool."""

CONVERSIONS: Final = frozenset(
    {
        *DTYPE_CASTS,
        *INTEGER_CASTS,
        *"to cuda cpu type type_as contiguous clone detach requires_grad_ view reshape".split(),
    }
)
"""Methods that give the same elements in another type, place or layout: converting twice gives what once gives."""

SAME_SHAPE: Final = CONVERSIONS - {"view", "reshape", "requires_grad_", "short", "type_as"}
"""Of these, the ones that leave the sizes alone, as example inputs are built with them."""

SAME_STORAGE: Final = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})
"""Attributes that are the tensor itself under other strides (of complex tensors: H, imag only where it is a view)."""

VIEWS: Final = frozenset(
    (
        "detach detach_ view view_as reshape transpose permute unsqueeze squeeze flatten unflatten expand expand_as "
        "narrow select chunk split unbind contiguous t swapaxes movedim requires_grad_ to_local"
    ).split()
)
"""Methods whose result shares the storage, at least where no copy is needed (torch's page on tensor views)."""

COPIES: Final = frozenset({"clone", "detach", "contiguous"})
"""Methods by which a tensor is kept for later."""

RESIZING: Final = frozenset("cat concat concatenate hstack vstack pad narrow repeat repeat_interleave tile".split())
"""Operations that give a tensor of another size than what they are given: cut, joined, padded, repeated."""

SPLIT_SIZES: Final = {"split": "split_size_or_sections", "split_with_sizes": "split_sizes"}
"""Operations whose first argument is a size or a list of sizes, by its name: a tensor of several is an error."""

EXPANDING: Final = frozenset({"expand", "expand_as", "broadcast_to"})
"""Views in which a dimension of size 1 is repeated without a copy."""

MOVES_DIMENSIONS: Final = frozenset("t transpose permute movedim swapaxes T mT".split())
"""Methods and attributes after which the first dimension may be another one."""

REDUCES_DIMENSION: Final = frozenset(
    "sum mean max min any all std var prod amax amin argmax argmin median norm logsumexp".split()
)
"""Operations that take a dimension to be reduced."""

REDUCES_TO_ONE: Final = frozenset("norm sum mean max min amax amin std var median prod any all".split())
"""Methods that without arguments leave a single element."""

FINITE_SLOPE: Final = frozenset(
    "abs clamp clip clamp_max clamp_min cos neg relu sigmoid sin square tanh nan_to_num".split()
)
"""Of one shape and type with what they are given, and with a finite slope wherever that is finite."""

STEEP: Final = frozenset("exp log log1p log2 reciprocal rsqrt sqrt".split())
"""Likewise but for the slope, which may be infinite and so reach the gradient from the side that is not taken."""

CLAMPS: Final = frozenset({"clamp", "clip"})
"""Operations with `min=` and `max=`."""

EXTREMES: Final = frozenset({"max", "min", "maximum", "minimum", *CLAMPS})
"""Choices among what is given: choosing again among the same gives the same."""

REPEATABLE_IN_PLACE: Final = frozenset(
    (
        "copy_ fill_ zero_ set_ resize_ masked_fill_ index_fill_ index_copy_ scatter_ fill_diagonal_ put_ "
        "masked_scatter_ clamp_ clamp_min_ clamp_max_ clip_ abs_ relu_ floor_ ceil_ round_ trunc_ frac_ sign_ "
        "nan_to_num_ logical_and_ logical_or_ detach_ requires_grad_ share_memory_"
    ).split()
)
"""Operations in place that give the same when they run twice with one argument: they overwrite, clamp, or mark."""

OVERWRITES: Final = REPEATABLE_IN_PLACE | DRAWN_IN_PLACE
"""Operations in place whose second run builds on nothing of the first."""

MARKS_IN_PLACE: Final = frozenset({"requires_grad_", "detach_", "share_memory_"})
"""Methods with an underscore that leave the values alone."""

SAVES_INPUT: Final = frozenset(
    (
        "abs acos acosh asin asinh atan atanh cos cosh sin sinh erf erfc log log10 log1p log2 square pow silu gelu "
        "leaky_relu elu selu celu softplus softshrink hardshrink hardtanh hardswish hardsigmoid relu6 mish "
        "threshold lgamma digamma sinc logit i0 clamp clamp_min clamp_max nan_to_num"
    ).split()
)
"""Functions and methods whose derivative needs their first argument and no other tensor, unless given another."""

INPUT_SAVING_LAYERS: Final = frozenset(
    f"torch.nn.{name}"
    for name in (
        "SiLU GELU LeakyReLU ELU SELU CELU Softplus Softshrink Hardshrink Hardtanh Hardswish Hardsigmoid ReLU6 Mish"
    ).split()
)
"""The layers of these."""

SAVES_INPUT_FIRST: Final = frozenset({"layer_norm", "logsigmoid", "normalize"})
"""Functions that save their first argument before others, whatever else requires grad (`linear`, with its weight)."""

SAVES_NOTHING: Final = frozenset(
    (
        "view reshape transpose permute unsqueeze squeeze flatten unflatten expand expand_as contiguous clone t chunk "
        "split unbind narrow cat stack concat hstack vstack add sub neg sum mean to float half double bfloat16 type"
    ).split()
)
"""Operations whose derivative needs no saved tensor (derivatives.yaml: sizes only)."""

ADDS: Final = frozenset({"add", "add_", "sub", "sub_", "subtract", "subtract_"})
"""Of these, the sums and differences of two tensors."""

REARRANGES: Final = frozenset({"rearrange"})
"""Functions of einops made of the above alone (einops 0.8: reshape and permute)."""

SAVING_OPERATORS: Final = frozenset({"*", "/", "@", "**"})
"""Operators of two tensors whose derivative needs one of them (`%` only where its right side requires grad)."""

ROUTES: Final = frozenset("topk argmax argmin sort argsort kthvalue multinomial max min".split())
"""Operations that choose places by value: where values move by a rounding, the choice may differ on recompute."""

SIZED_BY_ARGUMENT: Final = frozenset(
    (
        "split split_with_sizes tensor_split narrow expand repeat zeros ones empty full arange new_zeros new_ones "
        "new_empty new_full tile unfold reshape view topk"
    ).split()
)
"""Operations of whose result an argument is a size."""

SPLITS: Final = frozenset({"split", "split_with_sizes", "tensor_split"})
"""Methods that take the sizes, or the ends, of parts as numbers."""

SIZE_AT_LEAST: Final = {"bincount": "minlength"}
"""Operations with an option for the size of their result, which values only exceed by mistake: classes are counted."""

METADATA: Final = frozenset("shape dtype device ndim requires_grad is_cuda is_leaf layout grad_fn".split())
"""Attributes that tell nothing of the values."""

COUNTS: Final = frozenset("size dim numel nelement ndimension".split())
"""Methods that give sizes, or how many there are."""

METADATA_METHODS: Final = COUNTS | frozenset("type is_floating_point element_size get_device".split())
"""Methods without arguments that tell nothing of the values."""

AFTER_ANOTHER: Final = frozenset("expand_as reshape_as to type_as view_as".split())
"""Methods that take the form, type or device of the tensor that is their argument, and none of its values."""

AFTER_ATTENTION: Final = frozenset("abs detach float mean norm pow reshape square sum tanh to view".split())
"""Methods that run no kernel of attention, matrix product or convolution."""

COUNTS_TRUE: Final = frozenset({"any", "sum", "count_nonzero"})
"""Reductions of a mask that are zero where nothing in it is true (docs of torch)."""

ASKS_EMPTY: Final = COUNTS_TRUE | {"numel", "nelement", "size"}
"""What tells, of a selection or its mask, whether it is empty."""

FINDS_PLACES: Final = frozenset({"nonzero", "where", "argwhere"})
"""Functions of a mask alone that give the places where it is true."""

SAME_ELEMENTS: Final = frozenset("item tolist cpu numpy squeeze flatten view reshape int bool long list to".split())
"""Conversions that give as many elements, of the same values but for their type."""
