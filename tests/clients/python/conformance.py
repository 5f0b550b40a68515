"""The conformance suite of System One's wire (PyPI `jevcompat`) against Gavel.

TYPESAFE_BASE_URL and TYPESAFE_API_KEY say where and who. Prints one JSON object: the counts by level, the requirements
that are not met with what was found, and those that were not tested.
"""

import json
import os
from importlib.metadata import version

from jevcompat import runner

report = runner.run(os.environ["TYPESAFE_BASE_URL"], key=os.environ["TYPESAFE_API_KEY"])
print(
    json.dumps(
        {
            "client": f"jevcompat=={version('jevcompat')}",
            "verdict": report.verdict,
            "failed": {r.id: [f.message for f in r.findings] for r in report.results if r.status == "fail"},
            "untested": sorted(r.id for r in report.results if r.status == "skip"),
            "summary": report.summary(),
        }
    )
)
