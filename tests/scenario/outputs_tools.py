"""Shared by the tests of what commands print as JSON: api/outputs.schema.json and its names."""
import functools
import json
import re
from pathlib import Path

import jsonschema

API = Path(__file__).resolve().parents[2] / "api"


@functools.cache
def schemas():
    """Returns the two schemas of outputs and results; each finds the other by its file name."""
    texts = {name: (API / f"{name}.schema.json").read_text() for name in ("outputs", "result")}
    return {name: json.loads(text) for name, text in texts.items()}


@functools.cache
def validator(name):
    defs = schemas()["outputs"]["$defs"]
    schema = {"$ref": f"#/$defs/{name}", "$defs": defs}
    resolver = jsonschema.RefResolver("outputs.schema.json", schema, store={"result.schema.json": schemas()["result"]})
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def check_output(program, name, answer):
    """Fails unless the answer fits the definition, such as that of profllm and sweep_run__json."""
    validator(f"{program.replace('-', '_')}_{name}").validate(answer)


def outputs_of(program):
    """Returns {name: command} of all outputs of a program."""
    head = f"Output of {program} "
    return {name.removeprefix(f"{program.replace('-', '_')}_"): re.split(r" --| FILE", row["description"].removeprefix(head))[0]
            for name, row in schemas()["outputs"]["$defs"].items() if row.get("description", "").startswith(head)}


def commands_of(run):
    """Returns the commands of `help --json`; run: calls the program with arguments."""
    done = run("help", "--json")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return json.loads(done.stdout)["commands"]


@functools.cache
def documented_exits():
    """Returns {program and command: numbers} of docs/reference/exit-status.md; the numbers are texts."""
    page = (API.parent / "docs/reference/exit-status.md").read_text()
    rows = {}
    for line in page.split("## Other commands")[1].split("## An example")[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 5 or "`" not in cells[0]:
            continue
        numbers = {str(at) for at, cell in enumerate(cells[1:4]) if cell} | set(re.findall(r"(?:^|; |and )(\d) |$", cells[4]))
        numbers |= {"128 + N"} if "128 + N" in cells[4] else set()
        names = re.findall(r"`([^`]+)`", cells[0])
        head = names[0].rsplit(" ", 1)[0]
        # "profllm sweep serve", "serve_sla": the first words count for all names of the cell
        for name in [names[0], *(f"{head} {other}" for other in names[1:])]:
            assert name not in rows, name
            rows[name] = numbers - {""}
    # its own table is above
    rows["profllm run"] = set(re.findall(r"^\| (\d) \|", page, re.M)) | {"128 + N"}
    rows["profllm sweep"] = rows.pop("profllm sweep run")
    return rows
