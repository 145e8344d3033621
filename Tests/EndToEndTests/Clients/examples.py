"""Runs the commands that documents and help show, and checks the JSON that they show.

usage: examples.py SHUNT ROOT [--no-help], in the folder of a project whose Shunt runs and has recorded exchanges.

A block that cannot be run has `<!-- not run: REASON -->` in the line above it. Prints one line of JSON for each block
and each example of help: where it stands, what was done with it, and what was wrong.
"""
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

shunt, root = sys.argv[1], pathlib.Path(sys.argv[2])
environment = {
    "PATH": str(pathlib.Path(shunt).parent) + ":" + os.environ["PATH"], "HOME": os.getcwd(), "TMPDIR": os.getcwd(),
    "TOKEN": "token", "NO_COLOR": "1", "EDITOR": "true",
}
# What serves, records, or would end the project's Shunt, is read as far as its options. What asks is answered.
WAITING = re.compile(r"^shunt (serve|demo|stop|record|lint|trust|attach)\b|^shunt logs .*-f\b")
ASKING = re.compile(r"^shunt clear\b(?!.*--yes)")
# Documents that GuideTests follows from their first line to their last.
FOLLOWED = {"push.md", "sealed.md"}
BLOCK = re.compile(r"(?:^ *<!-- not run: (?P<reason>.*?) -->\n)?^(?P<indent> *)```(?P<kind>\w*)\n(?P<text>.*?)^ *```$",
                   re.M | re.S)


def run(*command):
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def commands(kind, text):
    """The command lines of a block; console blocks have responses, too."""
    lines = text.splitlines()
    if kind == "console":
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    return [line.strip() for line in lines if line.strip().startswith("shunt ")]


def check_command(line):
    # What is shown of other programs behind a pipe is not ours, and shells run things behind what we wait for.
    line = re.sub(r"\s+(#.*|&)$", "", line).split(" | jq ")[0]
    if line.startswith("shunt serve --set"):
        line = line.replace("serve", "validate", 1)
    # Test tools are not ours.
    line = re.sub(r"^(shunt run .*-- )(swift test|npm test|pytest)$", r"\1true", line)
    if WAITING.search(line):
        line = re.sub(r" 2> \S+$", "", line) + " --help"
    elif ASKING.search(line):
        line = line.replace("shunt clear", "shunt clear --yes")
    done = run("/bin/sh", "-c", line)
    if line.startswith("shunt mocks"):
        # The examples that follow want responses.
        run("shunt", "mocks", "--all", "on")
    # 1 is a response of those that compare.
    fine = (0, 1) if re.match(r"shunt (replay|diff|mocks check)\b", line) else (0,)
    if line.startswith("shunt mocks from") and "nothing makes a mock" in done.stderr:
        # What the project has recorded were mocks.
        return None
    if line.startswith("shunt keys unlock") and "the store is not sealed" in done.stderr:
        # SealedServingTests has one that is.
        return None
    if line.startswith("shunt edit 12 ") and "Shunt itself responded" in done.stderr:
        # So do edits.
        return None
    if line.startswith("shunt hold --") and "is not held, or not any more" in done.stderr:
        # HoldCommandTests has some that are.
        return None
    if line.startswith("shunt session ") and re.search("there is no session|routes.json cannot be read", done.stderr):
        # SessionCommandTests has one, with routes.
        return None
    if line.startswith("shunt send ") and "that is open" in done.stderr:
        # The exchanges of the project are over.
        return None
    if line.startswith("shunt run --openapi") and "an exchange to compare" in done.stderr:
        # The command that stands for another one requests nothing.
        return None
    if line.startswith("shunt expect --graphql") and "a request of GraphQL to compare" in done.stderr:
        # GraphQLCommandTests has calls.
        return None
    if line.startswith("shunt bridge from") and "no call to an app's bridge" in done.stderr:
        return None
    if done.returncode not in fine or "shunt: " in done.stderr and done.returncode == 1:
        return f"{line}: status {done.returncode}: {done.stderr.strip()[-300:]}"


def check_profile(text):
    """A whole profile, members of one, routes, or the contract of a bridge."""
    until = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()
    text = re.sub(r'"20\d\d-\d\d-\d\d"', f'"{until}"', text.strip())
    code = re.sub(r"\s*//.*", "", text)
    contract = "{}"
    if re.match(r'\{\s*"kind"', code):
        whole = text
    elif re.match(r'\{\s*"(webkit|record)"', code):
        contract = text
        whole = '{ "kind": "local", "routes": [{ "mock": {}, "bridge": "bridge.json" }] }'
    elif code.startswith('"localhost"'):
        whole = '{ "kind": "local", "routes": [], "trust": {\n' + text + "\n} }"
    elif code.startswith('"'):
        whole = '{ "kind": "local", "routes": [],\n' + text + "\n}"
    else:
        production = '"allow"' in code
        whole = '{ "kind": "%s", "routes": [\n%s\n] }' % ("production" if production else "local", text)
    folder = pathlib.Path("examples/Profiles")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    name = "staging" if '"kind": "staging"' in code else "example"
    if name != "staging":
        (folder / "staging.json").write_text(
            '{"kind": "staging", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}')
    (folder / f"{name}.json").write_text(whole + "\n")
    if '"bridge": "bridge.json"' in whole:
        (folder / "bridge.json").write_text(contract)
    if '"contract": "api.yaml"' in whole:
        shutil.copy("api.yaml", folder)
    authority = pathlib.Path("certs/ca.pem").read_bytes()
    for file in re.findall(r'"\.\./(ca/[\w.]+)"', text):
        path = folder.parent / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(authority)
    for site in re.findall(r'"files": "\.\./(\w+)"', text):
        (folder.parent / site).mkdir(exist_ok=True)
    for name in re.findall(r'"recording": "(\w+)"', text):
        (folder.parent / "Recordings").mkdir(exist_ok=True)
        shutil.copy("Recordings/checkout.har", folder.parent / "Recordings" / f"{name}.har")
    done = run("shunt", "validate", "--profiles", str(folder))
    if done.returncode != 0:
        return done.stderr.strip()[-800:]


def check_json(text):
    try:
        json.loads(text)
    except ValueError:
        try:
            for line in text.splitlines():
                json.loads(line)
        except ValueError as wrong:
            return f"no JSON: {wrong}"


def blocks():
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        if path.name in FOLLOWED:
            continue
        text = path.read_text()
        for found in BLOCK.finditer(text):
            place = f"{path.relative_to(root)}:{text.count(chr(10), 0, found.start('indent')) + 1}"
            kind, body = found["kind"], found["text"]
            lines = commands(kind, body) if kind in ("sh", "console", "") else []
            if found["reason"]:
                yield place, "marked", [], found["reason"]
            elif kind == "json5":
                yield place, "profile", [lambda body=body: check_profile(body)], None
            elif kind == "json":
                yield place, "json", [lambda body=body: check_json(body)], None
            elif lines:
                yield place, "run", [lambda line=line: check_command(line) for line in lines], None
            else:
                yield place, "unmarked", [], None
    names = re.findall(r"^  (\w+) ", run("shunt").stdout, re.M) if "--no-help" not in sys.argv else []
    for name in names:
        examples = run("shunt", name, "--help").stdout.partition("\nExamples:\n")[2]
        lines = [line.strip() for line in examples.splitlines() if line.strip().startswith("shunt ")]
        yield f"shunt {name} --help", "run", [lambda line=line: check_command(line) for line in lines], None


everything = list(blocks())
# What removes the traffic comes last.
everything.sort(key=lambda block: "clear" in block[0] or block[0].startswith("docs/traffic.md"))
for place, done, checks, reason in everything:
    wrong = [text for text in (check() for check in checks) if text]
    if done == "unmarked":
        wrong = ["nothing in it can be run: say why in a line above it, <!-- not run: REASON -->"]
    print(json.dumps({"place": place, "done": done, "checks": len(checks), "reason": reason, "wrong": wrong}))
