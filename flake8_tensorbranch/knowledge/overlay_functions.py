"""Hand-written rows of torch's functions: host reads, Python-level functions, names with several results."""

from __future__ import annotations

from flake8_tensorbranch.knowledge.overlay_tensor import CONSECUTIVE, UNIQUE, unique_rows
from flake8_tensorbranch.knowledge.rows import Rows, each, op

F = "torch.nn.functional."
SDPA = "query,key,value,attn_mask=,dropout_p{mark},is_causal=,**"
MHA = "{init}query,key,value,key_padding_mask=,need_weights{mark},attn_mask=,average_attn_weights=,is_causal="
QKV = ((0, "query"), (1, "key"), (2, "value"))
DTYPES = (
    "float float32 float64 float16 bfloat16 half double int int8 int16 int32 int64 long short uint8 uint16 uint32 "
    "uint64 bool complex32 complex64 complex128 cfloat cdouble chalf float8_e4m3fn float8_e5m2 qint8 quint8 qint32"
)

FUNCTION_OPS: tuple[Rows, ...] = (
    # Host results.
    each(
        "torch.",
        "equal allclose",
        returns="host",
        deps=["data"],
        effects=["sync"],
        demands=((0, "input"), (1, "other")),
        why="a Python bool over all values; tagged data_dependent_output",
    ),
    op(
        "torch.is_nonzero",
        returns="host",
        deps=["data"],
        effects=["sync"],
        demands=((0, "input"),),
        why="the truth of a one-element tensor (facts H: Data dependent operator)",
    ),
    op("torch.numel", returns="host", deps=["shape"], demands=((0, "input"),), why="the number of elements"),
    op(
        "torch.is_same_size",
        returns="host",
        deps=["shape"],
        demands=((0, "input"), (1, "other")),
        why="compares two sizes",
    ),
    op("torch.broadcast_shapes", returns="size", deps=["shape"], why="torch/functional.py: computed from sizes alone"),
    each(
        "torch.",
        "sym_int sym_float sym_max sym_min sym_not sym_sqrt sym_sum sym_ite",
        returns="host",
        deps=["shape"],
        why="arithmetic on sizes: torch/__init__.py",
    ),
    each(
        "torch.",
        "is_floating_point is_complex is_signed is_conj is_neg is_inference is_distributed q_per_channel_axis",
        returns="static",
        demands=((0, "input"),),
        why="a test of dtype or a flag (facts H: ok)",
    ),
    each(
        "torch.",
        "q_scale q_zero_point",
        returns="host",
        deps=["data"],
        why="quantization parameters chosen from the data",
    ),
    each(
        "torch.",
        "is_tensor is_storage typename overrides.is_tensor_like overrides.has_torch_function "
        "overrides.has_torch_function_unary",
        returns="static",
        why="a test of the Python type, decided once per call site",
    ),
    each(
        "torch.",
        "can_cast cudnn_is_acceptable get_num_threads get_num_interop_threads is_vulkan_available set_flush_denormal "
        "finfo iinfo is_grad_enabled is_inference_mode_enabled are_deterministic_algorithms_enabled "
        "get_deterministic_debug_mode is_deterministic_algorithms_warn_only_enabled get_float32_matmul_precision "
        "is_warn_always_enabled initial_seed seed compiled_with_cxx11_abi inf nan pi e newaxis __version__",
        returns="static",
        why="a setting of the process or a constant; no tensor is read",
    ),
    each(
        "torch.",
        "compiler.is_compiling compiler.is_dynamo_compiling compiler.is_exporting _dynamo.is_compiling "
        "_utils.is_compiling jit.is_scripting jit.is_tracing _C._get_tracing_state onnx.is_in_onnx_export",
        returns="static",
        why="tells which tracer runs: constant within one trace",
    ),
    each(
        "torch.cuda.",
        "is_available device_count current_device get_device_name get_device_capability get_device_properties "
        "is_initialized is_bf16_supported memory_allocated max_memory_allocated memory_reserved max_memory_reserved "
        "mem_get_info get_arch_list is_current_stream_capturing initial_seed",
        returns="static",
        why="a property of the machine or its allocator; no tensor is read",
    ),
    each(
        "torch.",
        "xpu.is_available xpu.device_count mps.is_available mps.device_count cpu.is_available cpu.device_count "
        "mtia.is_available accelerator.is_available accelerator.device_count accelerator.current_accelerator "
        "backends.mps.is_available backends.mps.is_built backends.cuda.is_built backends.cudnn.is_available "
        "backends.cudnn.version backends.mkldnn.is_available backends.mkl.is_available backends.openmp.is_available "
        "version.cuda version.hip",
        returns="static",
        why="a property of the machine or the build; no tensor is read",
    ),
    each(
        "torch.",
        "cuda.synchronize xpu.synchronize mps.synchronize accelerator.synchronize",
        returns="none",
        effects=["sync"],
        why="waits for the device",
    ),
    # Values that are no tensors.
    each("torch.", DTYPES + " get_autocast_ipu_dtype get_autocast_xla_dtype", returns="dtype", why="torch.dtype"),
    each("torch.", "device get_default_device", returns="device", why="torch.device"),
    op("torch.Size", returns="size", why="built from Python numbers; what these depend on is the caller's"),
    each(
        "torch.",
        "Generator manual_seed default_generator",
        returns="generator",
        why="torch.Generator",
    ),
    each(
        "torch.",
        "save set_default_dtype set_default_device set_default_tensor_type set_printoptions set_rng_state "
        "set_warn_always set_float32_matmul_precision set_deterministic_debug_mode use_deterministic_algorithms "
        "_check _assert _assert_async cuda.manual_seed cuda.manual_seed_all autograd.backward "
        "nn.utils.vector_to_parameters nn.utils.clip_grad_value_ nn.utils.clip_grads_with_norm_",
        returns="none",
        why="called for its effect: torch/__init__.py, torch/random.py, torch/nn/utils",
    ),
    each(
        "torch.",
        "load compile vmap cond while_loop utils.checkpoint.checkpoint utils.checkpoint.checkpoint_sequential "
        "func.grad func.functional_call autograd.Function.apply utils.data.DataLoader nn.DataParallel "
        "nn.ModuleList nn.ModuleDict nn.parallel.DistributedDataParallel nn.utils.rnn.pack_padded_sequence "
        "nn.utils.rnn.pack_sequence",
        returns="unknown",
        why="what comes back is what the caller's function, file or module gives",
    ),
    # Functions that only Python defines.
    each(
        "torch.",
        "einsum tensordot cdist block_diag cartesian_prod chain_matmul stft from_dlpack get_rng_state "
        "cuda.get_rng_state",
        returns="tensor",
        why="torch/functional.py, torch/random.py: one tensor; no stub declares it",
    ),
    each(
        "torch.sparse.",
        "addmm mm softmax log_softmax sum spdiags spsolve",
        returns="tensor",
        why="bound in torch/sparse/__init__.py; no stub declares it",
    ),
    each(
        "torch.",
        "Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor "
        "ByteTensor BoolTensor cuda.FloatTensor cuda.DoubleTensor cuda.HalfTensor cuda.LongTensor cuda.IntTensor "
        "cuda.BoolTensor nn.Parameter nn.Buffer nn.UninitializedParameter nn.UninitializedBuffer autograd.Variable",
        returns="tensor",
        why="the constructor gives an instance of torch.Tensor",
    ),
    each(
        "torch.",
        "meshgrid split broadcast_tensors unravel_index",
        returns="tensors",
        why="torch/functional.py: a tuple",
    ),
    *(
        row
        for name in ("atleast_1d", "atleast_2d", "atleast_3d")
        for row in (
            op("torch." + name, when="tensors:T", returns="tensor", why="torch/functional.py: one tensor in, one out"),
            op("torch." + name, when="*tensors", returns="tensors", why="torch/functional.py: several in, a tuple out"),
        )
    ),
    each(
        "torch.",
        "split_copy unbind_copy split_with_sizes_copy",
        returns="tensors",
        demands=((0, "input"),),
        why="a tuple unless out= is given; the stub says None",
    ),
    each(
        "torch.",
        "pca_lowrank svd_lowrank",
        returns="tensors3",
        effects=["rng"],
        why="torch/_lowrank.py: U, S, V of a random sketch",
    ),
    op("torch.lobpcg", returns="tensors2", effects=["rng"], why="torch/_lobpcg.py: eigenpairs, from a random start"),
    op("torch.lu", when="A,pivot=,get_infos,out=", returns="tensors3", why="torch/functional.py: LU, pivots and infos"),
    op("torch.lu", returns="tensors2", why="torch/functional.py: LU and pivots"),
    *unique_rows("torch.unique", UNIQUE, "input,"),
    *unique_rows("torch.unique_consecutive", CONSECUTIVE, "input,"),
    op(
        "torch.norm",
        when="input,p=,dim~,keepdim=,out=,dtype=",
        returns="tensor",
        effects=["reduce"],
        why="torch/functional.py",
    ),
    op("torch.norm", returns="tensor", why="torch/functional.py: over the given dimensions"),
    # Where overloads of one schema differ in what the shape of the result depends on.
    op(
        "torch.where",
        when="condition",
        returns="tensors",
        effects=["dynamic-shape"],
        demands=((0, "condition"),),
        why="nonzero(as_tuple=True) (facts H); the schema where(condition) has no tag",
    ),
    op("torch.where", returns="tensor", demands=((0, "condition"),), why="chooses elementwise between two values"),
    op(
        "torch.repeat_interleave",
        when="input,repeats:H,dim=,*,output_size=",
        returns="tensor",
        effects=["nondet"],
        demands=((0, "input"),),
        why="a number of repeats fixes the size; on the published nondeterministic list",
    ),
    op(
        "torch.repeat_interleave",
        when="input,repeats:T,dim=,*,output_size",
        returns="tensor",
        effects=["nondet"],
        demands=((0, "input"),),
        why="output_size is the size, other sums of repeats raise; one graph; on the published nondeterministic list",
    ),
    op(
        "torch.repeat_interleave",
        when="input,repeats:T=,dim=,*,output_size=",
        returns="tensor",
        effects=["dynamic-shape", "nondet"],
        demands=((0, "input"),),
        why="the sum of the repeats is the size (facts H); on the published nondeterministic list",
    ),
    op(
        F + "one_hot",
        when="input,num_classes",
        returns="tensor",
        demands=((0, "input"),),
        why="the number of classes fixes the size",
    ),
    op(
        F + "one_hot",
        returns="tensor",
        effects=["dynamic-shape", "sync"],
        demands=((0, "input"),),
        why="without a number of classes the largest value decides; the schema is tagged dynamic_output_shape",
    ),
    # Attention and dropout inside recurrent layers: random only with a dropout probability.
    op(
        F + "scaled_dot_product_attention",
        when=SDPA.format(mark="~"),
        returns="tensor",
        demands=QKV,
        why="dropout_p is 0.0 by default, so nothing is drawn",
    ),
    op(
        F + "scaled_dot_product_attention",
        when=SDPA.format(mark=""),
        returns="tensor",
        effects=["rng"],
        demands=QKV,
        why="dropout on the attention weights",
    ),
    *(
        op(
            "torch.nn.MultiheadAttention",
            when=MHA.format(init=init, mark=mark),
            returns=returns,
            effects=effects,
            demands=QKV,
            why="forward's annotation says Tensor or None: None without need_weights; dropout is 0.0 by default",
        )
        for init, effects in (("init.dropout,", ["rng"]), ("init.dropout~,", []))
        for mark, returns in (("!", "tuple(tensor,none)"), ("=", "tensors2"))
    ),
    *(
        op(
            "torch.nn." + name,
            when=f"{init},input,hx=",
            returns=returns,
            effects=effects,
            why="dropout between layers is 0.0 by default; no demands: forward takes a PackedSequence too",
        )
        for name, returns in (("LSTM", "tuple(tensor,tensors2)"), ("GRU", "tensors2"), ("RNN", "tensors2"))
        for init, effects in (("init.dropout", ["rng"]), ("init.dropout~", []))
    ),
    *(
        op(
            "torch.nn." + name,
            returns="tensor",
            effects=["rng"],
            demands=demands,
            why="dropout is 0.1 by default: torch/nn/modules/transformer.py",
        )
        for name, demands in (
            ("Transformer", ((0, "src"), (1, "tgt"))),
            ("TransformerEncoder", ((0, "src"),)),
            ("TransformerDecoder", ((0, "tgt"), (1, "memory"))),
            ("TransformerEncoderLayer", ((0, "src"),)),
            ("TransformerDecoderLayer", ((0, "tgt"), (1, "memory"))),
        )
    ),
    # Modules with more than one result.
    *(
        op(
            "torch.nn." + name,
            when=f"init.return_indices{mark},input",
            returns=returns,
            effects=effects,
            demands=((0, "input"),),
            why="return_indices of the constructor: torch/nn/modules/pooling.py; nondet and rng as generated",
        )
        for name, effects in (
            ("MaxPool1d", []),
            ("MaxPool2d", []),
            ("MaxPool3d", ["nondet"]),
            ("AdaptiveMaxPool1d", []),
            ("AdaptiveMaxPool2d", ["nondet"]),
            ("AdaptiveMaxPool3d", []),
            ("FractionalMaxPool2d", ["nondet", "rng"]),
            ("FractionalMaxPool3d", ["nondet", "rng"]),
        )
        for mark, returns in (("", "tensors2"), ("~", "tensor"))
    ),
    op(
        "torch.nn.AdaptiveLogSoftmaxWithLoss",
        demands=((0, "input_"), (1, "target_")),
        returns="tensors2",
        why="a named tuple of output and loss: nn/modules/adaptive.py",
    ),
    # Initialisation.
    each(
        "torch.nn.init.",
        "uniform_ normal_ trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ "
        "sparse_",
        returns="self",
        effects=["inplace", "rng"],
        demands=((0, "tensor"),),
        why="torch/nn/init.py fills the tensor with random numbers",
    ),
    each(
        "torch.nn.init.",
        "constant_ ones_ zeros_ eye_ dirac_",
        returns="self",
        effects=["inplace"],
        demands=((0, "tensor"),),
        why="torch/nn/init.py fills the tensor with constants",
    ),
    op("torch.nn.init.calculate_gain", returns="static", why="a constant per nonlinearity: torch/nn/init.py"),
    # torch.nn.utils and torch.autograd.
    each(
        "torch.nn.utils.",
        "clip_grad_norm_ get_total_norm",
        returns="tensor",
        effects=["reduce"],
        why="the norm over all gradients",
    ),
    op("torch.nn.utils.parameters_to_vector", returns="tensor", why="one flat tensor"),
    op("torch.nn.utils.rnn.pad_sequence", returns="tensor", why="one padded batch"),
    op("torch.nn.utils.rnn.pad_packed_sequence", returns="tensors2", why="the padded batch and its lengths"),
    each("torch.nn.utils.rnn.", "unpad_sequence unpack_sequence", returns="tensors", why="a list of sequences"),
    each(
        "torch.nn.utils.",
        "weight_norm spectral_norm remove_weight_norm remove_spectral_norm parametrizations.weight_norm "
        "parametrizations.spectral_norm parametrizations.orthogonal parametrize.register_parametrization",
        returns="self",
        why="returns the module it was given",
    ),
    op("torch.autograd.grad", returns="tensors", why="one gradient per input"),
    each(
        "torch.autograd.functional.",
        "vjp jvp vhp hvp",
        returns="unknown",
        why="nested tuples after the inputs' structure",
    ),
)
