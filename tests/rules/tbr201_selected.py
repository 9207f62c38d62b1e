"""TBR201 where a selector chooses which submodules `apply_activation_checkpointing` wraps; never the model itself."""

from functools import partial

from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
    offload_wrapper,
)
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, lambda_auto_wrap_policy, transformer_auto_wrap_policy


class ByLambda(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class Derived(ByLambda):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.max() > 0 else x.cos()  # error: [TBR201]


class Beside(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # ok: [TBR201] the selector leaves it out


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = ByLambda()
        self.beside = Beside()

    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 3:  # error: [TBR101]  # ok: [TBR201] the model itself is never wrapped
            x = x * 2
        return self.beside(self.block(x))


def wrapped() -> Model:
    model = Model()
    apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, ByLambda))
    return model


# --- a function, a tuple, an exact type -----------------------------------------------------------
class First(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class Second(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class Third(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class Excluded(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # ok: [TBR201] under `not`


BLOCKS = (First, Second)


def is_block(module: nn.Module) -> bool:
    return not isinstance(module, Excluded) and (isinstance(module, BLOCKS) or type(module) is Third)


def wrap(model: nn.Module) -> None:
    wrapper = partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.NO_REENTRANT)
    apply_activation_checkpointing(model, wrapper, is_block)


# --- policies ---------------------------------------------------------------------------------------
class ByPolicy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class OfTransformer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class OfModulePolicy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class Overruled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # ok: [TBR201] a policy comes before check_fn


def wrap_by_policy(model: nn.Module) -> None:
    policy = partial(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, ByPolicy))
    apply_activation_checkpointing(model, auto_wrap_policy=policy, check_fn=lambda m: isinstance(m, Overruled))
    apply_activation_checkpointing(
        model, auto_wrap_policy=partial(transformer_auto_wrap_policy, transformer_layer_cls={OfTransformer})
    )
    apply_activation_checkpointing(model, auto_wrap_policy=ModuleWrapPolicy([OfModulePolicy]))


# --- everything below the root, and nothing ----------------------------------------------------------
class Inner(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201]


class Root(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: Tensor) -> Tensor:
        return self.run(x.sin() if x.sum() > 1 else x)  # error: [TBR101]  # ok: [TBR201] the root

    def run(self, x: Tensor) -> Tensor:
        return self.inner(x)


def wrap_all() -> Root:
    root = Root()
    apply_activation_checkpointing(root)
    return root


class Offloaded(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # ok: [TBR201] offloading recomputes nothing


def offload(model: nn.Module) -> None:
    apply_activation_checkpointing(model, offload_wrapper, lambda m: isinstance(m, Offloaded))
