"""Pages of samples of one Judge that has many, asked over GraphQL: how long each answer takes.

Usage: bench/samples.py [SAMPLES [ROUNDS]]     (release build, or GAVEL=path; with GAVEL_TEST_POSTGRES_URL set and psql
there, PostgreSQL as well as SQLite)

The dataset is that of bench/stats.py. Prints a table for bench/README.md.
"""

import statistics
import sys

from stats import ask, loaded, on_each_database, served, vacuum

SAMPLE = """id state judgeVersion source model latencyMs credits certainty labelled createdAt
    answers { key type value answer probability probabilities groundTruth labelledBy { id } }"""
PAGE = f"edges {{ cursor node {{ {SAMPLE} }} }} pageInfo {{ hasNextPage endCursor }}"
ASKED = {
    "first 20": f"samples(first: 20) {{ {PAGE} }}",
    "first 100": f"samples(first: 100) {{ {PAGE} }}",
    "first 20 and totalCount": f"samples(first: 20) {{ totalCount {PAGE} }}",
    "last 20": f"samples(last: 20) {{ {PAGE} }}",
    "first 20, labelled": f"samples(first: 20, filter: {{ labelled: true }}) {{ {PAGE} }}",
    "first 20, least certain first": f"samples(first: 20, order: LEAST_CERTAIN_FIRST) {{ {PAGE} }}",
    "first 20, of one answer": f'samples(first: 20, answer: {{ key: "team", value: "billing" }}) {{ {PAGE} }}',
    "first 20 of the mistakes": f'samples(first: 20, answer: {{ key: "team", agrees: false }}) {{ {PAGE} }}',
    "review queue": f"reviewQueue(first: 20) {{ {PAGE} }}",
}


def measure(name, url, count, rounds):
    with loaded(url, [1], count) as (env, key, [(made, _)]):
        if url:
            vacuum(url)
        with served(env):
            for asked, field in ASKED.items():
                query = f"query($id: ID!) {{ judge(id: $id) {{ {field} }} }}"
                taken = [ask(key, query, {"id": made})[1] for _ in range(rounds)]
                print(
                    f"| {name} | {asked} | {taken[0]:.1f} | {statistics.median(taken):.1f} | {max(taken):.1f} |",
                    flush=True,
                )
            # What comes after the middle of the list costs what its start does.
            cursor = middle(key, made, count)
            page = f"samples(first: 20, after: $after) {{ {PAGE} }}"
            query = f"query($id: ID!, $after: String!) {{ judge(id: $id) {{ {page} }} }}"
            taken = [ask(key, query, {"id": made, "after": cursor})[1] for _ in range(rounds)]
            print(
                f"| {name} | 20 from the middle | {taken[0]:.1f} | {statistics.median(taken):.1f} | {max(taken):.1f} |",
                flush=True,
            )


def middle(key, made, count):
    query = """query($id: ID!, $f: SampleFilterInput) {
        judge(id: $id) { samples(last: 1, filter: $f) { pageInfo { endCursor } } } }"""
    chosen = {"since": "2026-02-15T00:00:00Z"}
    return ask(key, query, {"id": made, "f": chosen})[0]["judge"]["samples"]["pageInfo"]["endCursor"]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    print(f"{count} samples, {rounds} rounds, milliseconds\n")
    print("| database | page | first | median | slowest |")
    print("|---|---|---|---|---|")
    on_each_database(lambda name, url: measure(name, url, count, rounds))


if __name__ == "__main__":
    main()
