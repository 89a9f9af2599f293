"""Shared by the generators: the rows as a built profllm prints them, Markdown tables, the writing of files."""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("PROFLLM_BIN", ROOT / "build/bin")) / "profllm"
PROGRAM_HELP = "a built profllm (default: that of PROFLLM_BIN or build/bin)"


def schema(program, *options):
    """Returns the output of `profllm schema` with these options."""
    try:
        done = subprocess.run([program, "schema", *options], capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"{program}: {error.strerror} (make build makes it)")
    if done.returncode:
        sys.exit(f"{program} schema: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def load(program):
    """Returns {list: [row, …]} of all tables, and the fields of a result and the schema of outputs that are made from them."""
    return {**schema(program, "--json"), "fields": schema(program, "--json", "--fields"), "outputs_schema": schema(program, "--outputs")}


def number(value):
    """Writes a number as a person does: 1e-9, not 1e-09."""
    return re.sub(r"e-0", "e-", str(value))


def table(head, body):
    """Returns a Markdown table; `body`: a list of texts for each row."""
    lines = [head, ["---"] * len(head), *([text.replace("|", "\\|") for text in row] for row in body)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def replace(page, before, made, after):
    """Returns the page with new text between two patterns, which must occur once."""
    page, count = re.subn(rf"({before}).*?({after})", lambda found: found.group(1) + made + found.group(2), page,
                          flags=re.S)
    if count != 1:
        sys.exit(f"{count} places between {before!r} and {after!r}")
    return page


def fill(path, tables):
    """Returns the page with its marked tables rewritten; `tables`: name to function."""
    page = (ROOT / path).read_text()
    for name, make in tables.items():
        if f"<!-- table {name}: " in page:
            page = replace(page, rf"<!-- table {name}: [^\n]* -->\n", make(), "<!-- end table -->\n")
    return page


def main(text, make):
    """`make` maps the rows to {path below the root: text}. Writes the outdated files, or only reports them with --check."""
    name = Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; 1 when something is out of date")
    parser.add_argument("program", nargs="?", type=Path, help=PROGRAM_HELP, default=PROGRAM)
    options = parser.parse_args()
    stale = [(path, page) for path, page in make(load(options.program)).items()
             if not (ROOT / path).exists() or (ROOT / path).read_text() != page]
    for path, page in stale:
        if options.check:
            print(f"{path} is out of date: run tools/{name}", file=sys.stderr)
        else:
            (ROOT / path).write_text(page)
            print(f"wrote {path}")
    return 1 if options.check and stale else 0
