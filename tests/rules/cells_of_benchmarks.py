"""Benchmarks beside determinism, written in many ways: TBR601."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import SWITCHES_HEAD

HEAD: Final = SWITCHES_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR601": {
        "plain": """
def setup(seed):
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "module_level": """
torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "cudnn_import": """
def seed_everything(seed):
    torch.manual_seed(seed)
    cudnn.deterministic = True
    cudnn.benchmark = {{True||False}}  #!
""",
        "from_backends": """
from torch.backends import cudnn as backend
def seed_everything(seed):
    torch.manual_seed(seed)
    backend.deterministic = True
    backend.benchmark = {{True||False}}  #!
""",
        "alias_fn": """
from torch import use_deterministic_algorithms as deterministic
def seed_everything(seed):
    torch.manual_seed(seed)
    deterministic(True)
    cudnn.benchmark = {{True||False}}  #!
""",
        "alias_var": """
settings = torch.backends.cudnn
def seed_everything(seed):
    torch.use_deterministic_algorithms(mode=True)
    settings.benchmark = {{True||False}}  #!
""",
        "partial": """
be_deterministic = functools.partial(torch.use_deterministic_algorithms, True, warn_only=True)
def main():
    be_deterministic()
    torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "lambda": """
strict = lambda: torch.use_deterministic_algorithms(True)
def main():
    strict()
    torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "setattr": """
def main():
    torch.use_deterministic_algorithms(True)
    setattr(torch.backends.cudnn, "benchmark", {{True||False}})  #!
""",
        "loop_setattr": """
def main():
    for name, value in {"deterministic": True, "benchmark": {{True||False}}}.items():
        setattr(torch.backends.cudnn, name, value)  #!
""",
        "flags": """
def main(model, x):
    torch.use_deterministic_algorithms(True)
    with torch.backends.cudnn.flags(enabled=True, benchmark={{True||False}}):  #!
        return model(x)
""",
        "flags_both": """
def main(model, x):
    with torch.backends.cudnn.flags(deterministic=True, benchmark={{True||False}}):  #!
        return model(x)
""",
        "flags_stack": """
def main(model, x):
    torch.use_deterministic_algorithms(True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.backends.cudnn.flags(benchmark={{True||False}}))  #!
        return model(x)
""",
        "own_cm": """
@contextlib.contextmanager
def autotuned():
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = {{True||False}}  #!
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before
def main(model, x):
    torch.use_deterministic_algorithms(True)
    with autotuned():
        return model(x)
""",
        "try_finally": """
def main(model, x):
    torch.use_deterministic_algorithms(True)
    before = cudnn.benchmark
    try:
        cudnn.benchmark = {{True||False}}  #!
        return model(x)
    finally:
        cudnn.benchmark = before
""",
        "helper": """
def fast():
    torch.backends.cudnn.benchmark = {{True||False}}  #!
def main():
    torch.use_deterministic_algorithms(True)
    fast()
""",
        "helper_arg": """
def set_benchmark(value):
    torch.backends.cudnn.benchmark = value  #!
def main():
    torch.use_deterministic_algorithms(True)
    set_benchmark({{True||False}})
""",
        "helper_kw": """
def configure(benchmark=False, deterministic=False):
    torch.backends.cudnn.benchmark = benchmark  #!
    torch.use_deterministic_algorithms(deterministic)
configure(benchmark={{True||False}}, deterministic=True)
""",
        "method": """
class Trainer:
    def __init__(self):
        torch.use_deterministic_algorithms(True)
        self._speed_up()
    def _speed_up(self):
        torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "methods": """
class Trainer:
    def _seed(self):
        torch.manual_seed(0)
        torch.use_deterministic_algorithms(True)
    def _speed_up(self):
        torch.backends.cudnn.benchmark = {{True||False}}  #!
    def fit(self, model, x):
        self._seed()
        self._speed_up()
        return model(x)
""",
        "decorator": """
def reproducible(fn):
    @functools.wraps(fn)
    def run(*args):
        torch.use_deterministic_algorithms(True)
        return fn(*args)
    return run
@reproducible
def main(model, x):
    torch.backends.cudnn.benchmark = {{True||False}}  #!
    return model(x)
""",
        "config_flag": """
def main(args):
    if args.deterministic:
        torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "config_default": """
def main(deterministic: bool = True):
    torch.use_deterministic_algorithms(deterministic)
    torch.backends.cudnn.benchmark = {{True||False}}  #!
main()
""",
        "kwdict": """
FLAGS = {"mode": True, "warn_only": False}
def main():
    torch.use_deterministic_algorithms(**FLAGS)
    torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "const": """
DETERMINISTIC = True
BENCHMARK = {{True||False}}
def main():
    torch.use_deterministic_algorithms(DETERMINISTIC)
    torch.backends.cudnn.benchmark = BENCHMARK  #!
""",
        "debug_mode": """
def main():
    torch.set_deterministic_debug_mode("error")
    torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "class_attr": """
class Switches:
    strict = staticmethod(torch.use_deterministic_algorithms)
    def apply(self):
        self.strict(True)
        torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "self_fn": """
class Switches:
    def __init__(self):
        self.strict = torch.use_deterministic_algorithms
    def apply(self):
        self.strict(True)
        torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "other_file": """
from seeding import seed_everything
def main():
    seed_everything(0)
    torch.backends.cudnn.benchmark = {{True||False}}  #!
# == seeding.py
import torch
def seed_everything(seed):
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
""",
        "reexport": """
from tools import make_deterministic
def main():
    make_deterministic(0)
    torch.backends.cudnn.benchmark = {{True||False}}  #!
# == tools/__init__.py
from .seed import seed_everything as make_deterministic
# == tools/seed.py
import torch
def seed_everything(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
""",
        "other_file_mod": """
import tools.seed as seeding
def main():
    torch.backends.cudnn.benchmark = {{True||False}}  #!
    seeding.seed_everything(0)
# == tools/__init__.py
# == tools/seed.py
import torch
def seed_everything(seed):
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
""",
        "other_file_bench": """
from speed import go_fast
def main():
    torch.use_deterministic_algorithms(True)
    go_fast()  #!
# == speed.py
import torch
def go_fast():
    torch.backends.cudnn.benchmark = {{True||False}}
""",
        "base_other_file": """
from base import Reproducible
class Trainer(Reproducible):
    def fit(self, model, x):
        self.seed(0)
        torch.backends.cudnn.benchmark = {{True||False}}  #!
        return model(x)
# == base.py
import torch
class Reproducible:
    def seed(self, n):
        torch.manual_seed(n)
        torch.use_deterministic_algorithms(True)
""",
        "override": """
class Trainer:
    def setup(self):
        pass
    def fit(self, model, x):
        self.setup()
        torch.backends.cudnn.benchmark = {{True||False}}  #!
        return model(x)
class Strict(Trainer):
    def setup(self):
        torch.use_deterministic_algorithms(True)
""",
        "super_init": """
class Trainer:
    def __init__(self):
        torch.use_deterministic_algorithms(True)
class Fast(Trainer):
    def __init__(self):
        super().__init__()
        torch.backends.cudnn.benchmark = {{True||False}}  #!
""",
        "lightning": """
from lightning.pytorch import Trainer
def main():
    return Trainer(deterministic=True, benchmark={{True||False}})  #!
""",
        "tuple_assign": """
def main():
    cudnn.deterministic, cudnn.benchmark = True, {{True||False}}  #!
""",
        "chained": """
def main():
    cudnn.deterministic = True
    cudnn.enabled = cudnn.benchmark = {{True||False}}  #!
""",
        "exec_env": """
def main():
    if os.environ.get("DETERMINISTIC", "1") == "1":
        torch.use_deterministic_algorithms(True)
    cudnn.benchmark = {{True||False}}  #!
""",
    },
}
"""Programs with `{{bad||good}}` in them."""

SILENT: Final[dict[str, dict[str, str]]] = {
    "TBR601": {
        "either_or": """
def main(args):
    if args.deterministic:
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
    else:
        torch.backends.cudnn.benchmark = True
""",
        "not_flag": """
def main(args):
    torch.use_deterministic_algorithms(args.deterministic)
    torch.backends.cudnn.benchmark = not args.deterministic
""",
        "unknown": """
def main(args):
    torch.use_deterministic_algorithms(args.deterministic)
    torch.backends.cudnn.benchmark = args.benchmark
""",
        "off_again": """
def main(model, x):
    torch.use_deterministic_algorithms(True)
    y = model(x)
    torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.benchmark = True
    return model(x) + y
""",
        "early": """
def main(args):
    if not args.seed:
        cudnn.benchmark = True
        return
    torch.manual_seed(args.seed)
    cudnn.deterministic = True
""",
        "kw_off": """
def configure(benchmark=True, deterministic=False):
    torch.backends.cudnn.benchmark = benchmark
    torch.use_deterministic_algorithms(deterministic)
configure(benchmark=False, deterministic=True)
""",
        "ternary": """
def main(cfg):
    cudnn.deterministic = cfg.seed is not None
    cudnn.benchmark = cfg.seed is None
""",
    },
}
"""Programs that are not."""
