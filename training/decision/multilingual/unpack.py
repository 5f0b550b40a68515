"""Decompresses every .xz file of a pack in place: python -m multilingual.unpack FOLDER"""

import glob
import lzma
import os
import shutil
import sys


def main():
    for path in glob.glob(os.path.join(sys.argv[1], "*.xz")):
        with lzma.open(path) as packed, open(path.removesuffix(".xz"), "wb") as plain:
            shutil.copyfileobj(packed, plain)


if __name__ == "__main__":
    main()
