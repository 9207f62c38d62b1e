"""Decorators that another file uses: one lets a single rank in, one only tells the rank."""

import functools

import torch.distributed as dist


def main_only(function):
    @functools.wraps(function)
    def inner(*args):
        if dist.get_rank() == 0:
            return function(*args)
        return None

    return inner


def announced(function):
    @functools.wraps(function)
    def inner(*args):
        if dist.get_rank() == 0:
            print(function.__name__)
        return function(*args)

    return inner
