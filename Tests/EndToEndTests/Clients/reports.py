"""Checks reports against what their readers accept. usage: reports.py JUNIT CODEQUALITY HTML

JUnit by the rules of the schema that Jenkins publishes (jenkinsci/xunit-plugin, junit-10.xsd), GitLab's code quality by
its documentation.
"""
import html.parser
import json
import sys
import xml.etree.ElementTree as tree

# Children, required attributes, other attributes.
COUNTS = {"tests", "failures", "errors", "time", "disabled"}
RULES = {
    "testsuites": ({"testsuite"}, set(), COUNTS | {"name"}),
    "testsuite": ({"properties", "testcase", "system-out", "system-err"}, {"name"},
                  COUNTS | {"skipped", "timestamp", "hostname", "id", "package", "file"}),
    "testcase": ({"skipped", "error", "failure", "system-out", "system-err"}, {"name"},
                 {"assertions", "time", "classname", "status", "file"}),
    "failure": (set(), set(), {"message", "type"}),
}


def check(element):
    children, required, other = RULES[element.tag]
    assert required <= set(element.attrib) <= required | other, (element.tag, element.attrib)
    assert {child.tag for child in element} <= children, element.tag
    for name in set(element.attrib) & {"tests", "failures", "errors", "skipped"}:
        int(element.attrib[name])
    if "time" in element.attrib:
        float(element.attrib["time"])
    for child in element:
        check(child)


root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites"
check(root)
cases = root.findall("testsuite/testcase")
failures = root.findall("testsuite/testcase/failure")
assert int(root.attrib["tests"]) == len(cases) and int(root.attrib["failures"]) == len(failures)

issues = json.load(open(sys.argv[2]))
for issue in issues:
    assert issue["description"] and issue["check_name"] and len(issue["fingerprint"]) == 32
    assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert not issue["location"]["path"].startswith("/") and issue["location"]["lines"]["begin"] >= 1
assert len({issue["fingerprint"] for issue in issues}) == len(issues) == len(failures)


class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "img", "iframe", "object"), tag
        assert not {"src", "href", "onclick", "onload"} & {name for name, _ in attributes}, attributes


page = open(sys.argv[3]).read()
Page().feed(page)
assert "url(" not in page and "<!doctype html>" in page
print(len(cases), len(failures))
