"""Moves the thresholds of a moderation policy to where the moderators' feedback puts them."""

import copy
from typing import Any

from .asynchronous import AsyncGavel

# The order of the actions, the mildest first. Thresholds must not decrease in it.
ACTIONS = ("warn", "timeout", "ban")
# Labelled samples of either kind below which a threshold stays.
ENOUGH = 10
# How far a threshold moves at once.
STEP = 0.1
POLICIES = "{ account { moderationPolicies(first: 50) { nodes { id name version rules } } } }"
UPDATE = """mutation($input: UpdateModerationPolicyInput!) {
  updateModerationPolicy(input: $input) { userErrors { message code } }
}"""


async def learn(gavel: AsyncGavel, policy_name: str, false_alarms: float) -> dict[str, float]:
    """Moves the thresholds that the policy has to where a share of `false_alarms` of the harmless messages is acted
    upon, as far as messages of the moderation log are labelled. Returns the new lowest threshold by category.
    Needs the scope `manage`. Raises `GraphQLFailed` with `CONFLICT` when somebody else changed the policy meanwhile."""
    policies = (await gavel.graphql(POLICIES))["account"]["moderationPolicies"]["nodes"]
    policy = next((policy for policy in policies if policy["name"] == policy_name), None)
    if policy is None:
        raise ValueError(f"policy: there is no moderation policy `{policy_name}`")
    suggested = await suggestions(gavel, learnable(policy["rules"]), false_alarms)
    rules, moved = moved_rules(policy["rules"], suggested)
    if moved:
        change = {"id": policy["id"], "version": policy["version"], "rules": rules}
        await gavel.graphql(UPDATE, {"input": change})
    return moved


def learnable(rules: dict[str, Any]) -> list[str]:
    """The categories for which the policy has a threshold of an action."""
    categories = rules.get("categories", {})
    return [name for name, rule in categories.items() if any(a in rule.get("thresholds", {}) for a in ACTIONS)]


async def suggestions(gavel: AsyncGavel, categories: list[str], false_alarms: float) -> dict[str, dict[str, Any]]:
    """By category, the threshold that the moderation log's statistics suggest, with `count` and `support`."""
    if not categories:
        return {}
    threshold = 'threshold(value: "true", falseAlarms: $rate) { probability count support }'
    keys = " ".join(f'{name}: key(key: "{name}") {{ {threshold} }}' for name in categories)
    query = f"query($rate: Float!) {{ account {{ moderationLog {{ stats {{ {keys} }} }} }} }}"
    stats = (await gavel.graphql(query, {"rate": false_alarms}))["account"]["moderationLog"]["stats"]
    return {name: key["threshold"] for name, key in stats.items() if key and key["threshold"]}


def moved_rules(rules: dict[str, Any], suggested: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], dict[str, float]]:
    """The rules with their lowest thresholds moved towards the suggestions, the higher ones raised where they must be,
    and what moved."""
    changed = copy.deepcopy(rules)
    moved: dict[str, float] = {}
    for name, threshold in suggested.items():
        if min(threshold["support"], threshold["count"] - threshold["support"]) < ENOUGH:
            continue
        thresholds = changed["categories"][name]["thresholds"]
        given = [action for action in ACTIONS if action in thresholds]
        before = thresholds[given[0]]
        after = round(min(max(threshold["probability"], before - STEP, 0.01), before + STEP, 0.99), 3)
        if after == before:
            continue
        moved[name] = thresholds[given[0]] = after
        for action in given[1:]:
            thresholds[action] = max(thresholds[action], after)
    return changed, moved
