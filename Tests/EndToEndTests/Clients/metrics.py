"""Reads Prometheus' text on standard input as its own client does, and prints it as JSON; fails where it is not valid.

Each metric: its type, and its samples with labels and value.
"""
import json
import math
import sys

from prometheus_client.parser import text_string_to_metric_families

text = sys.stdin.read()
families = list(text_string_to_metric_families(text))
found = {}
for family in families:
    assert family.name not in found, f"{family.name} is described twice"
    assert family.documentation, f"{family.name} has no description"
    assert family.type in ("counter", "gauge", "histogram"), f"{family.name} is of type {family.type}"
    seen = set()
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in seen, f"{key} is there twice"
        assert not math.isnan(sample.value), f"{key} is no number"
        seen.add(key)
        if family.type == "counter":
            assert sample.name.endswith("_total") and sample.value >= 0, f"{key} is no counter"
        else:
            assert not sample.name.endswith("_total"), f"{key} is named like a counter"
    if family.type == "histogram":
        series = {}
        for sample in family.samples:
            labels = tuple(sorted((name, text) for name, text in sample.labels.items() if name != "le"))
            series.setdefault(labels, {"buckets": []})
            if sample.name.endswith("_bucket"):
                series[labels]["buckets"].append((float(sample.labels["le"]), sample.value))
            else:
                series[labels][sample.name.rsplit("_", 1)[1]] = sample.value
        for labels, one in series.items():
            bounds = [bound for bound, _ in one["buckets"]]
            counts = [count for _, count in one["buckets"]]
            assert bounds == sorted(bounds) and bounds[-1] == math.inf, f"{labels}: bounds {bounds}"
            assert counts == sorted(counts) and counts[-1] == one["count"], f"{labels}: counts {counts}"
    found[family.name] = {
        "type": family.type,
        "samples": [{"name": s.name, "labels": s.labels, "value": s.value} for s in family.samples],
    }
print(json.dumps(found))
