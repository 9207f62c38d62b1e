"""The cells of the matrix that no program is written for, each with its reason."""

from __future__ import annotations

from typing import Final

_KEYWORD: Final = "the reentrant variant takes no keyword: TBR502"
_PATCHED: Final = "which objects are patched from outside, is not told"
_APART: Final = "the state is not in the file of the step"
_BY_POSITION: Final = "a flag by position has no other place"

UNWRITTEN: Final[dict[tuple[str, str], str]] = {
    **{(f"TBR{n}", "keyword_arg"): _KEYWORD for n in (405, 501, 502, 503, 504, 506, 509, 510)},
    **{(f"TBR{n}", "forward_swap"): _PATCHED for n in (208, 401, 402, 407, 501, 503, 507)},
    **{("TBR509", w): _APART for w in ("file_region", "file_rel", "mod_alias_region", "reexport_region")},
    **{
        (f"TBR{n}", w): _APART
        for n in (208, 402)
        for w in ("file_region", "file_rel", "mod_alias_region", "reexport_region")
    },
    **{
        ("TBR507", w): _BY_POSITION
        for w in (
            *("partial_ck", "keyword_opts", "keyword_arg", "ck_attr", "set_func", "attr_kwargs", "deco_lambda"),
            *("deco_ret_partial", "call_ret_partial", "deco_file_ret_partial"),
        )
    },
}
"""Ways, by rule, that its hazard cannot be written by, or that hide from the source what matters."""

_BEHIND: Final = "the flag is behind the `*args` of a wrapper that is not called by its own name"

LEFT: Final[dict[tuple[str, str], str]] = {
    ("TBR501", "wrapper_module_file"): "what the wrapper is given, is not told",
    ("TBR501", "call_file_deco"): "what the maker was given, is not told",
    **{
        ("TBR507", w): _BEHIND
        for w in (
            *(
                "wraps_args",
                "file_deco",
                "deco_class",
                "deco_call",
                "deco_method",
                "create_custom",
                "wrapper_module_file",
            ),
            *("enabled_deco_file", "deco_partial_obj", "deco_file_attr", "deco_file_class", "call_file_deco"),
            *("deco_fwd_method",),
        )
    },
}
"""Ways, by rule, that are not seen through yet: each fails once it is."""

SENSELESS: Final[dict[tuple[str, str], str]] = {("TBR512", "keyword"): "`apply` takes no keywords"}
"""Rewrites that make no program of a rule."""
