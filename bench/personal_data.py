"""How much of what Faker generates as personal data `redact` finds, by type: precision and recall in sentences.

Usage: bench/personal_data.py URL KEY     (a Gavel at URL; `pip install faker` first)

The locales of CHOOSE were looked at while the formats were written; those of REPORT were not. Values that are valid
nowhere are left out: addresses that no network has, and numbers that Faker makes without the right check digits.
"""

import collections
import ipaddress
import json
import sys
import urllib.request

from faker import Faker

OF_EACH = 40
CHOOSE = ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT"]
REPORT = [
    "nl_NL", "pl_PL", "pt_BR", "sv_SE", "fi_FI", "en_CA", "en_AU", "en_IN", "da_DK", "cs_CZ", "tr_TR", "no_NO"
]  # fmt: skip
SENTENCES = {
    "email": ["write to {} please", "{}", "my mail: {}.", "contact me at {}, thanks", "({})"],
    "phone": ["call me at {}", "my number is {}", "tel: {}", "{} is her phone", "whatsapp {} now"],
    "payment_card": ["card {}", "{} exp 12/29", "pay with {}, cvv 123", "number: {}.", "his card is {}"],
    "iban": ["send it to {}", "IBAN: {}", "{} please", "my account {}.", "iban {} thanks"],
    "ip_address": ["his ip is {}", "{} again", "banned {}.", "from {}, twice", "ip: {}"],
    "postal_address": ["he lives at {}", "{}", "send it to {}, please", "my address is {}.", "meet me at {} tonight"],
    "national_id": ["ssn {}", "my id is {}", "id: {}", "{} is hers", "number {}."],
}
# All of IPv6 that is given to networks.
ASSIGNED = ipaddress.ip_network("2000::/3")
# Whose account numbers Faker makes a character too short.
INVALID_IBANS = {"en_IN"}
# Whose ids Faker makes as the country does.
WITH_IDS = {"en_US", "fr_FR", "it_IT", "pl_PL", "pt_BR", "sv_SE", "fi_FI"}


def values(fake, locale):
    """Pairs of a type and a value."""
    for number in range(OF_EACH):
        yield "email", fake.email()
        yield "phone", fake.phone_number()
        yield "payment_card", fake.credit_card_number()
        if locale not in INVALID_IBANS:
            yield "iban", fake.iban()
        address = fake.ipv4_public() if number % 4 else fake.ipv6()
        address = ipaddress.ip_address(address)
        if address.is_global and (address.version == 4 or address in ASSIGNED):
            yield "ip_address", str(address)
        yield "postal_address", fake.street_address()
        if locale in WITH_IDS:
            yield "national_id", fake.ssn()


def found(url, key, messages):
    """What is found in each message: pairs of a type and a text."""
    for start in range(0, len(messages), 50):
        some = messages[start : start + 50]
        body = {"mode": "native", "messages": [{"content": message, "redact": True} for message in some]}
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/api/v1/moderate/text/batch", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            for result in json.load(answer)["results"]:
                content = result["content"]
                data = result["redacted"]["personal_data"]
                yield [(one["type"], content[one["start"] : one["end"]]) for one in data]


def main():
    url, key = sys.argv[1:]
    print("| locales | type | values | recall | precision |\n|---|---|---|---|---|")
    for name, locales in (("choose", CHOOSE), ("report", REPORT)):
        Faker.seed(7)
        made = []
        for locale in locales:
            for number, (kind, value) in enumerate(values(Faker(locale), locale)):
                made.append((kind, value, SENTENCES[kind][number % 5].format(value)))
        counts, right, told = collections.Counter(), collections.Counter(), collections.Counter()
        all_found = found(url, key, [message for _, _, message in made])
        for (kind, value, _), pairs in zip(made, all_found, strict=True):
            counts[kind] += 1
            right[kind] += (kind, value.strip()) in pairs
            told.update(one for one, _ in pairs)
        for kind, count in counts.items():
            precision = right[kind] / max(told[kind], 1)
            print(f"| {name} | {kind} | {count} | {right[kind] / count:.3f} | {precision:.3f} |", flush=True)


if __name__ == "__main__":
    main()
