"""Objects whose draws a checkpoint's recompute does not replay, and calls that reseed the generators it does replay."""

from __future__ import annotations

from typing import Final

MAKERS: dict[str, str] = {
    "random.Random": "random.Random",
    "random.SystemRandom": "random.SystemRandom",
    "numpy.random.default_rng": "numpy.random.Generator",
    "numpy.random.Generator": "numpy.random.Generator",
    "numpy.random.RandomState": "numpy.random.RandomState",
    "itertools.count": "itertools.count",
}
"""What a call makes: the class whose methods draw (facts D: a count is another number in every recompute)."""

SETTINGS: frozenset[str] = frozenset(
    {"seed", "getstate", "setstate", "get_state", "set_state", "spawn", "jumped", "bit_generator"}
)
"""Methods and attributes of such an object that draw nothing."""

RESEEDS: frozenset[str] = frozenset(
    {"torch.seed", "torch.random.seed", "torch.cuda.seed", "torch.cuda.seed_all", "torch.mps.seed"}
)
"""torch/random.py: sets a non-deterministic seed. The recompute restores the old state, and reseeds again."""

TORCH_SEEDS: frozenset[str] = frozenset({"torch.manual_seed", "torch.random.manual_seed"})
"""Calls that set all default generators of torch to the seed they are given (torch/random.py)."""

SEEDS: frozenset[str] = TORCH_SEEDS | {"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}
"""Calls that set the generators of torch to the seed they are given."""

SEEDING: frozenset[str] = frozenset({"manual_seed", "seed"})
"""Methods that give a generator another seed: of torch.Generator; of random.Random and numpy.random.RandomState."""

DRAWN_IN_PLACE: frozenset[str] = frozenset(
    {"bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_", "uniform_"}
)
"""Methods of a tensor that fill it from a generator (torch/_tensor_docs.py)."""

SIZES: dict[str, int] = {
    **dict.fromkeys(("rand", "randn", "random", "random_sample", "standard_normal"), 0),
    **dict.fromkeys(("exponential", "poisson"), 1),
    **dict.fromkeys(("beta", "binomial", "gamma", "integers", "laplace", "normal", "randint", "uniform"), 2),
}
"""NumPy's draws that give one number unless they are given a size, with the position of that argument."""

HOST_SEEDS: dict[str, str] = {"random.seed": "random.", "numpy.random.seed": "numpy.random."}
"""Calls that set a generator of the host to the seed they are given, with how the names of its draws begin."""

HOST_RESTORES: dict[str, str] = {"random.setstate": "random.", "numpy.random.set_state": "numpy.random."}
"""Calls that put a generator of the host into the state they are given, in the same form."""

HOST_STATES: dict[str, str] = {"random.getstate": "random.", "numpy.random.get_state": "numpy.random."}
"""Calls that give the state of such a generator."""

STATES: frozenset[str] = frozenset({"get_state", "getstate"})
"""Methods that give the state of a generator."""

STATE: tuple[str, str] = ("bit_generator", "state")
"""The attributes of numpy.random.Generator under which its state is read and set."""

CLONES: frozenset[str] = frozenset({"clone_state"})
"""Methods that give another generator in the same state (torch.Generator)."""

DEFAULT_GENERATOR: frozenset[object] = frozenset({"torch.default_generator"})
"""The generator of torch whose draws a recompute replays."""

RESTORES: frozenset[str] = frozenset({"set_state", "setstate"})
"""Methods that put a generator into a state they are given."""

DRAWS_ELEMENTS: Final = {"random.choice": False, "random.sample": True, "random.choices": True}
"""Functions of Python that draw elements of what they are given first, and whether several, in a list."""
