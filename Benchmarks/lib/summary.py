"""Rounds to figures: medians, and ratios made within a round before their median is taken."""

from statistics import median


def summarise(case, rounds):
    """`rounds` is a list of {peer: {metric: number}}; a round may lack a peer that failed in it."""
    names = list(dict.fromkeys(name for one in rounds for name in one))
    main = case.columns[0].key
    return {name: {
        "median": {column.key: middle(rounds, name, column.key) for column in case.columns},
        "min": lowest(rounds, name, main),
        "ratios": {other: ratio(rounds, main, name, other) for other in names if other != name},
    } for name in names}


def values(rounds, name, key):
    return [one[name][key] for one in rounds if name in one and key in one[name]]


def middle(rounds, name, key):
    found = values(rounds, name, key)
    return median(found) if found else None


def lowest(rounds, name, key):
    found = values(rounds, name, key)
    return min(found) if found else None


def ratio(rounds, key, name, other):
    found = [one[name][key] / one[other][key] for one in rounds
             if name in one and other in one and one[other].get(key)]
    return median(found) if found else None


def ratio_to_best(rounds, key):
    """Shunt's to the lowest of the others' medians: the best of each round would be the luckiest."""
    others = [middle(rounds, name, key) for name in {name for one in rounds for name in one} - {"shunt", "before"}]
    others = [value for value in others if value]
    own = middle(rounds, "shunt", key)
    return own / min(others) if others and own is not None else None


def verdicts(case, rounds):
    """For each target what was reached: (target, figure or None, met or None)."""
    found = []
    for target in case.targets:
        if target.peer == "best":
            figure = ratio_to_best(rounds, target.metric)
        elif target.peer:
            figure = ratio(rounds, target.metric, "shunt", target.peer)
        else:
            figure = middle(rounds, "shunt", target.metric)
        met = None
        if figure is not None:
            met = figure >= target.limit if target.at_least else figure <= target.limit
        found.append((target, figure, met))
    return found
