"""OpenAI's Python client (PyPI `openai`), its files and batches, against Gavel, used as its documentation shows.

OPENAI_BASE_URL (ending in /v1) and OPENAI_API_KEY say where and who; POOR_API_KEY is a key of an account without
credits. Prints one JSON object of findings, `paid` being what was charged; any mismatch ends it with an exception.
"""

import json
import os
import tempfile
import time
from pathlib import Path

import openai
from openai import OpenAI

TEXTS = ["good morning, everyone", "I will find you and kill you", "see you at nine"]
# It passes for a URL, and nothing can be found there.
GONE = [{"type": "image_url", "image_url": {"url": "https://nothing.invalid/a.png"}}]
QUESTION = {"type": "predicate", "name": "billing", "instructions": "The message is about billing."}


def line(custom_id: str, url: str, body: dict) -> str:
    return json.dumps({"custom_id": custom_id, "method": "POST", "url": url, "body": body}) + "\n"


def finished(client: OpenAI, batch):
    deadline = time.monotonic() + 90
    while batch.status in ("validating", "in_progress", "finalizing"):
        assert time.monotonic() < deadline, batch
        time.sleep(0.2)
        batch = client.batches.retrieve(batch.id)
    return batch


def moderations(client: OpenAI) -> None:
    """A file of moderations becomes a batch, whose answers and failures are files."""
    requests = [line(f"text-{n}", "/v1/moderations", {"input": text}) for n, text in enumerate(TEXTS)]
    requests.append(line("gone", "/v1/moderations", {"input": GONE}))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "night.jsonl"
        path.write_text("".join(requests))
        with path.open("rb") as opened:
            file = client.files.create(file=opened, purpose="batch")
    assert (file.filename, file.purpose, file.bytes) == ("night.jsonl", "batch", len("".join(requests))), file
    assert client.files.wait_for_processing(file.id).status == "processed"
    assert client.files.content(file.id).text == "".join(requests)
    batch = client.batches.create(
        input_file_id=file.id,
        endpoint="/v1/moderations",
        completion_window="24h",
        metadata={"night": "2026-11-26"},
    )
    assert (batch.object, batch.input_file_id, batch.endpoint) == ("batch", file.id, "/v1/moderations"), batch
    batch = finished(client, batch)
    assert batch.status == "completed" and batch.metadata == {"night": "2026-11-26"}, batch
    counts = batch.request_counts
    assert (counts.total, counts.completed, counts.failed) == (4, 3, 1), batch
    answers = [json.loads(answer) for answer in client.files.content(batch.output_file_id).text.splitlines()]
    assert [answer["custom_id"] for answer in answers] == ["text-0", "text-1", "text-2"], answers
    flags = [answer["response"]["body"]["results"][0]["flagged"] for answer in answers]
    assert flags == [False, True, False], answers
    (failure,) = [json.loads(failure) for failure in client.files.content(batch.error_file_id).text.splitlines()]
    assert failure["custom_id"] == "gone" and failure["response"]["status_code"] == 422, failure
    assert failure["response"]["body"]["error"]["code"] == "INVALID_IMAGE", failure
    assert batch.id in [listed.id for listed in client.batches.list(limit=1)]
    output = client.files.retrieve(batch.output_file_id)
    assert output.purpose == "batch_output" and output.bytes == len(client.files.content(output.id).content), output
    try:
        client.batches.cancel(batch.id)
    except openai.ConflictError as error:
        assert "completed" in str(error), error
    else:
        raise AssertionError("a batch was cancelled after its end")
    assert client.files.delete(file.id).deleted
    assert file.id not in [listed.id for listed in client.files.list(purpose="batch", limit=1)]


def decisions(client: OpenAI) -> None:
    """The same for decisions, from bytes with a name."""
    body = {"model": "gavel-latest", "input": "I was charged twice.", "questions": [QUESTION]}
    requests = "".join(line(str(n), "/v1/decisions", body) for n in range(2)).encode()
    file = client.files.create(file=("decisions.jsonl", requests), purpose="batch")
    batch = client.batches.create(input_file_id=file.id, endpoint="/v1/decisions", completion_window="24h")
    batch = finished(client, batch)
    assert batch.status == "completed" and batch.error_file_id is None, batch
    single = client.decisions.create(model="gavel-latest", input="I was charged twice.", questions=[QUESTION])
    for answer in client.files.content(batch.output_file_id).text.splitlines():
        (first,) = json.loads(answer)["response"]["body"]["answers"]
        assert first["name"] == "billing" and first["probability"] == single.answers[0].probability, answer


def refusals(client: OpenAI) -> dict[str, str]:
    """Each is the client's own error for the status, whose message says what is wrong."""
    poor = OpenAI(api_key=os.environ["POOR_API_KEY"], max_retries=0)
    good = line("a", "/v1/moderations", {"input": "hello"}).encode()
    theirs = poor.files.create(file=good, purpose="batch")
    mine = client.files.create(file=good, purpose="batch")
    twice = client.files.create(file=good + good, purpose="batch")

    def create(file, endpoint: str = "/v1/moderations", by: OpenAI = client):
        return by.batches.create(input_file_id=file.id, endpoint=endpoint, completion_window="24h")

    refused = {
        "another account's file": (lambda: create(theirs), openai.NotFoundError),
        "another account's content": (lambda: client.files.content(theirs.id), openai.NotFoundError),
        "an endpoint": (lambda: create(mine, "/v1/chat/completions"), openai.UnprocessableEntityError),
        "a name twice": (lambda: create(twice), openai.UnprocessableEntityError),
        "a purpose": (lambda: client.files.create(file=good, purpose="fine-tune"), openai.UnprocessableEntityError),
        "no credits": (lambda: create(theirs, by=poor), openai.APIStatusError),
    }
    messages = {}
    for what, (call, kind) in refused.items():
        try:
            call()
        except kind as error:
            assert " - " in str(error) and error.request_id.startswith("req_"), (what, str(error))
            messages[what] = str(error)
        else:
            raise AssertionError(f"{what} was taken")
    return messages


def everything() -> dict:
    # Refuses an answer that lacks a field or has one of another type, where the client by default looks away.
    client = OpenAI(_strict_response_validation=True, max_retries=0)
    moderations(client)
    decisions(client)
    return {
        "client": f"openai=={openai.__version__}",
        "refusals": refusals(client),
        "paid": {"/api/v1/batches": 2, "/v1/decisions": 1},
    }


if __name__ == "__main__":
    print(json.dumps(everything()))
