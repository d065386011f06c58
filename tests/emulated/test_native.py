"""The emulator's modules compiled for this Python are used; without a compiler the wheel's are."""

import subprocess
import sys
import sysconfig

import pytest

from polarity_host.simulation.pico import native

pytest.importorskip("rp2040py", reason="rp2040py is not installed: pip install -e '.[emulated]'")


def test_what_was_compiled_is_what_runs():
    if not native.prepare():
        pytest.skip("no C compiler, or Python without its headers")
    look = (
        "from polarity_host.simulation.pico import native\n"
        "assert native.prepare() and native.prepare()\n"
        "from rp2040py.native import _cortex_m0_core, _simulator\n"
        "from rp2040py.execute_batch import execute_batch\n"
        "print(_cortex_m0_core.__file__, execute_batch.__module__)\n"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    path, module = done.stdout.split()
    assert path.startswith(str(native.BUILD)) and module == "rp2040py.native._simulator"


@pytest.mark.parametrize("command", ["", "no-such-compiler -shared", "false"])
def test_without_a_compiler_the_wheel_s_own_are_used(tmp_path, monkeypatch, command):
    monkeypatch.setattr(
        sys, "meta_path", [f for f in sys.meta_path if not isinstance(f, native._Compiled)]
    )
    known = sysconfig.get_config_var
    monkeypatch.setattr(
        sysconfig, "get_config_var", lambda name: command if name == "LDSHARED" else known(name)
    )
    assert native.prepare(tmp_path) is False
    assert not any(isinstance(finder, native._Compiled) for finder in sys.meta_path)
    assert list(tmp_path.iterdir()) == []
