"""Hand-written rows of tensor methods: what each host result is read from, and what only Python defines."""

from __future__ import annotations

from flake8_tensorbranch.knowledge.rows import Rows, each, op

T = "torch.Tensor."
UNIQUE = "sorted=,return_inverse{inverse},return_counts{counts},dim="
CONSECUTIVE = "return_inverse{inverse},return_counts{counts},dim="


def unique_rows(qualname: str, parameters: str, first: str = "") -> list[Rows]:
    """The results of ``unique``: one tensor, and one more for each of the two flags."""
    return [
        op(
            qualname,
            when=first + parameters.format(inverse=inverse, counts=counts),
            returns=returns,
            effects=["dynamic-shape"],
            demands=((0, "input"),) if first else (),
            why="torch/functional.py dispatches on the flags; the schema's unique_dim is tagged dynamic_output_shape",
        )
        for inverse, counts, returns in (
            ("~", "~", "tensor"),
            ("", "~", "tensors2"),
            ("~", "", "tensors2"),
            ("", "", "tensors3"),
        )
    ]


TENSOR_OPS: tuple[Rows, ...] = (
    # Reads of the values: they wait for the device and decide on data.
    each(
        T,
        "__bool__ __nonzero__ __int__ __long__ __float__ __complex__ __index__ item is_nonzero",
        returns="host",
        deps=["data"],
        effects=["sync"],
        why="a Python number holds the value; only item and _local_scalar_dense are tagged data_dependent_output",
    ),
    op(T + "tolist", returns="host", deps=["data"], effects=["sync"], why="copies every value into Python lists"),
    each(
        T,
        "equal allclose",
        returns="host",
        deps=["data"],
        effects=["sync"],
        demands=((0, "other"),),
        why="a Python bool over all values; tagged data_dependent_output",
    ),
    op(
        T + "__contains__",
        returns="host",
        deps=["data"],
        effects=["sync"],
        why="torch/_tensor.py: (element == self).any().item()",
    ),
    each(
        T,
        "__repr__ __str__ __format__",
        returns="host",
        deps=["data"],
        effects=["sync"],
        why="prints the values: torch/_tensor_str.py reads them",
    ),
    each(
        T,
        "numpy __array__",
        returns="host",
        deps=["data"],
        effects=["sync", "array"],
        why="an array over the same memory as the tensor: its values are the tensor's",
    ),
    each(T, "q_scale q_zero_point", returns="host", deps=["data"], why="quantization parameters chosen from the data"),
    # Reads of the sizes.
    op(T + "shape", returns="size", deps=["shape"], why="torch.Size of the tensor"),
    op(T + "size", when="dim", returns="host", deps=["shape"], why="one size as a Python int"),
    op(T + "size", when="dim~", returns="size", deps=["shape"], why="torch.Size of the tensor"),
    each(
        T,
        "numel nelement nbytes stride storage_offset __len__",
        returns="host",
        deps=["shape"],
        why="computed from sizes and strides alone",
    ),
    op(T + "is_same_size", returns="host", deps=["shape"], demands=((0, "other"),), why="compares two sizes"),
    # Metadata: the same for every batch, or tested by every guard without cost.
    each(
        T,
        "dim ndim ndimension dense_dim sparse_dim element_size itemsize output_nr q_per_channel_axis dim_order name",
        returns="static",
        why="rank, element width or a label: no value and no size is read (facts H: ndim tests are ok)",
    ),
    each(
        T,
        "is_complex is_floating_point is_signed is_conj is_neg is_inference is_quantized is_nested is_sparse "
        "is_sparse_csr is_mkldnn is_coalesced is_distributed",
        returns="static",
        why="a test of dtype, layout or a flag (facts H: is_floating_point tests are ok)",
    ),
    each(
        T,
        "is_cpu is_cuda is_ipu is_maia is_meta is_mps is_mtia is_vulkan is_xla is_xpu is_pinned is_shared get_device",
        returns="static",
        why="a test of the device or the storage (facts N: is_cuda must not be flagged)",
    ),
    each(
        T,
        "requires_grad retains_grad is_leaf",
        returns="static",
        why="a flag of autograd (facts H, N: ok; facts D: flips in a reentrant region only)",
    ),
    each(
        T,
        "is_contiguous is_set_to",
        returns="static",
        why="a test of strides and storage (facts H, I: contiguity is ok)",
    ),
    each(T, "data_ptr const_data_ptr __hash__", returns="static", why="an address, not a value (facts D: ok)"),
    op(T + "type", when="*", returns="static", why="without arguments the name of dtype and device"),
    op(T + "type", returns="tensor", why="with a dtype a converted tensor"),
    # Methods that only torch/_tensor.py defines, without annotations.
    op(T + "__iter__", returns="tensors", why="torch/_tensor.py: unbind(0)"),
    op(T + "__reversed__", returns="tensor", why="torch/_tensor.py: flips every dimension"),
    each(
        T,
        "__pos__ __rdiv__ __rlshift__ __rrshift__ __rmatmul__ __rmod__ __deepcopy__",
        returns="tensor",
        why="torch/_tensor.py returns a tensor; no stub declares it",
    ),
    each(T, "__ipow__ __itruediv__", returns="self", effects=["inplace"], why="bound to pow_ and div_"),
    op(T + "__setitem__", returns="none", effects=["inplace"], why="writes into the receiver"),
    op(
        T + "norm",
        when="p=,dim~,keepdim=,dtype=",
        returns="tensor",
        effects=["reduce"],
        why="torch/_tensor.py: torch.norm",
    ),
    op(T + "norm", returns="tensor", why="torch/_tensor.py: torch.norm over the given dimensions"),
    *unique_rows(T + "unique", UNIQUE),
    *unique_rows(T + "unique_consecutive", CONSECUTIVE),
    each(T, "stft to_sparse_coo", returns="tensor", why="torch/_tensor.py returns a tensor"),
    op(T + "lu", when="pivot=,get_infos", returns="tensors3", why="torch/_tensor.py: LU, pivots and infos"),
    op(T + "lu", returns="tensors2", why="torch/_tensor.py: LU and pivots"),
    op(T + "backward", returns="none", why="torch/_tensor.py"),
    each(T, "register_hook register_post_accumulate_grad_hook", returns="unknown", why="a removable handle"),
    op(T + "share_memory_", returns="self", why="torch/_tensor.py returns self; values stay"),
    op(
        T + "requires_grad_",
        returns="self",
        why="sets a flag of autograd; no value is written, though the schema says a!",
    ),
    # Where overloads of one schema differ in what the shape of the result depends on.
    op(
        T + "repeat_interleave",
        when="repeats:T,dim=,*,output_size",
        returns="tensor",
        effects=["nondet"],
        why="output_size is the size, other sums of repeats raise; one graph; on the published nondeterministic list",
    ),
    op(
        T + "repeat_interleave",
        when="repeats:T,dim=,*,output_size=",
        returns="tensor",
        effects=["dynamic-shape", "nondet"],
        why="the sum of the repeats is the size (facts H); on the published nondeterministic list",
    ),
    op(
        T + "repeat_interleave",
        when="repeats:H,dim=,*,output_size=",
        returns="tensor",
        effects=["nondet"],
        why="a number of repeats fixes the size; on the published nondeterministic list",
    ),
)
