"""Makes failures of two types: the request that was not sent, and the earlier failure."""

from __future__ import annotations

from functools import cache


def because(refusal: Exception, cause: Exception | None) -> Exception:
    """Return an exception of the types of both `refusal` and `cause`, with the words of `refusal`.

    An errback that checks for `cause`, a refused connection for instance, finds it, with its
    attributes; an errback that checks for `refusal` finds that. Return `refusal` alone without a
    cause, or if Python cannot make one class of the two.

    >>> both = because(RuntimeError("not sent"), ConnectionRefusedError(111, "refused"))
    >>> isinstance(both, ConnectionRefusedError), isinstance(both, RuntimeError), str(both)
    (True, True, 'not sent')
    """
    if cause is None or isinstance(refusal, type(cause)):
        return refusal
    try:
        kind = _both(type(refusal), type(cause))  # type: ignore[arg-type] # a class has a hash
        both: Exception = type(cause).__new__(kind, *cause.args)
    except TypeError:
        refusal.__cause__ = cause
        return refusal
    both.__dict__.update(cause.__dict__)
    both.args = refusal.args
    both.__cause__ = cause
    return both


@cache
def _both(refusal: type[Exception], cause: type[Exception]) -> type[Exception]:
    name = f"{refusal.__name__}After{cause.__name__}"

    def text(error: Exception) -> str:
        return Exception.__str__(error)

    return type(name, (refusal, cause), {"__module__": refusal.__module__, "__str__": text})


def bare(failure: Exception) -> Exception:
    """Return a copy of `failure` without its traceback, whose frames would keep objects in memory.

    Return `failure` itself if it cannot be copied.
    """
    kind = type(failure)
    try:
        copy: Exception = kind.__new__(kind, *failure.args)
    except TypeError:
        return failure
    copy.__dict__.update(failure.__dict__)
    copy.args = failure.args
    return copy
