"""Asks seven questions about 50 messages in one request with `states`, in English and in Spanish.

Usage: bench/states.py URL KEY     (a Gavel at URL; `taskset -c 0` before it measures one core)
"""

import json
import random
import sys
import time
import urllib.request

ROUNDS, STATES, WORDS_A_STATE = 5, 50, 12
WORDS = {
    "English": "anyone up for a round tonight the new map is out and we still need two more who can play support "
    "or tank if you know somebody please tell me here is how it works we meet at nine and play until midnight",
    "Spanish": "alguien quiere jugar una ronda esta noche el mapa nuevo ya salió y todavía nos faltan dos que "
    "puedan jugar de apoyo si conoces a alguien por favor dime aquí quedamos a las nueve y jugamos hasta tarde",
}
QUESTIONS = [
    "Is it spam?",
    "Is it an insult?",
    "Does it ask a question?",
    "Is it about a game?",
    "Does it ask for help?",
    "Is it a threat?",
    "Does it advertise something?",
]


def ask(url, key, states):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    body = json.dumps({"states": states, "instructions": QUESTIONS}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/inference", body, headers), timeout=60) as answer:
        return json.load(answer)


def main():
    url, key = sys.argv[1:]
    dice = random.Random(3)
    for language, words in WORDS.items():
        words = words.split()
        # The first round loads the model.
        seconds = []
        for _ in range(ROUNDS + 1):
            states = [" ".join(dice.choices(words, k=WORDS_A_STATE)) for _ in range(STATES)]
            begun = time.monotonic()
            tokens = ask(url, key, states)["usage"]["input_tokens"]
            seconds.append(time.monotonic() - begun)
        seconds = sorted(seconds[1:])
        print(f"{language}: {seconds[0]:.2f} to {seconds[-1]:.2f} s, {tokens} tokens")


if __name__ == "__main__":
    main()
