"""A switch keeps its meaning in every spelling, from a file, a pasted line and an overlay."""
import json
import re

import pytest
from run_tools import run_profllm, write_config


def inverse(flag):
    for prefix, other in (("--enable-", "--disable-"), ("--disable-", "--enable-")):
        if flag.startswith(prefix):
            return other + flag.removeprefix(prefix)
    return None


def toggles(bin_dir):
    done = run_profllm(bin_dir, "params", "--json")
    return [entry for entry in json.loads(done.stdout)
            if entry["in_reference"] and entry["cli_style"] == "toggle"
            and inverse(entry["flag"])]


def help_of(entries):
    """Writes the help of a release that shows one negative and hides --no-x."""
    lines = ["options:"]
    for entry in entries:
        names = [entry["flag"], *entry["aliases"], inverse(entry["flag"])]
        default = {True: "True", False: "False", None: "None"}[entry["default"]]
        lines += [f"  {', '.join(names)}", f"                        Text. (default: {default})"]
    return "\n".join(lines) + "\n"


def make_overlay(bin_dir, folder, text):
    path = folder / "help.txt"
    path.write_text(text)
    overlay = folder / "overlay.json"
    done = run_profllm(bin_dir, "params", "--from-vllm", f"cat '{path}'", "--params-overlay",
                       overlay)
    return done, overlay


def whole_help(bin_dir):
    """Returns the other arguments of the reference, so that none is removed."""
    entries = json.loads(run_profllm(bin_dir, "params", "--json").stdout)
    shown = toggles(bin_dir)
    names = {entry["name"] for entry in shown}
    lines = []
    for entry in entries:
        if entry["in_reference"] and entry["name"] not in names:
            flag = entry["flag"]
            if entry["cli_style"] == "toggle":
                lines.append(f"  {flag}, --no-{flag[2:]}")
            elif entry["cli_style"] == "flag":
                lines.append(f"  {flag}")
            else:
                lines.append(f"  {flag} X")
            lines.append("                        Text.")
    return help_of(shown) + "\n".join(lines) + "\n"


@pytest.fixture(scope="module", params=["overlay", "table"])
def overlay(bin_dir, tmp_path_factory, request):
    """Returns options that select an overlay of that help, or none for the plain table."""
    if request.param == "table":
        return []
    done, path = make_overlay(bin_dir, tmp_path_factory.mktemp("senses"), whole_help(bin_dir))
    assert done.returncode == 0, done.stderr
    return ["--params-overlay", path]


def is_off(entry, words):
    """Returns whether a command line switches it off in any spelling; None: it sets nothing, or both."""
    negatives = {"--no-" + entry["flag"][2:], inverse(entry["flag"])} & set(words)
    return bool(negatives) if bool(negatives) != (entry["flag"] in words) else None


def argv_of(bin_dir, folder, server, *args):
    path = write_config(folder, {"server": {"model": "m", **server},
                                 "launch": {"command": ["vllm", "serve"], "gpus": []}})
    done = run_profllm(bin_dir, "run", "--config", path, "--dry-run", "--force", "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["argv"]


def server_of(bin_dir, words, *options):
    done = run_profllm(bin_dir, "config", "from-command", *options, "--",
                       "vllm", "serve", "m", *words)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^  (\w+): (true|false)$", done.stdout, re.M)
    return {name: value == "true" for name, value in found}


def test_a_file_keeps_the_sense(bin_dir, tmp_path, overlay):
    entries = toggles(bin_dir)
    assert len(entries) == 50
    off = argv_of(bin_dir, tmp_path, {entry["name"]: False for entry in entries}, *overlay)
    on = argv_of(bin_dir, tmp_path, {entry["name"]: True for entry in entries}, *overlay)
    for entry in entries:
        assert is_off(entry, off) is True and is_off(entry, on) is False, entry["name"]


def test_a_file_takes_every_negative_spelling(bin_dir, tmp_path, overlay):
    entries = toggles(bin_dir)
    for spell in (lambda flag: inverse(flag)[2:].replace("-", "_"), lambda flag: inverse(flag)[2:],
                  lambda flag: "no_" + flag[2:].replace("-", "_")):
        for value in (True, False):
            words = argv_of(bin_dir, tmp_path,
                            {spell(entry["flag"]): value for entry in entries}, *overlay)
            for entry in entries:
                assert is_off(entry, words) is value, entry["name"]


def test_a_pasted_line_takes_every_spelling(bin_dir, overlay):
    entries = toggles(bin_dir)
    for value, spell in ((True, lambda flag: flag), (False, inverse),
                         (False, lambda flag: "--no-" + flag[2:]),
                         (False, lambda flag: inverse(flag).replace("-", "_").replace("__", "--"))):
        server = server_of(bin_dir, [spell(entry["flag"]) for entry in entries], *overlay)
        assert server == {entry["name"]: value for entry in entries}


def test_the_help_of_a_release_with_two_negatives(bin_dir, tmp_path, test_data_dir):
    text = (test_data_dir / "data/real/vllm-serve-help-all-0.33.0.txt").read_text()
    pairs = re.findall(r"^  (--(?:enable|disable)-[\w-]+), (?:-\w+, )?(--(?:enable|disable)-[\w-]+)",
                       text, re.M)
    assert len(pairs) == 50
    done, overlay = make_overlay(bin_dir, tmp_path, text)
    assert done.returncode == 0, done.stderr
    aliases = [alias for entry in json.loads(overlay.read_text())["args"]
               for alias in entry.get("aliases", [])]
    assert not {negative for _, negative in pairs} & set(aliases)
    for column, value in ((0, True), (1, False)):
        server = server_of(bin_dir, [pair[column] for pair in pairs],
                           "--params-overlay", overlay)
        assert server == {flag[2:].replace("-", "_"): value for flag, _ in pairs}


@pytest.mark.parametrize("flags, default, says", [
    ("--enable-thing, --suppress-thing", "False", "found '--suppress-thing', which may switch "
                                                  "'--enable-thing' on or off"),
    ("--thing, -t, --thing-off", "False", "found '--thing-off'"),
    ("--brand-new", "True", "found '--brand-new', a switch that is on and cannot be turned off"),
])
def test_an_undecided_switch_makes_no_overlay(bin_dir, tmp_path, flags, default, says):
    text = f"options:\n  --port PORT  Text.\n  {flags}\n       Text. (default: {default})\n"
    done, overlay = make_overlay(bin_dir, tmp_path, text)
    assert done.returncode == 2
    assert says in done.stderr and "line 3" in done.stderr
    assert not overlay.exists()
    shown = run_profllm(bin_dir, "params", "--from-vllm", f"cat '{tmp_path / 'help.txt'}'")
    assert shown.returncode == 0 and "unclear  --" in shown.stdout


@pytest.mark.parametrize("entry, says", [
    ({"name": "enable_prefix_caching", "aliases": ["--disable-prefix-caching"]},
     "found '--disable-prefix-caching', the opposite of '--enable-prefix-caching'"),
    ({"name": "disable_custom_all_reduce", "aliases": ["--enable_custom_all_reduce"]},
     "found '--enable_custom_all_reduce', the opposite of"),
    ({"name": "enforce_eager", "negative_flag": "--enable-enforce-eager"},
     "found '--enable-enforce-eager', which means the same as '--enforce-eager'"),
    ({"name": "enforce_eager", "aliases": ["--graphs"]}, "found '--graphs', which may switch"),
])
def test_an_overlay_that_turns_a_switch_round_is_refused(bin_dir, tmp_path, entry, says):
    overlay = tmp_path / "o.json"
    overlay.write_text(json.dumps({"profllm_overlay": 1, "made_from": "vllm serve --help=all",
                                   "args": [{"name": "port", "default": 1}, entry]}, indent=1))
    flag = (entry.get("aliases") or [entry.get("negative_flag")])[0]
    line = next(i for i, text in enumerate(overlay.read_text().splitlines(), 1) if flag in text)
    path = write_config(tmp_path, {"server": {"model": "m"}})
    done = run_profllm(bin_dir, "validate", path, "--params-overlay", overlay)
    assert done.returncode == 2
    assert says in done.stderr
    assert f"o.json': line {line}: argument '{entry['name']}'" in done.stderr
