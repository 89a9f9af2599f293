"""Awkward command lines of `bench serve` yield the same as Python's argparse.

The parser is built from the specification's list of flags; this file repeats the folding of dotted keys that precedes
it.


"""

import argparse
import ast
import json
import math
import random
import subprocess

import pytest

LATER = "this version does not support"
# one a line, words parted by "|"
AWKWARD = r"""
--
--label|a|--
--seed|1|x|--|--port|9
--header|a=b|--|c=d
--temperature|-1
--temperature|-.5
--temperature|-5.
--temperature|-1e3
--temperature=-1e3
--temperature|-inf
--temperature=-inf
--temperature|1e400
--temperature=1e-400
--temperature|0x10
--temperature|1_0.5
--temperature|1__0
--temperature=.
--temperature=1e
--temperature=
--num-prompts|+5
--num-prompts|007
--num-prompts|1_
--num-prompts|_1
--num-prompts|1.0
--num-prompts|1e3
--num-prompts=
--num-prompts|0x1F
--num-prompts=++5
--num-prompts|it's
--num-prompts|"
--num-prompts|a\b'"
--num|5
--n|5
--no
--no-s
--no-self
--no_self_timed
--self-timed=1
--no-self-timed=1
--no-stream|--no-st
--h
--he|a=b
--he=a=b
--p
--po|9
--por=9
--prof
--profile|x
--pro
--r|5
--request|5
--request-r|5
--request_i|x
--ra|linear
--ramp-up-s|linear
--ramp-up-str|lin
--ramp-up-start-r|1
--Seed|5
-seed|5
-p|8000
-1x
-1_0
--b|openai
--ba|openai
--base|http://x
--backend=openai=x
--backend|OpenAI
--backend|it's
--dataset-name=Random
--goodput|--seed|1
--goodput|a:1|b:2|--goodput|c:3
--goodput=|ttft:1
--lora-modules
--lora|a|b|--lora-a|round
--metadata|--header
--metadata=|a=b
--metadata|a=b=c|=|--seed|3
--extra-body.a.b|1|--extra_body.a.c=2
--extra-body|{"z":1}|--extra-body.a|2
--extra-body.a|2|--extra-body|{"z":1}
--extra-body.stop+|a,b|--extra-body.stop+=c
--extra-body.stop+=
--extra-body.a_b-c|1
--extra_body.a_b|null
--extra-body.x|"7"
--extra-body.x=--seed
--extra-body.x|--seed
--extra-body.
--extra-body.x
--extra-b.x|1
--seed.a|5
--save-result.a|b
--nope.x|1
--dataset-path=./a.b/c_d
--endpoint|/v1.5/x_y
--label=a_b=c_d
--label|--a_b
--label|-1
--label|-x
--label|-
--label|-a b
--label|--a b
--label_x
--port|1|--port|x|--port|2
--port|x|--backend|y
--nope|a|--port|x
--nope|a|--sharegpt
--save|1
--save-r|--save-d
--save-result=
--top|1
--top-k|1.5
--top_k=-1
--bfcl|a,b
--t|1
--tokenizer|a
--tokenizer-m=b
--insec|--ignore
--use
--i
--in|5
--inp|5
--input-len=5|--in=6
--custom|5
--custom-o|5
--spec|x
--spec-bench-o=x
--random-r|{"input":.1,"output":.2}
--random-mm-b|1
--random-mm-bucket-config|{(1,2,3):.5}
--disable
--disable-s|--disable-t
--burst|inf
--burst|INFINITY
--request-rate|infinit
--ready|5
--max|5
--metric|50
--met|a
--meta|a=b
--per|ttft
""".strip().splitlines()
VALUES = ["7", "-1", "1_000", " 12 ", "+5", "-5", "1e3", "inf", "-inf", "Infinity", "0x10", "007", "1__0", "_1", "1_",
          ".5", "5.", "-.5", "-5.", "1e400", "", " ", "-", "--", "a b", "-a b", "-x", "--x", "-1x", "-1 2", "--a b", "a=b",
          "{}", '{"a": 1}', "{'a': 1}", "1,2", "true", "é", "tab\there", "openai", "random", "hf", "linear", "0", "-0.0",
          "1e5_0", "1e", "ttft:5", "@file", "-1e3", "--5", "-5=3"]
JSON_FLAGS = ["--extra-body", "--extra_body", "--extra-b", "--chat-template-kwargs"]


class Refused(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)


def loads(text):
    return json.loads(text)


def _parse_mm_bucket_config(text):
    value = ast.literal_eval(text)
    if not isinstance(value, dict):
        raise ValueError(text)
    return value


TYPES = {"int": int, "float": float, "loads": loads, "_parse_mm_bucket_config": _parse_mm_bucket_config,
         "<lambda>": lambda text: [part.strip() for part in text.split(",")]}


@pytest.fixture(scope="module")
def rows(test_data_dir):
    flags = json.loads((test_data_dir / "spec" / "bench-args.json").read_text())
    return flags["commands"]["bench serve"]


@pytest.fixture(scope="module")
def parser(rows):
    # prefixes are looked up in the subcommand's own parser, as there
    top = Parser(prog="vllm")
    serve = top.add_subparsers().add_parser("bench").add_subparsers().add_parser("serve")
    for row in rows:
        how = {"dest": row["name"], "default": None}
        if row["type"] == "flag":
            serve.add_argument(*row["flags"], action="store_true", dest=row["name"])
        elif row["type"] == "toggle":
            serve.add_argument(row["flags"][0], action=argparse.BooleanOptionalAction, **how)
        else:
            if row["nargs"]:
                how["nargs"] = row["nargs"]
            if row["choices"]:
                how["choices"] = row["choices"]
            serve.add_argument(*row["flags"], type=TYPES.get(row["type"]), **how)
    return top


def put(into, keys, value):
    for key in keys[:-1]:
        if not isinstance(into.get(key), dict):
            into[key] = {}
        into = into[key]
    known = into.get(keys[-1])
    into[keys[-1]] = known + value if isinstance(known, list) and isinstance(value, list) else value


def folded(argv):
    """Folds as vLLM does: dashes for underscores in flags, and dotted keys as JSON after all other words."""
    words, dotted, rest = [], {}, iter(argv)
    for word in rest:
        name, equals, text = word.partition("=")
        head, dot, path = name.partition(".")
        head = head.replace("_", "-") if word.startswith("--") else head
        following = None
        if word.startswith("--") and dot:
            following = text if equals else next(rest, None)
        if following is None:
            words.append(head + dot + path + equals + text)
            continue
        if path.endswith("+"):
            value = following.split(",")
        else:
            try:
                value = json.loads(following)
            except ValueError:
                value = following
        put(dotted.setdefault(head, {}), path.removesuffix("+").split("."), value)
    for flag, value in dotted.items():
        words += [flag, json.dumps(value)]
    return words


def plain(value):
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def theirs(parser, argv):
    """Returns (options that were set, None) or (None, the first error)."""
    try:
        names = vars(parser.parse_args(["bench", "serve", *folded(argv)]))
    except Refused as refused:
        return None, str(refused)
    return {name: plain(value) for name, value in names.items() if value is not None and value is not False}, None


def differs(bin_dir, parser, argv):
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--dry-run", "--json", *argv], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode in (0, 2), (argv, done.stderr)
    errors = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
    wanted, error = theirs(parser, argv)
    if error is not None:
        same = done.returncode == 2 and errors and errors[0].startswith(error)
        return None if same else (argv, error, errors)
    if done.returncode == 2:
        # what vLLM's parser lets through, and its command or this version does not
        return None if errors and LATER in errors[-1] else (argv, wanted, errors)
    given = {name: value for name, value in json.loads(done.stdout)["set"].items() if value is not False}
    return None if given == wanted else (argv, wanted, given)


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_awkward_lines(bin_dir, parser):
    wrong = [differs(bin_dir, parser, line.split("|")) for line in AWKWARD]
    assert [one for one in wrong if one is not None] == []


def random_words(draw, flags):
    kind = draw.random()
    if kind < 0.45:
        flag = draw.choice(flags)
        if draw.random() < 0.35:
            flag = flag[:draw.randint(3, len(flag))]
        if draw.random() < 0.3:
            flag = flag[:2] + flag[2:].replace("-", "_")
        if draw.random() < 0.2:
            return [flag + "=" + draw.choice(VALUES)]
        return [flag] + [draw.choice(VALUES)] * (draw.random() < 0.7)
    if kind < 0.6:
        flag = draw.choice(JSON_FLAGS) + draw.choice([".a", ".a.b", ".a+", ".stop+", ".b_c", ".", ".a."])
        value = draw.choice([one for one in VALUES if one not in ("--", "1e400") and "Inf" not in one])
        return [flag + "=" + value] if draw.random() < 0.4 else [flag, value]
    return [draw.choice(VALUES)]


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_random_lines(bin_dir, parser, rows):
    draw = random.Random(20)
    # words of a header are secrets and not shown; "=--" is a fault of older Pythons
    flags = [flag for row in rows for flag in row["flags"] if row["name"] != "header"]
    wrong = []
    for _ in range(300):
        argv = [word for _ in range(draw.randint(1, 4)) for word in random_words(draw, flags)]
        if any(word.endswith("=--") for word in argv):
            continue
        wrong.append(differs(bin_dir, parser, argv))
    assert [one for one in wrong if one is not None] == []
