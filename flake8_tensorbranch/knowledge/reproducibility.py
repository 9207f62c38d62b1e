"""Names that bear on whether a run can be repeated: comparisons, what loads and saves, generators, samplers, seeds."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.knowledge.randomness import HOST_SEEDS, SEEDS, TORCH_SEEDS

EXACT: Final = frozenset(
    {
        "torch.equal",
        "numpy.array_equal",
        "numpy.array_equiv",
        "numpy.testing.assert_array_equal",
        "numpy.testing.assert_equal",
        "torch.testing.assert_equal",
    }
)
"""Comparisons to the last bit."""

TOLERANT: Final = frozenset(
    {"torch.testing.assert_close", "torch.allclose", "numpy.allclose", "numpy.testing.assert_allclose"}
)
"""Comparisons within a tolerance."""

TOLERANT_ELEMENTS: Final = frozenset({"torch.isclose", "numpy.isclose"})
"""The same element by element; the tolerances of all of them follow the two sides, `rtol` first."""

ELEMENTWISE: Final = {"torch.eq": "==", "torch.ne": "!=", "numpy.equal": "==", "numpy.not_equal": "!="}
"""Functions, some of them methods of tensors, that compare each element with its like, and what operator they are."""

REDUCES: Final = {"all": "==", "any": "!=", "count_nonzero": "!="}
"""Functions and methods that make one answer of what is compared element by element so."""

MEASURES: Final = frozenset({"abs", "max", "amax", "sum", "norm", "mean", "item", "count_nonzero", "any", "float"})
"""Functions and methods by which a difference of two results is measured."""

SPELLS_OUT: Final = frozenset({"tolist", "tobytes"})
"""Methods whose results are equal where all bits are."""

DIGESTS: Final = frozenset({"hexdigest", "digest"})
"""Methods that give a digest of bytes (hashlib)."""

NO_FLOOR: Final = frozenset({"numpy.testing.assert_allclose"})
"""Comparisons within a tolerance whose `atol` is 0 by default."""

READS: Final = frozenset({*SPELLS_OUT, *DIGESTS, "item"})
"""Methods that give numbers out of a tensor, or a digest of its bits."""

LOADING: Final = frozenset(
    {
        "torch.load",
        "numpy.load",
        "numpy.loadtxt",
        "numpy.fromfile",
        "pickle.load",
        "pickle.loads",
        "json.load",
        "json.loads",
        "safetensors.torch.load_file",
        "safetensors.torch.load",
        "joblib.load",
        "torch.from_file",
    }
)
"""What brings numbers of another run."""

READING: Final = frozenset({"read_text", "read_bytes"})
"""Methods of paths that do."""

LOADING_WORDS: Final = (
    *("torch.load", "np.load", "numpy.load", "json.load", "pickle.load", "load_file", "joblib.load"),
    *("fromfile", "from_file", "read_text", "read_bytes"),
)
"""What the text of a file holds that calls one of them."""

COMPILE_WORDS: Final = (".compile(", "torch.compile", "import compile")
"""What the text of a file holds that compiles something."""

COARSE: Final = frozenset(
    {
        *("round", "argmax", "argmin", "floor", "ceil", "int", "len", "long", "sign", "isnan", "isfinite", "numel"),
        *("shape", "size", "dtype", "device", "ndim", "dim", "indices", "keys", "type", "requires_grad"),
    }
)
"""Functions, methods and attributes whose results the last bits hardly change."""

SAVING: Final = frozenset({"torch.save", "numpy.save", "numpy.savez", "pickle.dump", "safetensors.torch.save_file"})
"""What keeps numbers for another run."""

DISTRIBUTIONS: Final = "torch.distributions."
SAMPLES: Final = frozenset({"sample", "sample_n", "rsample"})
"""Where torch's distributions stand, and their methods that draw from the default generator."""

GENERATORS: Final = frozenset(
    {
        *("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator"),
        *("random.Random", "torch.Generator"),
    }
)
"""What makes a generator of its own, apart from the process's."""

DATASETS: Final = (
    "Dataset",
    "IterableDataset",
    "MapDataset",
    "VisionDataset",
    "ImageFolder",
    "DatasetFolder",
    "TensorDataset",
)
"""Bases of datasets: torch.utils.data, torchvision."""

LOADER: Final = "torch.utils.data.DataLoader"

SAMPLERS: Final = {"RandomSampler": 3, "WeightedRandomSampler": 3, "SubsetRandomSampler": 1, "random_split": 2}
"""What else of `torch.utils.data` draws an order, with the position of its `generator` (torch/utils/data/*.py)."""

PERMUTATION: Final = "torch.randperm"
"""Draws a permutation of the whole numbers below its argument."""

INDICES: Final = {"Subset": (1, "indices"), LOADER.rsplit(".", 1)[-1]: (3, "sampler"), "BatchSampler": (0, "sampler")}
"""What takes an order as it is given, with the position and name of that argument (torch/utils/data)."""

GLOBAL_SEEDS: Final = frozenset(
    {
        *TORCH_SEEDS,
        *("torch.set_rng_state", "torch.random.set_rng_state"),
        "torch.default_generator.manual_seed",
        "lightning.seed_everything",
        "lightning.pytorch.seed_everything",
        "pytorch_lightning.seed_everything",
        "transformers.set_seed",
        "accelerate.utils.set_seed",
    }
)
"""Calls that set torch's global generator to what they are given."""

ITERATES: Final = frozenset(
    f"builtins.{name}" for name in ("list", "tuple", "set", "sorted", "sum", "max", "min", "any", "all", "next")
)
"""Functions that run through what they are given."""

RUNS_THROUGH: Final = frozenset(
    {
        *("builtins.iter", "builtins.enumerate", "builtins.zip", "builtins.map", "builtins.filter"),
        *("itertools.islice", "itertools.chain", "tqdm.tqdm", "tqdm.auto.tqdm"),
    }
)
"""Functions that run through it when their result is run through."""

DRAWLESS: Final = (
    *("builtins.", "numpy.", "random.", "os.", "pathlib.", "logging.", "math.", "json.", "time.", "itertools."),
    *(
        "functools.",
        "collections.",
        "torch.utils.data.",
        "torch.cuda.manual_seed",
        "torch.backends.",
        "torch.Generator",
    ),
    *("torch.use_deterministic_algorithms", "torch.set_deterministic_debug_mode", "torch.device"),
    *("torch.random.fork_rng", "torchvision.datasets.", "torchvision.transforms.", "tqdm."),
)
"""How the names of calls begin that draw nothing from torch's global generator."""

MULTIPLYING: Final = frozenset(
    {"mm", "matmul", "bmm", "addmm", "baddbmm", "einsum", "linear", "backward", "addmv", "mv", "tensordot"}
)
"""What calls cuBLAS, whose workspace `CUBLAS_WORKSPACE_CONFIG` sets (torch.use_deterministic_algorithms, docstring)."""

CUBLAS: Final = "CUBLAS_WORKSPACE_CONFIG"
"""The variable of the environment."""

CUBLAS_VALUES: Final = (":4096:8", ":16:8")
"""What torch before pull request 161749 took for deterministic (aten/src/ATen/Context.cpp)."""

CUBLAS_LAYERS: Final = frozenset(
    f"torch.nn.{name}"
    for name in ("Linear", "Bilinear", "MultiheadAttention", "Transformer", "TransformerEncoderLayer")
)
"""Layers that multiply matrices."""

SEEDING: Final = frozenset(
    {
        *SEEDS,
        *HOST_SEEDS,
        "lightning.seed_everything",
        "lightning.pytorch.seed_everything",
        "pytorch_lightning.seed_everything",
        "transformers.set_seed",
        "transformers.enable_full_determinism",
        "accelerate.utils.set_seed",
    }
)
"""Calls that seed the process's generators, of torch and of the libraries around it."""

TRAINERS: Final = frozenset({"lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"})
"""Lightning's trainer under its names."""

BENCHMARK: Final = "torch.backends.cudnn.benchmark"
CUDNN: Final = "torch.backends.cudnn.deterministic"
ALGORITHMS: Final = "torch.use_deterministic_algorithms"
DEBUG_MODE: Final = "torch.set_deterministic_debug_mode"
CUDNN_SCOPE: Final = "torch.backends.cudnn.flags"
CUDNN_SETTER: Final = "torch.backends.cudnn.set_flags"
"""torch's switches of determinism (notes on reproducibility)."""

SETATTR: Final = "builtins.setattr"
"""Sets an attribute that it is given the name of."""

SWITCH_WORDS: Final = ("use_deterministic_algorithms", "set_deterministic_debug_mode", "cudnn")
"""What the text of a file holds that sets one of them."""
