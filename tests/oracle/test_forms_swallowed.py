"""TBR207: handlers and contexts around the end of a region, by any spelling: reported where backward fails."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
class Skip(Exception): pass
def _guard(f, h):
    try:
        return f(h)
    except Exception:
        return h
def _guard_value(f, h):
    try:
        return f(h)
    except ValueError:
        return h
def _reraise(f, h):
    try:
        return f(h)
    except Exception:
        raise
@contextlib.contextmanager
def quiet():
    try:
        yield
    except Exception:
        pass
@contextlib.contextmanager
def logged():
    try:
        yield
    finally:
        pass
class Quiet:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb): return True
class QuietSome:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb): return kind is ValueError
class Loud:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb): return False
def safe(f):
    @functools.wraps(f)
    def inner(*a):
        try:
            return f(*a)
        except Exception:
            return a[0]
    return inner
def t_plain(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_bare(x):
    def region(h):
        try:
            return A(h).tanh()
        except:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_base(x):
    def region(h):
        try:
            return A(h).tanh()
        except BaseException:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_value(x):
    def region(h):
        try:
            return A(h).tanh()
        except ValueError:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_tuple(x):
    def region(h):
        try:
            return A(h).tanh()
        except (ValueError, Exception):
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_named(x):
    errors = (ValueError, Exception)
    def region(h):
        try:
            return A(h).tanh()
        except errors:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_alias(x):
    E = Exception
    def region(h):
        try:
            return A(h).tanh()
        except E:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_helper(x): return checkpoint(lambda h: _guard(lambda v: A(v).tanh(), h), x, use_reentrant=False)
def t_helper_value(x): return checkpoint(lambda h: _guard_value(lambda v: A(v).tanh(), h), x, use_reentrant=False)
def t_reraise(x): return checkpoint(lambda h: _reraise(lambda v: A(v).tanh(), h), x, use_reentrant=False)
def t_suppress(x):
    def region(h):
        with contextlib.suppress(Exception):
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_suppress_value(x):
    def region(h):
        with contextlib.suppress(ValueError):
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_own(x):
    def region(h):
        with quiet():
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_own_logged(x):
    def region(h):
        with logged():
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_cls(x):
    def region(h):
        with Quiet():
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_cls_some(x):
    def region(h):
        with QuietSome():
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_cls_loud(x):
    def region(h):
        with Loud():
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_deco(x):
    @safe
    def region(h): return A(h).tanh()
    return checkpoint(region, x, use_reentrant=False)
def t_stack(x):
    def region(h):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(Exception))
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_stack_ok(x):
    def region(h):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(KeyError))
            return A(h).tanh()
        return h
    return checkpoint(region, x, use_reentrant=False)
def t_followed(x):
    def region(h):
        try:
            h = A(h).tanh()
        except Exception:
            pass
        return h.sin()
    return checkpoint(region, x, use_reentrant=False)
def t_not_last(x):
    def region(h):
        try:
            n = int("3")
        except Exception:
            n = 1
        return A(h).tanh() * n
    return checkpoint(region, x, use_reentrant=False)
def t_finally(x):
    def region(h):
        try:
            return A(h).tanh()
        finally:
            STATE["a"] = 1
    return checkpoint(region, x, use_reentrant=False)
def t_finally_return(x):
    def region(h):
        y = h
        try:
            y = A(h).tanh()
        finally:
            return y
    return checkpoint(region, x, use_reentrant=False)
def t_re(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception:
            return h
    return checkpoint(region, x, use_reentrant=True)
def t_raise_other(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception as error:
            raise RuntimeError("no") from error
    return checkpoint(region, x, use_reentrant=False)
def t_raise_if(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception as error:
            if isinstance(error, ValueError):
                return h
            raise
    return checkpoint(region, x, use_reentrant=False)
def t_log(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception as error:
            print(error, end="")
            return None
    return checkpoint(region, x, use_reentrant=False)
def t_saveless(x):
    def region(h):
        h = A(h).tanh()
        try:
            return h + 1
        except Exception:
            return h
    return checkpoint(region, x, use_reentrant=False)
def t_attr(x): return TRIES(x)
class Tries(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def attempt(self, h):
        try:
            return self.l(h).tanh()
        except Exception:
            return h
    def forward(self, x): return checkpoint(self.attempt, x, use_reentrant=False)
TRIES = Tries()
def t_partial(x):
    def region(h, flag):
        try:
            return A(h).tanh()
        except Exception:
            return h
    return checkpoint(functools.partial(region, flag=1), x, use_reentrant=False)

def u_plain(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception:
            return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_named(x):
    errors = (ValueError, Exception)
    def region(h):
        try:
            return A(h).tanh()
        except errors:
            return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
ERRORS = (ValueError, Exception)
def u_global(x):
    def region(h):
        try:
            return A(h).tanh()
        except ERRORS:
            return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
NARROW = (ValueError, KeyError)
def u_narrow(x):
    def region(h):
        try:
            return A(h).tanh()
        except NARROW:
            return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_alias(x):
    E = Exception
    def region(h):
        try:
            return A(h).tanh()
        except E:
            return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_suppress(x):
    def region(h):
        with contextlib.suppress(Exception):
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_suppress_alias(x):
    ignore = contextlib.suppress
    def region(h):
        with ignore(Exception):
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_suppress_names(x):
    def region(h):
        with contextlib.suppress(*ERRORS):
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_suppress_value(x):
    def region(h):
        with contextlib.suppress(ValueError):
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_own(x):
    def region(h):
        with quiet():
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_own_logged(x):
    def region(h):
        with logged():
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_cls(x):
    def region(h):
        with Quiet():
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_cls_some(x):
    def region(h):
        with QuietSome():
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_cls_loud(x):
    def region(h):
        with Loud():
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_stack(x):
    def region(h):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(Exception))
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_stack_ok(x):
    def region(h):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(KeyError))
            return A(h).tanh()
        return C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_method(x): return RETRIES(x)
class Retries(nn.Module):
    def attempt(self, h):
        try:
            return A(h).tanh()
        except Exception:
            return self.fallback(h)
    def fallback(self, h): return C(h).sin()
    def forward(self, x): return checkpoint(self.attempt, x, use_reentrant=False)
RETRIES = Retries()
def u_loop(x):
    def region(h):
        for f in (A, C):
            try:
                return f(h).tanh()
            except Exception:
                pass
        return h
    return checkpoint(region, x, use_reentrant=False)
def u_finally(x):
    def region(h):
        try:
            return A(h).tanh()
        finally:
            C(h).sin()
    return checkpoint(region, x, use_reentrant=False)
def u_raise_none(x):
    def region(h):
        try:
            return A(h).tanh()
        except Exception as e:
            raise ValueError("x")
    return checkpoint(region, x, use_reentrant=False)
"""
)


def test_handlers_that_take_the_stop_are_reported() -> None:
    agree(FORMS, "TBR207")
