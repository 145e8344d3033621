#!/usr/bin/env python3
"""Reads an HTTP Archive by the model of harlem (PyPI), where every member has to be of its type.

usage: har_model.py FILE
Prints how many entries there are; what breaks the model stands on standard error.
"""
import sys

from harlem.models.har import Har

with open(sys.argv[1], encoding="utf-8") as file:
    print(len(Har.model_validate_json(file.read(), strict=True).log.entries))
