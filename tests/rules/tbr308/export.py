"""Exports a module of the file beside this one."""

import torch
from torch.export import ExportedProgram, export

from . import net
from .net import AUTO, BATCH, Net


def one_row() -> ExportedProgram:
    sample = torch.randn(1, 4)
    return export(Net(), (sample,), dynamic_shapes={"x": {0: BATCH}})  # error: [TBR308] "has size 1"


def no_rows() -> ExportedProgram:
    return export(net.Net(), (torch.zeros(0, 4),), dynamic_shapes={"x": {0: net.BATCH}})  # error: [TBR308] "has size 0"


def gives_way() -> ExportedProgram:
    return export(Net(), (torch.zeros(1, 4),), dynamic_shapes={"x": {0: AUTO}})  # ok: [TBR308] gives way


def made_elsewhere() -> ExportedProgram:
    return export(Net(), (net.alone(),), dynamic_shapes={"x": {0: BATCH}})  # error: [TBR308] "`net.alone()`"


def with_rows() -> ExportedProgram:
    return export(Net(), (net.two(),), dynamic_shapes={"x": {0: BATCH}})  # ok: [TBR308] the other file makes two rows
