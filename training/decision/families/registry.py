"""Which families there are, by the version that was first trained on them. A new module is entered here.

The order is part of the data: rows are made family by family, and what a version drew is made again only in this order.
"""

from . import (
    chains,
    compare,
    completeness,
    conclusions,
    conditions,
    customer_messages,
    degrees,
    foreign,
    held1,
    held2,
    json_states,
    levels,
    more,
    negation,
    passages,
    policies,
    presence,
    reading,
    records,
    reply,
    rules,
    systems,
    text,
    tools,
    triage,
    values,
    wording,
)

# Modules by the first version that was trained on their families: 1.0.0, 2.0.0, after it, and after 2.2.0.
FIRST_MODULES = (records, text)
SECOND_MODULES = (negation, json_states, compare, levels, reply, rules, foreign, more)
THIRD_MODULES = (customer_messages, degrees, wording, systems, policies, tools, reading, chains, passages, values)
FOURTH_MODULES = (conclusions, completeness, conditions, triage, presence)


def merged(modules):
    """The families of some modules, in order: name to the function that makes a group of rows."""
    return {name: make for module in modules for name, make in module.FAMILIES.items()}


FIRST = set(merged(FIRST_MODULES))
SECOND = merged(SECOND_MODULES)
THIRD = merged(THIRD_MODULES)
FOURTH = merged(FOURTH_MODULES)
# Those that no weights are trained on.
HELD = {**held1.FAMILIES, **held2.FAMILIES, **foreign.HELD}
FAMILIES = {**merged(FIRST_MODULES), **SECOND, **THIRD, **FOURTH, **HELD}
