"""What an editor needs to know the types by."""

import json


def test_an_editor_finds_micropython_s_modules_for_the_firmware(project_root):
    config = json.loads((project_root / "pyrightconfig.json").read_text(encoding="utf-8"))
    places = {one["root"]: one["extraPaths"] for one in config["executionEnvironments"]}
    assert list(places)[0] == "firmware"  # pyright takes the first that fits
    assert "typings" in places["firmware"] and "typings" not in places["."]
    makefile = (project_root / "Makefile").read_text(encoding="utf-8")
    assert "--target typings" in makefile and "micropython-rp2" in (
        project_root / "pyproject.toml"
    ).read_text(encoding="utf-8")
