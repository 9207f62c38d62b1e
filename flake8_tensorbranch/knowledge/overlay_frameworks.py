"""Hand-written rows of the libraries beside torch that training code is written with, most by family (`families`)."""

from __future__ import annotations

from flake8_tensorbranch.knowledge.rows import Rows, each, op

TOKENIZER = "transformers.Tokenizer"
MODEL = "transformers.PreTrainedModel"

FRAMEWORK_OPS: tuple[Rows, ...] = (
    op("libraries.Layer", returns="tensor", why="see the family"),
    op("libraries.Layer.forward", returns="tensor", why="see the family"),
    op("libraries.function", returns="tensor", why="see the family"),
    each("safetensors.torch.", "load load_file", returns="state", why="safetensors/torch.py: Dict[str, torch.Tensor]"),
    each(
        "torchvision.io.",
        "read_image decode_image decode_jpeg decode_png decode_gif decode_webp read_file",
        returns="tensor",
        why="torchvision/io/image.py: annotated Tensor",
    ),
    each(
        "torchvision.utils.",
        "make_grid draw_bounding_boxes draw_segmentation_masks draw_keypoints flow_to_image",
        returns="tensor",
        why="torchvision/utils.py: annotated Tensor",
    ),
    *(
        each(
            f"torchvision.transforms.{name}functional.",
            "to_tensor pil_to_tensor",
            returns="tensor",
            why="torchvision/transforms/functional.py: annotated Tensor",
        )
        for name in ("", "v2.")
    ),
    op("torchaudio.load", returns="tuple(tensor,static)", why="torchaudio: the waveform and its sample rate"),
    each(
        "torch_scatter.",
        "scatter scatter_add scatter_sum scatter_mul scatter_mean segment_coo segment_csr segment_add_csr "
        "segment_sum_csr segment_mean_csr gather_coo gather_csr scatter_softmax scatter_log_softmax scatter_std "
        "scatter_logsumexp",
        returns="tensor",
        why="torch_scatter: documentation",
    ),
    each("torch_scatter.", "scatter_min scatter_max", returns="tensors2", why="torch_scatter: values and indices"),
    each(
        "torch_cluster.",
        "knn knn_graph radius radius_graph fps nearest graclus_cluster grid_cluster random_walk",
        returns="tensor",
        why="torch_cluster: README",
    ),
    each(
        "flash_attn.",
        "flash_attn_func flash_attn_varlen_func flash_attn_qkvpacked_func flash_attn_varlen_qkvpacked_func "
        "flash_attn_kvpacked_func flash_attn_with_kvcache",
        returns="tensor",
        why="flash_attn/flash_attn_interface.py: out, unless the probabilities are asked for",
    ),
    op("xformers.ops.memory_efficient_attention", returns="tensor", why="xformers/ops/fmha: annotated torch.Tensor"),
    each("pytorch_msssim.", "ssim ms_ssim", returns="tensor", why="pytorch_msssim/ssim.py: annotated Tensor"),
    each("torchdiffeq.", "odeint odeint_adjoint", returns="tensor", why="torchdiffeq: README"),
    each(
        "sentence_transformers.util.",
        "cos_sim dot_score pytorch_cos_sim pairwise_cos_sim euclidean_sim",
        returns="tensor",
        why="sentence_transformers/util: annotated Tensor",
    ),
    op("clip.tokenize", returns="tensor", why="clip/clip.py: a tensor of tokens"),
    op("open_clip.tokenize", returns="tensor", why="open_clip/tokenizer.py: annotated torch.Tensor"),
    op("torchmetrics.functional.score", returns="tensor", why="torchmetrics/functional: annotated Tensor"),
    op("torchmetrics.functional.scores", returns="state", why="torchmetrics/functional: annotated dict[str, Tensor]"),
    op("torchmetrics.Metric", returns="tensor", why="torchmetrics/metric.py: forward gives the batch's value"),
    *(
        each(f"{name}.", "to eval train cuda cpu half float double bfloat16 requires_grad_", returns="self", why=w)
        for name, w in (
            ("torchmetrics.Metric", "torchmetrics/metric.py: a module"),
            ("torchmetrics.Metrics", "torchmetrics/collections.py: a module"),
            ("libraries.Layer", "a module"),
            (MODEL, "transformers/modeling_utils.py: a module"),
        )
    ),
    each("torchmetrics.Metric.", "compute forward", returns="tensor", why="torchmetrics/metric.py"),
    each("torchmetrics.Metric.", "clone", returns="self", why="torchmetrics/metric.py: a copy"),
    each("torchmetrics.Metrics.", "clone", returns="self", why="torchmetrics/collections.py: a copy"),
    op("torchmetrics.Metrics", returns="state", why="forward gives what compute gives"),
    each("torchmetrics.Metrics.", "compute forward", returns="state", why="compute: annotated dict[str, Tensor]"),
    op(MODEL, returns="object:transformers.ModelOutput", why="transformers/modeling_outputs.py: or a tuple"),
    op(MODEL + ".forward", returns="object:transformers.ModelOutput", why="transformers/modeling_outputs.py"),
    op(
        MODEL + ".generate",
        when="inputs=,generation_config=,*,return_dict_in_generate,**",
        returns="object:transformers.ModelOutput",
        why="transformers/generation/utils.py: a GenerateOutput",
    ),
    op(MODEL + ".generate", returns="tensor", why="transformers/generation/utils.py: ids, unless a dict is asked for"),
    op(
        TOKENIZER,
        when="*text,return_tensors,**",
        returns="object:transformers.BatchEncoding",
        why="transformers/tokenization_utils_base.py: BatchEncoding of the tensors asked for",
    ),
    op("transformers.BatchEncoding.to", returns="self", why="transformers/tokenization_utils_base.py: on a device"),
    op(
        TOKENIZER + ".encode",
        when="*text,return_tensors,**",
        returns="tensor",
        why="transformers/tokenization_utils_base.py: the input ids",
    ),
    op(
        "transformers.Trainer.compute_loss",
        when="model,inputs,return_outputs!,num_items_in_batch=",
        returns="tensor",
        why="transformers/trainer.py",
    ),
    op(
        "transformers.Trainer.compute_loss",
        when="model,inputs,*,num_items_in_batch=",
        returns="tensor",
        why="transformers/trainer.py",
    ),
    op("transformers.Trainer.training_step", returns="tensor", why="transformers/trainer.py: annotated torch.Tensor"),
    each(
        "accelerate.Accelerator.",
        "gather gather_for_metrics reduce pad_across_processes",
        when="tensor:T,*others,**",
        returns="tensor",
        why="accelerate/accelerator.py: a tensor of a tensor",
    ),
    each(
        "accelerate.Accelerator.",
        "gather gather_for_metrics reduce pad_across_processes",
        returns="unknown",
        why="accelerate/accelerator.py: of containers and objects, their like",
    ),
    op("accelerate.Accelerator.clip_grad_norm_", returns="tensor", why="accelerate/accelerator.py: the total norm"),
    op(
        "diffusers.Scheduler.step",
        returns="object:diffusers.SchedulerOutput",
        why="diffusers/schedulers: an output with prev_sample, unless return_dict=False",
    ),
    each(
        "diffusers.Scheduler.",
        "add_noise scale_model_input get_velocity",
        returns="tensor",
        why="diffusers/schedulers: annotated torch.Tensor",
    ),
)
