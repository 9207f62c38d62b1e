"""Classes and functions of well-known libraries, many to a row: what their objects, fields and methods give.

The rows of the families themselves stand in `overlay_frameworks`. Sources: torchmetrics 1.9, lightning 2.6,
transformers 5.24, accelerate 1.15, diffusers 0.42, torchvision 0.28 and kornia 0.9, in the files named.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple


class Family(NamedTuple):
    """Names below a package that stand for one row: those whose last component matches."""

    prefixes: tuple[str, ...]
    last: re.Pattern[str]
    name: str
    why: str


def _family(prefixes: str, last: str, name: str, why: str) -> Family:
    return Family(tuple(prefixes.split()), re.compile(last), name, why)


_LIGHTNING: Final = "lightning. pytorch_lightning."

_GIVING: Final = (
    r"(?!(?:is|are|has|check|validate|save|load|register|rank_zero)_|fit_(?:line|plane)|\w*edit_distance|merge_tokens"
    r"|\w*mean_average_precision|auc_from_errors|pose_errors|average_quaternions|generate_scene|deprecated"
    r"|clip_image_quality_assessment)"
)
"""Among functions of tensors, not those that give a plain value, an object of their own or a dictionary: by their
annotations in torchmetrics 1.9, kornia 0.9 and torchaudio 2.11.
"""

FAMILIES: Final = (
    _family(
        "torchmetrics.functional.",
        r"squad|rouge_score|bert_score|clip_image_quality_assessment|binary_groups_stat_rates|demographic_parity|equal_opportunity|binary_fairness",
        "torchmetrics.functional.scores",
        "annotated dict[str, Tensor]",
    ),
    _family(
        "torchmetrics.functional.",
        _GIVING + r"[a-z]\w*",
        "torchmetrics.functional.score",
        "annotated Tensor, or several",
    ),
    _family(
        "torchmetrics.",
        r"\w*Collection|SQuAD|ROUGEScore|BERTScore|BootStrapper|MinMaxMetric|ClasswiseWrapper|MultitaskWrapper"
        r"|BinaryGroupStatRates|BinaryFairness|MeanAveragePrecision|\w*IntersectionOverUnion",
        "torchmetrics.Metrics",
        "compute is annotated dict[str, Tensor]",
    ),
    _family("torchmetrics.", r"[A-Z]\w*", "torchmetrics.Metric", "torchmetrics/metric.py: compute gives a tensor"),
    _family(_LIGHTNING, r"Trainer", "lightning.Trainer", "lightning/pytorch/trainer/trainer.py"),
    _family(
        _LIGHTNING,
        r"EarlyStopping|ModelCheckpoint",
        "lightning.Scored",
        "lightning/pytorch/callbacks/model_checkpoint.py, early_stopping.py: a Callback that keeps scores",
    ),
    _family(
        _LIGHTNING,
        r"Callback|LambdaCallback|\w*ProgressBar|BasePredictionWriter|GradientAccumulationScheduler"
        r"|LearningRateMonitor|StochasticWeightAveraging|BaseFinetuning",
        "lightning.Callback",
        "lightning/pytorch/callbacks: a Callback",
    ),
    _family(_LIGHTNING, r"LightningModule", "lightning.LightningModule", "lightning/pytorch/core/module.py"),
    _family("transformers.", r"(?:Seq2Seq)?Trainer", "transformers.Trainer", "transformers/trainer.py"),
    _family(
        "transformers.",
        r"AutoModel\w*|PreTrainedModel|(?!TF[A-Z]|Flax|DataCollator)[A-Z]\w*(?:Model|For[A-Z]\w+|LMHeadModel)",
        "transformers.PreTrainedModel",
        "a subclass of PreTrainedModel",
    ),
    _family(
        "transformers.",
        r"\w*Tokenizer(?:Fast|Base)?|\w*Processor|\w*FeatureExtractor",
        "transformers.Tokenizer",
        "gives a BatchEncoding or a BatchFeature",
    ),
    _family("accelerate.", r"Accelerator", "accelerate.Accelerator", "accelerate/accelerator.py"),
    _family(
        "torchaudio.transforms. pytorch_metric_learning.losses. segmentation_models_pytorch.losses. monai.losses. "
        "kornia.losses. lpips. bitsandbytes.nn. apex.normalization.",
        r"(?!KORNIA_)(?!\w*Error$)[A-Z]\w*",
        "libraries.Layer",
        "modules whose forward gives a tensor",
    ),
    _family(
        "torchvision.ops.",
        r"(?!FeaturePyramidNetwork)[A-Z]\w*",
        "libraries.Layer",
        "torchvision/ops: modules whose forward gives a tensor",
    ),
    _family(
        "torchvision.transforms.",
        r"ToTensor|PILToTensor|Normalize|RandomErasing",
        "libraries.Layer",
        "torchvision/transforms: gives a tensor",
    ),
    _family(
        "torchaudio.functional. kornia.geometry. kornia.filters. kornia.color. kornia.enhance. kornia.losses. "
        "kornia.morphology. kornia.metrics.",
        _GIVING + r"[a-z]\w*",
        "libraries.function",
        "functions of tensors, annotated Tensor or several",
    ),
    _family(
        "diffusers.", r"\w*Scheduler", "diffusers.Scheduler", "diffusers/schedulers: each keeps `timesteps`, a tensor"
    ),
)
"""The first family that fits a name is its own."""

_HEADS: Final = frozenset(prefix.partition(".")[0] for family in FAMILIES for prefix in family.prefixes)

FIELDS: Final[dict[str, dict[str, str]]] = {
    "lightning.Trainer": {
        **dict.fromkeys("callback_metrics logged_metrics".split(), "state"),
        **dict.fromkeys("checkpoint_callback early_stopping_callback".split(), "object:lightning.Scored"),
    },
    "lightning.Scored": dict.fromkeys("best_model_score current_score best_score".split(), "tensor"),
    "lightning.StepOutput": {"loss": "tensor"},
    "lightning.LightningModule": {"trainer": "object:lightning.Trainer"},
    "transformers.ModelOutput": {
        **dict.fromkeys(
            "loss logits last_hidden_state pooler_output start_logits end_logits prediction_logits mc_logits "
            "seq_relationship_logits image_embeds text_embeds logits_per_image logits_per_text sequences waveform "
            "pred_boxes pred_masks".split(),
            "tensor",
        ),
        **dict.fromkeys("hidden_states attentions scores cross_attentions".split(), "tensors"),
    },
    "transformers.BatchEncoding": {
        **dict.fromkeys(
            "input_ids attention_mask token_type_ids position_ids pixel_values input_values input_features labels "
            "special_tokens_mask decoder_input_ids".split(),
            "tensor",
        ),
        **dict.fromkeys("return_loss return_dict use_cache output_attentions output_hidden_states".split(), "host"),
    },
    "diffusers.Scheduler": dict.fromkeys("timesteps sigmas alphas_cumprod betas alphas".split(), "tensor"),
    "diffusers.SchedulerOutput": dict.fromkeys("prev_sample pred_original_sample".split(), "tensor"),
}
"""What the attributes of a family's objects are: a word of `OpModel.returns`, or `object:` and a family.

lightning: `_OUT_DICT` in trainer/connectors/logger_connector/result.py is dict[str, Tensor]. transformers: the fields
of the classes in modeling_outputs.py, None where the model did not compute them; a batch may hold booleans that
`forward` takes. diffusers: the constructors and
`set_timesteps` of the schedulers.
"""

SUBSCRIPTED: Final = {
    "transformers.ModelOutput": "tensor",
    "transformers.BatchEncoding": "tensor",
    "diffusers.SchedulerOutput": "tensor",
    "lightning.StepOutput": "unknown",
}
"""Objects whose fields are items, too, and what their other items are."""

ASKED: Final = {"return_tensors": "pt"}
"""Keywords that have a call give tensors by one word alone; by others, arrays and lists."""

_CALLED: Final = r"on_\w+|setup|teardown|write_on_\w+"
_CALLBACK: Final = (
    (re.compile(_CALLED), {"trainer": "object:lightning.Trainer", "pl_module": "module"}),
    (re.compile("on_train_batch_end"), {"outputs": "object:lightning.StepOutput"}),
)

HOOKS: Final[dict[str, tuple[tuple[re.Pattern[str], dict[str, str]], ...]]] = {
    "lightning.Callback": _CALLBACK,
    "lightning.Scored": _CALLBACK,
    "lightning.LightningModule": _CALLBACK[1:],
    "transformers.Trainer": (
        (
            re.compile(r"compute_loss|training_step|prediction_step|_prepare_inputs"),
            {"model": "object:transformers.PreTrainedModel", "inputs": "object:transformers.BatchEncoding"},
        ),
    ),
}
"""What a framework passes to the methods that it calls: by base class, their names, and parameters by name."""

BUILDERS: Final = frozenset({"from_pretrained", "from_config"})
"""Class methods of transformers and diffusers that give an object of the class."""


@lru_cache(maxsize=4096)
def family(qualname: str) -> str:
    """The family of a class or function by its qualified name; empty where it has none."""
    head, _, _ = qualname.partition(".")
    if head not in _HEADS:
        return ""
    last = qualname.rpartition(".")[2]
    for known in FAMILIES:
        if qualname.startswith(known.prefixes) and known.last.fullmatch(last):
            return known.name
    return qualname if qualname in FIELDS else ""
