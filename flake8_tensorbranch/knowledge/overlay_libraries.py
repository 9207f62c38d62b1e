"""Hand-written rows of torch's subpackages and of libraries that take and give tensors."""

from __future__ import annotations

from flake8_tensorbranch.knowledge.rows import Rows, each, op

D = "torch.distributed."
FUNCTIONAL = "torch.distributed._functional_collectives."

M = "torch.nn.Module."

LIBRARY_OPS: tuple[Rows, ...] = (
    # Methods of every module.
    each(
        M,
        "train eval to cuda cpu xpu double float half bfloat16 type requires_grad_ apply share_memory to_empty",
        returns="self",
        why="torch/nn/modules/module.py returns self",
    ),
    each(M, "parameters buffers", returns="tensors", why="torch/nn/modules/module.py yields tensors"),
    each(M, "get_parameter get_buffer", returns="tensor", why="torch/nn/modules/module.py"),
    op(M + "state_dict", returns="state", why="torch/nn/modules/module.py: a dictionary of parameters and buffers"),
    op(M + "get_submodule", returns="module", why="torch/nn/modules/module.py"),
    each(
        M,
        "zero_grad register_buffer register_parameter register_module add_module compile",
        returns="none",
        why="torch/nn/modules/module.py: called for its effect",
    ),
    each(
        M,
        "named_parameters named_buffers children modules named_children named_modules load_state_dict "
        "register_forward_hook register_forward_pre_hook register_full_backward_hook",
        returns="unknown",
        why="torch/nn/modules/module.py: pairs, modules, dictionaries or handles",
    ),
    op(
        "torch.amp.GradScaler.get_scale",
        returns="host",
        deps=["data"],
        effects=["sync"],
        why="torch/amp/grad_scaler.py: reads the scale with item()",
    ),
    each(M, "training", returns="static", why="train or eval mode: a flag set by the caller"),
    # torch.distributed. With async_op=True a collective returns a handle, else nothing.
    each(
        D,
        "all_reduce broadcast reduce",
        returns="unknown",
        effects=["collective", "inplace"],
        demands=((0, "tensor"),),
        why="torch/distributed/distributed_c10d.py: writes the first argument on the ranks that receive",
    ),
    each(
        D,
        "all_gather all_gather_into_tensor reduce_scatter reduce_scatter_tensor all_to_all all_to_all_single scatter "
        "all_gather_coalesced all_reduce_coalesced",
        returns="unknown",
        effects=["collective", "inplace"],
        why="torch/distributed/distributed_c10d.py: writes the first argument, a tensor or a list of them",
    ),
    op(
        D + "gather",
        returns="unknown",
        effects=["collective"],
        demands=((0, "tensor"),),
        why="writes gather_list on one rank",
    ),
    each(
        D,
        "all_gather_object broadcast_object_list scatter_object_list",
        returns="none",
        effects=["collective", "inplace", "sync"],
        why="torch/distributed/distributed_c10d.py: pickles into tensors, fills the list given first",
    ),
    op(D + "gather_object", returns="none", effects=["collective", "sync"], why="fills object_gather_list on one rank"),
    each(
        D, "barrier monitored_barrier", returns="unknown", effects=["collective"], why="waits until every rank has come"
    ),
    each(
        D,
        "new_group new_subgroups init_process_group split_group",
        returns="unknown",
        effects=["collective"],
        why="docstring: all ranks must enter, also those outside the group",
    ),
    each(
        D,
        "get_rank get_world_size get_backend get_node_local_rank is_initialized is_available is_torchelastic_launched "
        "is_nccl_available is_gloo_available is_mpi_available get_global_rank get_group_rank",
        returns="static",
        why="a property of the process group; no tensor is read",
    ),
    each(
        D + "nn.functional.",
        "all_reduce broadcast reduce all_to_all_single",
        returns="tensor",
        effects=["collective"],
        why="torch/distributed/nn/functional.py: differentiable, gives a new tensor",
    ),
    each(
        D + "nn.functional.",
        "all_gather gather all_to_all",
        returns="tensors",
        effects=["collective"],
        why="torch/distributed/nn/functional.py: differentiable, gives a tuple",
    ),
    each(
        D + "nn.functional.",
        "scatter reduce_scatter",
        returns="tensor",
        effects=["collective"],
        why="one tensor per rank",
    ),
    each(
        FUNCTIONAL,
        "all_reduce broadcast all_gather_tensor all_gather_tensor_autograd reduce_scatter_tensor "
        "reduce_scatter_tensor_autograd all_to_all_single all_to_all_single_autograd",
        returns="tensor",
        effects=["collective"],
        why="torch/distributed/_functional_collectives.py: gives a new tensor",
    ),
    # torch.distributions: the methods of every distribution, see aliases.PREFIX_ALIASES.
    each(
        "torch.distributions.Distribution.",
        "sample rsample sample_n",
        returns="tensor",
        effects=["rng"],
        why="torch/distributions/distribution.py: draws from the default generator",
    ),
    each(
        "torch.distributions.Distribution.",
        "log_prob cdf icdf entropy perplexity enumerate_support mean mode variance stddev probs logits loc scale",
        returns="tensor",
        why="torch/distributions: a tensor of the batch's shape",
    ),
    each(
        "torch.distributions.Distribution.", "batch_shape event_shape", returns="size", deps=["shape"], why="torch.Size"
    ),
    op("torch.distributions.kl_divergence", returns="tensor", why="torch/distributions/kl.py"),
    op("torch.distributions.broadcast_all", returns="tensors", why="torch/distributions/utils.py: a tuple"),
    each(
        "torch.distributions.",
        "logits_to_probs probs_to_logits clamp_probs vec_to_tril_matrix tril_matrix_to_vec",
        returns="tensor",
        why="torch/distributions/utils.py",
    ),
    # torchvision operators that model code calls.
    each(
        "torchvision.ops.",
        "nms batched_nms remove_small_boxes",
        returns="tensor",
        effects=["dynamic-shape"],
        why="indices of the boxes kept: their number depends on the scores and boxes",
    ),
    each(
        "torchvision.ops.",
        "box_iou generalized_box_iou box_area box_convert clip_boxes_to_image roi_align roi_pool ps_roi_align "
        "sigmoid_focal_loss deform_conv2d masks_to_boxes",
        returns="tensor",
        why="torchvision/ops annotates Tensor",
    ),
    each(
        "torchvision.ops.",
        "stochastic_depth drop_block2d",
        returns="tensor",
        effects=["rng"],
        why="draws a mask with bernoulli_",
    ),
    each("einops.", "rearrange reduce repeat", returns="self", why="gives the kind of array it was given"),
    op("einops.einsum", returns="tensor", why="einops/einops.py: an einsum of the tensors it is given"),
    op("einops.unpack", returns="tensors", why="einops/packing.py: a list of tensors"),
)
