"""Imports what a setting names: a class or a function of the user's own code."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from evocrawl.core.errors import SettingError


def named_object(path: str, setting: str, value: str) -> Any:
    """Return the object that `path` names.

    `path` is ``package.module.name``, ``package.module:name`` or ``folder/file.py:name``. Raises
    SettingError for option `setting` with this `value` if there is no such object, or if its module
    raises an exception when it is imported.
    """
    module, _, name = path.rpartition(":") if ":" in path else path.rpartition(".")
    if not module or not name or (name == "py" and ":" not in path):
        raise SettingError(setting, value, "package.module:name or file.py:name")
    try:
        source = _from_file(module) if module.endswith(".py") else importlib.import_module(module)
    except Exception as error:  # the user's module may raise anything
        allowed = f"a module that can be imported ({type(error).__name__}: {error})"
        raise SettingError(setting, value, allowed) from error
    try:
        return getattr(source, name)
    except AttributeError:
        raise SettingError(setting, value, f"a name that {module} has, not {name!r}") from None


def _from_file(path: str) -> ModuleType:
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    name = f"_evocrawl_{file.stem}_{crc32(str(file.resolve()).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
