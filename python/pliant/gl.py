"""An OpenGL context without a screen: EGL if it works, else OSMesa."""

import atexit
import importlib
import os
import sys
import weakref
from typing import Protocol

from pliant.errors import Error

PACKAGES = {"egl": "libegl1", "osmesa": "libosmesa6"}


class NoGraphicsError(Error):
    """No way to draw was found on this machine."""

    code = "no_graphics"


class Context(Protocol):
    """What mujoco.egl and mujoco.osmesa offer."""

    def make_current(self) -> None: ...

    def free(self) -> None: ...


def choices() -> tuple[str, ...]:
    """What to try, in order. MUJOCO_GL decides if it names one of ours."""
    wanted = os.environ.get("MUJOCO_GL", "").lower().strip()
    return (wanted,) if wanted in PACKAGES else tuple(PACKAGES)


def open_context(width: int, height: int) -> Context:
    """A new context that is current in this thread."""
    tried = []
    for name in choices():
        try:
            context = importlib.import_module(f"mujoco.{name}").GLContext(width, height)
            context.make_current()
        except Exception as error:  # drivers fail in many ways: each is only a reason to try the next
            tried.append(f"{name}: {str(error).strip() or type(error).__name__}")
            forget(name)
        else:
            # MuJoCo's library looks here for where to find OpenGL's functions
            os.environ["MUJOCO_GL"] = name
            return context
    needed = " or ".join(PACKAGES[name] for name in choices())
    raise NoGraphicsError(f"no offscreen OpenGL works here ({'; '.join(tried)}); apt-get install {needed}")


def forget(name: str) -> None:
    """Unloads a back end that failed, since PyOpenGL binds itself to the first that it meets."""
    if len(LIVE):
        return
    if os.environ.get("PYOPENGL_PLATFORM") == name:
        del os.environ["PYOPENGL_PLATFORM"]
    for module in [m for m in sys.modules if m.split(".")[0] == "OpenGL" or m.startswith(f"mujoco.{name}")]:
        del sys.modules[module]


class Closeable(Protocol):
    def close(self) -> None: ...


LIVE: "weakref.WeakSet[Closeable]" = weakref.WeakSet()


def close_at_exit(owner: Closeable) -> None:
    """Whoever holds a context is closed before the graphics library goes away."""
    if not LIVE:
        # later registrations run first: this one must come after that of mujoco.egl
        atexit.unregister(close_all)
        atexit.register(close_all)
    LIVE.add(owner)


def close_all() -> None:
    for owner in list(LIVE):
        owner.close()
