"""Constraint rules compared with the specification: every field, every parsed form, and their meaning.

The meaning is computed a second time, from the specification's own parsed forms and defaults; only the driver program
calls the product.


"""
import json
import math
import os
import random
import subprocess

import pytest

SEED = 20260
ROUNDS = 2000 if os.environ.get("PROFLLM_TEST_LONG") else 60  # random assignments a rule
# the message and the notes are our own wording
SAME_NAME = ["id", "severity", "scope", "args", "when", "require", "when_ast", "require_ast", "since",
             "until", "reference", "reference_source"]
UNKNOWN = None


@pytest.fixture(scope="module")
def spec(test_data_dir):
    engine = json.loads((test_data_dir / "spec/0.33.0/engine-args.json").read_text())
    serve = json.loads((test_data_dir / "spec/0.33.0/serve-args.json").read_text())
    engine["all_args"] = {arg["name"]: arg for arg in
                          engine["args"] + serve["frontend_args"] + serve["newer_engine_args"]}
    return engine


@pytest.fixture(scope="module")
def driver(bin_dir):
    path = bin_dir.parent / "tests/expr_driver"
    assert path.exists(), f"no {path}: build the target expr_driver"

    def ask(questions):
        text = "".join(json.dumps(question) + "\n" for question in questions)
        done = subprocess.run([path], input=text, capture_output=True, text=True, check=False,
                              timeout=120, env={**os.environ, "LC_ALL": "C"})
        assert done.returncode == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(questions)
        return answers

    return ask


# ---- evaluation of an expression ----


def is_number(value):
    return isinstance(value, (int, float))


def equal(a, b):
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if is_number(a) and is_number(b):
        return a == b
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and every([equal(x, y) for x, y in zip(a, b)])
    return a == b


def every(truths):
    if any(truth is False for truth in truths):
        return False
    return UNKNOWN if any(truth is UNKNOWN for truth in truths) else True


def some(truths):
    if any(truth is True for truth in truths):
        return True
    return UNKNOWN if any(truth is UNKNOWN for truth in truths) else False


def negation(truth):
    return UNKNOWN if truth is UNKNOWN else not truth


def contains(item, values):
    if item is UNKNOWN or not isinstance(values, list):
        return UNKNOWN
    return some([equal(item, value) for value in values])


def ordered(sign, a, b):
    both_text = isinstance(a, str) and isinstance(b, str)
    if a is UNKNOWN or b is UNKNOWN or not (both_text or (is_number(a) and is_number(b))):
        return UNKNOWN
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]


def arithmetic(sign, a, b):
    if not (is_number(a) and is_number(b)) or (sign in "/%" and b == 0):
        return UNKNOWN
    value = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b,
             "%": lambda: a % b}[sign]()
    return value if math.isfinite(value) else UNKNOWN


class Subject:
    """Values, defaults of the specification, and facts."""

    def __init__(self, args, values, env):
        self.args, self.values, self.env = args, values, env

    def given(self, name, key=None):
        value = self.values.get(name)
        if key is None:
            return value
        return value.get(key) if isinstance(value, dict) else None

    def has(self, name, key=None):
        if key is None:
            return name in self.values
        return isinstance(self.values.get(name), dict) and key in self.values[name]

    def value(self, name, key=None):
        arg = self.args.get(name, {})
        if self.has(name, key):
            value = self.given(name, key)
            special = arg.get("special_values") or []
            # vLLM chooses: what it will be is not known
            chosen = key is None and "auto" in special and value in special
            return UNKNOWN if chosen else value
        if key is None:
            return arg.get("default")
        return arg.get("fields", {}).get(key, {}).get("default")

    def evaluate(self, ast):
        op, *rest = ast
        if op == "lit":
            return rest[0]
        if op in ("arg", "sub"):
            return self.value(*rest)
        if op == "env":
            return self.env.get(rest[0])
        if op in ("is_set", "any_set"):
            return any(self.given(*name[1:]) is not None for name in rest)
        if op in ("and", "or"):
            truths = [self.truth(operand) for operand in rest]
            return every(truths) if op == "and" else some(truths)
        if op == "not":
            return negation(self.truth(rest[0]))
        return self.pair(op, *[self.evaluate(operand) for operand in rest])

    @staticmethod
    def pair(op, a, b):
        if op == "==":
            return equal(a, b)
        if op == "!=":
            return negation(equal(a, b))
        if op in ("<", "<=", ">", ">="):
            return ordered(op, a, b)
        if op == "in":
            return contains(a, b)
        if op == "not in":
            return negation(contains(a, b))
        if op == "starts_with":
            both = isinstance(a, str) and isinstance(b, str)
            return a.startswith(b) if both else UNKNOWN
        return arithmetic(op, a, b)

    def truth(self, ast):
        value = self.evaluate(ast)
        return UNKNOWN if value is UNKNOWN else bool(value)


# Making assignments up.


def names_in(ast, found):
    """Collects the names and the literals that they are compared with."""
    if ast[0] in ("arg", "sub", "env"):
        found["names"].add(tuple(ast))
    elif ast[0] == "lit":
        found["literals"].extend(ast[1] if isinstance(ast[1], list) else [ast[1]])
    else:
        for operand in ast[1:]:
            names_in(operand, found)


def values_of(entry, literals):
    """Returns plausible values of one argument or key, and some of another kind."""
    numbers = [value for value in literals if is_number(value) and not isinstance(value, bool)]
    texts = [value for value in literals if isinstance(value, str)]
    kind = entry.get("type", "any")
    values = {
        "bool": [True, False],
        "int": [0, 1, 2, 3, 4, 8, 16, 48, 100000, -1] + numbers + [n + 1 for n in numbers],
        "float": [0, 0.25, 0.5, 1.5, 4.0, 1000.0],
        "int_or_human": [1, 8, 256, 2048, 32768, 10**12],
        "json": [{}, {"other": 1}],
        "list<int>": [[], [1, 2, 4]],
    }.get(kind, ["", "auto", "other"] + texts)
    if entry.get("choices"):
        values = values + entry["choices"][:8]
    return values + [None] + (entry.get("special_values") or []) + [0, "x", True, [1], []]


def likely(rng, values):
    """Returns values of mostly the right kind; the odd ones are last."""
    return values[int(len(values) * rng.random() ** 1.5)]


def assignment(rng, spec, found):
    values, env = {}, {}
    share = rng.choice([0.2, 0.5, 0.8])
    for kind, name, *key in sorted(found["names"]):
        if kind == "env":
            choices = {"gpus": [1, 2, 8, 64], "platform": ["cuda", "rocm", "cpu", "hpu", "xpu"],
                       "host_memory_gib": [1, 8, 64.5, 2048], "api_servers": [1, 4],
                       "model_is_multimodal": [True, False]}[name]
            env[name] = rng.choice(choices + [None])
            continue
        if rng.random() > share:
            continue
        arg = spec["all_args"].get(name, {})
        if not key:
            values.setdefault(name, likely(rng, values_of(arg, found["literals"])))
            continue
        if not isinstance(values.get(name), dict):
            values[name] = {}
        field = arg.get("fields", {}).get(key[0], {})
        values[name][key[0]] = likely(rng, values_of(field, found["literals"]))
    return values, env


# The tests.


def test_rows_equal_the_specification(spec, driver):
    rows = driver([{"rules": True}])[0]
    rules = spec["constraints"]
    assert [row["id"] for row in rows[:len(rules)]] == [rule["id"] for rule in rules]
    # rules that the specification lacks were read in vLLM's sources, and are at the end
    assert all(row["reference_source"] and row["scope"] == "engine" for row in rows[len(rules):])
    for row, rule in zip(rows, rules):
        for key in SAME_NAME:
            assert row[key] == rule[key], f"{rule['id']}: {key}"
        for key in ("note", "reference_note"):
            assert (row[key] is None) == (rule.get(key) is None), f"{rule['id']}: {key}"


def holds(rule, release):
    """Returns whether the rule applies to a release that was the reference."""
    def order(text):
        return [int(part) for part in text.split(".")]
    return (rule["since"] is None or order(rule["since"]) <= order(release)) and \
        (rule["until"] is None or order(release) < order(rule["until"]))


def test_the_former_reference_has_its_rules(test_data_dir, driver):
    """The rules of 0.32.0 still apply."""
    rows = {row["id"]: row for row in driver([{"rules": True}])[0]}
    former = json.loads((test_data_dir / "spec/engine-args.json").read_text())["constraints"]
    assert len(former) == 117
    for rule in former:
        row = rows[rule["id"]]
        assert holds(row, "0.32.0") == holds(rule, "0.32.0"), rule["id"]
        for key in ("severity", "scope", "args", "when_ast", "require_ast", "since"):
            assert row[key] == rule[key], f"{rule['id']}: {key}"


def test_every_text_parses_to_the_specified_form(spec, driver):
    texts, asts = [], []
    for rule in spec["constraints"]:
        for key in ("when", "require"):
            texts.append(rule[key])
            asts.append(rule[key + "_ast"])
    answers = driver([{"parse": text} for text in texts])
    for text, ast, answer in zip(texts, asts, answers):
        assert answer == {"ast": ast}, text


def test_names_of_the_benchmark_rules_are_options_of_their_command(spec):
    engine = set(spec["all_args"])
    for rule in spec["constraints"]:
        own = {arg["name"] for arg in spec.get(rule["scope"] + "_args", [])}
        assert set(rule["args"]) <= engine | own, rule["id"]


def test_evaluation_equals_a_second_one(spec, driver):
    rng = random.Random(SEED)
    questions, expected = [], []
    for rule in spec["constraints"]:
        found = {"names": set(), "literals": []}
        names_in(rule["when_ast"], found)
        names_in(rule["require_ast"], found)
        for _ in range(ROUNDS):
            values, env = assignment(rng, spec, found)
            subject = Subject(spec["all_args"], values, env)
            questions.append({"rule": rule["id"], "values": values, "env": env})
            expected.append({"when": subject.truth(rule["when_ast"]),
                             "require": subject.truth(rule["require_ast"])})
    assert len(questions) >= 2000
    answers = driver(questions)
    for question, want, answer in zip(questions, expected, answers):
        assert answer == want, question
    broken = {q["rule"] for q, a in zip(questions, answers)
              if a["when"] is True and a["require"] is False}
    held = {q["rule"] for q, a in zip(questions, answers)
            if a["when"] is not True or a["require"] is True}
    # the assignments are of use: nearly all rules are both broken and kept by some
    assert len(broken) >= 0.9 * len(spec["constraints"]) and len(held) >= 0.9 * len(spec["constraints"])
    assert {a["when"] for a in answers} == {True, False, None}
    assert {a["require"] for a in answers} == {True, False, None}


def test_nothing_known_breaks_nothing(spec, driver):
    facts = [{}, {"gpus": 8, "platform": "cuda"}]
    questions = [{"rule": rule["id"], "values": {}, "env": env}
                 for rule in spec["constraints"] for env in facts]
    for question, answer in zip(questions, driver(questions)):
        assert not (answer["when"] is True and answer["require"] is False), question


def random_expression(rng, depth):
    """Returns a text and its parsed form, with brackets where Python needs them or at random."""
    levels = [("or",), ("and",), ("not",), ("==", "!=", "<", "<=", ">", ">=", "in", "not in"),
              ("+", "-"), ("*", "/", "%")]

    def atom():
        return rng.choice([
            lambda n: (str(n), ["lit", n]),
            lambda n: (f"a{n}", ["arg", f"a{n}"]),
            lambda n: (f"a{n}.k", ["sub", f"a{n}", "k"]),
            lambda n: (f"env.e{n}", ["env", f"e{n}"]),
            lambda n: (f'["x", {n}, true, null]', ["lit", ["x", n, True, None]]),
            lambda n: ('"say \\"hi\\" \\\\"', ["lit", 'say "hi" \\']),
            lambda n: (f"is_set(a{n})", ["is_set", ["arg", f"a{n}"]]),
            lambda n: (f"any_set(a{n}, b.k)", ["any_set", ["arg", f"a{n}"], ["sub", "b", "k"]]),
            lambda n: ("-1.5", ["lit", -1.5]),
        ])(rng.randrange(100))

    def make(level, left):
        if left == 0 or level > 5:
            text, ast = atom() if left == 0 or rng.random() < 0.6 else make(0, left - 1)
            bracket = ast[0] in OPERATORS
            return (f"({text})" if bracket else text), ast
        if rng.random() < 0.4:
            return make(level + 1, left)
        op = rng.choice(levels[level])
        if op == "not":
            text, ast = make(2, left - 1) if rng.random() < 0.3 else make(3, left - 1)
            return f"not {text}", ["not", ast]
        tighter = [make(level + 1, left - 1) for _ in range(rng.choice([2, 2, 3]))]
        if level == 3:
            tighter = tighter[:2]
        text = f" {op} ".join(part for part, _ in tighter)
        asts = [ast for _, ast in tighter]
        if op in ("and", "or"):
            return text, [op, *asts]
        ast = asts[0]
        for other in asts[1:]:
            ast = [op, ast, other]
        return text, ast

    return make(0, depth)


OPERATORS = {"or", "and", "not", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "+", "-", "*", "/", "%"}


def test_random_expressions_bind_as_in_python(driver):
    rng = random.Random(SEED)
    pairs = [random_expression(rng, 4) for _ in range(800)]
    pairs = [(text, ast) for text, ast in pairs if len(text) < 2000]
    assert len(pairs) > 600
    for (text, ast), answer in zip(pairs, driver([{"parse": text} for text, _ in pairs])):
        assert answer == {"ast": ast}, text


def test_releases_compare_as_python_packages_do(driver):
    version = pytest.importorskip("packaging.version")
    texts = ["0.9", "0.9.0", "0.9.2", "v0.10.0", "0.10.1.1", "0.11.0", "0.11.1rc0", "0.11.1rc2", "0.11.1",
             "0.11.1rc2.dev5", "0.11.1.dev12+gabc1234", "0.11.1a1", "0.11.1b3", "0.11.1.post1", "0.11.1-post2",
             "0.32.0", "0.32.0+cu129", "0.32.1.dev4+g1.d20260101", "1.0", "1.0.0.0", "10.2", "0.32.0rc1+cpu"]
    pairs = [(a, b) for a in texts for b in texts]
    for (a, b), answer in zip(pairs, driver([{"versions": pair} for pair in pairs])):
        # how a release was built does not count
        x, y = (version.Version(version.Version(text).public) for text in (a, b))
        assert answer == (x > y) - (x < y), (a, b)
