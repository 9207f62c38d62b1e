"""Which operations a process-wide state bears on: a region that holds none of them sees no difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Operations:
    """Functions and layers of torch by canonical name; `told` is the argument by which a call is free of the state."""

    names: frozenset[str]
    told: str = ""


def _named(prefix: str, names: str) -> frozenset[str]:
    return frozenset(prefix + name for name in names.split())


_MADE: Final = (
    "zeros ones empty full rand randn tensor as_tensor asarray scalar_tensor linspace logspace arange range eye "
    "empty_strided empty_permuted normal bartlett_window blackman_window hamming_window hann_window kaiser_window "
    "sparse_coo_tensor Tensor"
)

ATTENTION: Final = Operations(
    _named(
        "torch.nn.",
        "functional.scaled_dot_product_attention functional.multi_head_attention_forward MultiheadAttention "
        "Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer TransformerDecoderLayer",
    )
)
"""What asks for an attention backend: scaled_dot_product_attention, and what torch itself builds on it."""

FACTORIES: Final = Operations(_named("torch.", f"{_MADE} finfo get_default_dtype"), "dtype")
"""What takes the default dtype (facts E: a constant made in the region); layers built in the region do, too."""

EXACT_FACTORIES: Final = frozenset("zeros ones empty full tensor as_tensor scalar_tensor eye arange asarray".split())
"""Of these, the ones whose result is the same whether it is made in a type or cast to it."""

WHOLE_OF_WHOLE: Final = frozenset("tensor as_tensor full arange range asarray scalar_tensor".split())
"""Of these, the ones whose result has integers where all that they are given is whole."""

PLACED: Final = Operations(_named("torch.", f"{_MADE} randint randperm tril_indices triu_indices"), "device")
"""What takes the default device (facts A13, E)."""

RECURRENT: Final = Operations(_named("torch.nn.", "LSTM GRU RNN") | _named("torch.", "lstm gru rnn_tanh rnn_relu"))
"""What oneDNN runs by another algorithm than torch's own does (facts E: an LSTM; a convolution stays equal)."""

_PRODUCTS: Final = (
    "mm bmm matmul addmm addmv addbmm baddbmm mv linear bilinear einsum chain_matmul linalg.multi_dot conv1d conv2d "
    "conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc lstm gru rnn_tanh rnn_relu"
)

CAST: Final = Operations(
    _named("torch.", _PRODUCTS)
    | _named("torch.nn.functional.", f"{_PRODUCTS} scaled_dot_product_attention multi_head_attention_forward")
    | _named(
        "torch.nn.",
        "Linear LazyLinear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LSTM GRU RNN "
        "LSTMCell GRUCell RNNCell",
    )
    | _named("torch.nn.", " ".join(n.removeprefix("torch.nn.") for n in sorted(ATTENTION.names)))
)
"""What autocast runs in lower precision, so that it saves other tensors: products of matrices, convolutions."""

PRODUCTS: Final = frozenset(_PRODUCTS.split()) - {"linear", "einsum"}
"""Those that are methods of tensors, too (`@` beside them)."""

CALLING: Final = frozenset({"builtins.map", "builtins.filter", "functools.reduce", "torch.cond", "torch.vmap"})
"""What runs the function that it is handed first, beside the entries of regions."""

APPLIES: Final = frozenset({"map", "filter", "reduce"})
"""The last names of those that call it with elements of what follows."""

OPAQUE: Final = frozenset({"builtins.exec", "builtins.eval", "builtins.__import__", "torch.while_loop"})
"""What may run anything."""

OF_CONTEXT: Final = frozenset({"save_for_backward", "mark_dirty", "mark_non_differentiable", "set_materialize_grads"})
"""Methods of the context of a `torch.autograd.Function`, which only note what they are given."""
