"""The view of a run on a terminal, as a person sees it: the screen after each change."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest
from dashboard_tools import Dashboard
from run_tools import PATIENCE, base_config, command, environment, load_result, run_profllm, write_config
from wait_tools import wait_for

BLOCKS = "▁▂▃▄▅▆▇█"


class Screen:
    """The lines of a terminal. It knows the few sequences that the view uses, and fails at any other."""

    def __init__(self, rows):
        self.rows = rows
        self.lines, self.row, self.column, self.rest = [""], 0, 0, ""

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        if cut := re.search(r"\x1b(\[[0-9;?]*)?$", text):
            text, self.rest = text[:cut.start()], cut.group()
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]", text, re.S):
            self.take(part)

    def take(self, part):
        if part == "\r":
            self.column = 0
        elif part == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append("")
        elif match := re.fullmatch(r"\x1b\[(\d+)A", part):
            # what has scrolled out of the screen cannot be reached
            assert int(match.group(1)) < self.rows, "the view is higher than the screen"
            self.row = max(self.row - int(match.group(1)), 0)
        elif part == "\x1b[K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif part == "\x1b[J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif re.fullmatch(r"\x1b\[\d*m", part):
            pass
        else:
            assert part.isprintable(), repr(part)
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + part + line[self.column + 1:]
            self.column += 1


class Terminal:
    """profllm with its standard error on a terminal of this size."""

    def __init__(self, bin_dir, tmp_path, *words, columns=80, rows=24, env=None, experiment=None, starter=()):
        self.ours, theirs = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(theirs)
        self.screen, self.raw, self.views = Screen(rows), "", []
        self.output = tmp_path / "r.json"
        path = write_config(tmp_path, experiment or base_config(num_prompts=80, request_rate=25))
        words = [*starter, *command(bin_dir, "run", "-c", path, "-o", self.output, "--overwrite", *words)]
        self.process = subprocess.Popen(words, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL,
                                        env=environment({"TERM": "xterm", "LANG": "C.UTF-8", **(env or {})}))
        self.theirs = theirs

    def resize(self, columns, rows):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, until=None):
        """Reads until the process has ended, or until a view for which `until` is true. Collects the views."""
        if self.theirs is not None:
            after = os.dup(self.theirs)
            os.close(self.theirs)
            self.theirs = None
            self.after = after
        os.set_blocking(self.ours, False)
        while True:
            try:
                text = os.read(self.ours, 65536).decode()
            except BlockingIOError:
                if self.process.poll() is not None:
                    return None
                try:
                    self.process.wait(0.01)
                except subprocess.TimeoutExpired:
                    pass
                continue
            self.raw += text
            self.screen.feed(text)
            lines = self.screen.lines
            start = next((i for i, line in enumerate(lines) if re.match("no verdict yet:|degraded:|client_limited:", line)), None)
            if start is not None:
                self.views.append(lines[start:])
                if until and until(self.views[-1]):
                    return self.views[-1]

    def close(self):
        assert termios.tcgetattr(self.after) == self.before
        os.close(self.after)
        os.close(self.ours)


@pytest.fixture
def terminal(bin_dir, tmp_path):
    opened = []

    def start(*words, **keys):
        opened.append(Terminal(bin_dir, tmp_path, *words, **keys))
        return opened[-1]

    yield start
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        one.close()


def labels(view):
    return [re.split("  +", line)[0] for line in view if any(block in line for block in BLOCKS)]


def test_the_verdict_comes_first_and_the_view_fits(terminal):
    one = terminal()
    one.read()
    assert one.process.returncode == 0
    view = next(view for view in reversed(one.views) if labels(view))
    assert re.match("(no verdict yet|degraded): .*passed", view[0])
    assert re.search(r"^\[#+-*\] \d+ %  \d+ of 80  about 0:\d\d remaining$", "\n".join(view), re.M)
    assert any(line.startswith("scenario   sim/test") for line in view) and any(line.startswith("rate   asked 25/s") for line in view)
    assert {"in flight", "running", "TTFT median ms"} <= set(labels(view)) and "GPU power W" not in labels(view)
    assert all(len(line) <= 80 for view in one.views for line in view)
    # the view is gone; the last line of the load stays
    assert any(re.match(r"\[#{12}\] 80/80 .*elapsed", line) for line in one.screen.lines)
    assert not any(line.startswith(("no verdict yet", "degraded:", "rate ")) for line in one.screen.lines)


def test_no_color(terminal):
    one = terminal(env={"NO_COLOR": "1"})
    one.read()
    assert one.views and not re.search(r"\x1b\[\d*m", one.raw)


def test_a_narrow_and_low_terminal_that_is_resized(terminal):
    one = terminal(columns=40, rows=9)
    view = one.read(lambda view: len(view) > 3)
    assert view and all(len(line) <= 40 for line in view) and len(view) <= 9
    one.resize(30, 6)
    view = one.read(lambda view: len(view) <= 6 and all(len(line) <= 30 for line in view))
    assert view
    one.read()
    assert one.process.returncode == 0


def test_no_unicode(terminal):
    one = terminal(env={"LANG": "C", "LC_ALL": "C"})
    one.read()
    assert one.views and one.raw.isascii() and any(line.startswith("in flight") for view in one.views for line in view)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_terminal_is_normal_whatever_ends_the_run(terminal, number):
    """The fixture compares the terminal's settings; no sequence changes a mode."""
    one = terminal(experiment=base_config(num_prompts=2000, request_rate=20))
    assert one.read(lambda view: len(view) > 5)
    one.process.send_signal(number)
    one.read()
    assert one.process.wait(30 * PATIENCE) in (128 + signal.SIGINT, -signal.SIGKILL)
    assert not re.search(r"\x1b\[\?", one.raw)


def test_a_stopped_terminal_stops_no_snapshot_and_a_warning_stays(bin_dir, terminal, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        one = terminal("--upload", dashboard.url, experiment=base_config(num_prompts=160, request_rate=20))
        assert one.read(lambda view: len(view) > 5)
        os.write(one.ours, b"\x13")
        run, = dashboard.get("/api/live").json["runs"]
        path = f"/api/live/{run['run_id']}"
        begun = dashboard.get(path).json["sequence"]
        wait_for(lambda: dashboard.get(path).json["sequence"] >= begun + 3, "the run reports")
        os.write(one.ours, b"\x11")
        assert dashboard.stop()[0] == 0
    one.read()
    assert one.process.returncode == 8 and load_result(one.output)["results"]["completed"] == 160  # not uploaded
    assert any("no live view" in line for line in one.screen.lines)


def test_a_run_in_the_background_draws_nothing_again(terminal):
    one = terminal(starter=("setsid", "--ctty", "bash", "-c", 'set -m; "$@" & wait $!', "bash"))
    one.read()
    assert one.process.returncode == 0
    assert not one.views and "\x1b" not in one.raw and re.search(r"^80/80 ", one.raw, re.M)


@pytest.mark.parametrize("words", ['set -m; "$@"; exit $?', '"$@"; exit $?'])
def test_a_run_that_timeout_ends_is_in_the_foreground(terminal, words):
    """timeout(1) makes a process group of its own. The script that waits for it has the terminal."""
    script = "set -m; bash -c \"$0\" bash timeout 60 \"$@\"; exit $?"
    one = terminal(starter=("setsid", "--ctty", "bash", "-c", script, words))
    one.read()
    assert one.process.returncode == 0 and any(labels(view) for view in one.views)


def keys(view):
    return next((line for line in view if line.startswith("keys ")), "")


def test_keys_show_the_log_and_all_reasons_and_close_the_view(terminal):
    slow = base_config(num_prompts=240, request_rate=20)
    one = terminal(starter=("setsid", "--ctty"), experiment=slow)
    assert one.read(lambda view: labels(view) and keys(view).startswith("keys   q close   l server log"))
    os.write(one.ours, b"l\n")
    view = one.read(lambda view: keys(view).startswith("keys   q close   l charts"))
    assert view and not labels(view) and any(re.match(r"log +\d+  \S", line) for line in view)
    os.write(one.ours, b"lv\n")
    assert one.read(lambda view: labels(view) and "v fewer reasons" in keys(view))
    # the view has its place: no line of it is left above
    assert len([line for line in one.screen.lines if line.startswith("rate ")]) == 1
    os.write(one.ours, b"q\n")
    one.read(lambda view: False)
    assert one.process.returncode == 0
    assert not any(line.startswith(("keys ", "rate ")) for line in one.screen.lines)
    assert any(re.match(r"240/240 ", line) for line in one.screen.lines)


def test_only_a_line_of_keys_is_one_and_the_lines_above_the_view_stay(terminal):
    one = terminal(starter=("setsid", "--ctty"), experiment=base_config(num_prompts=160, request_rate=20))
    # before the view, no key has a meaning
    os.write(one.ours, b"q\n" + b"\n" * 5)
    assert one.read(lambda view: keys(view))
    above = [line for line in one.screen.lines[:one.screen.lines.index(one.views[-1][0])] if line]
    os.write(one.ours, b"squeue -l\n")
    one.read()
    assert one.process.returncode == 0
    assert len([view for view in one.views if "l server log" in keys(view)]) > 5
    assert not any("l charts" in keys(view) for view in one.views)
    assert [line for line in one.screen.lines if line][:len(above)] == above


def test_quiet_and_a_terminal_without_redrawing(terminal):
    quiet = terminal("--quiet")
    quiet.read()
    assert not quiet.views and quiet.process.returncode == 0
    plain = terminal(env={"TERM": "dumb"})
    plain.read()
    assert not plain.views and "\x1b" not in plain.raw and "80/80" in plain.raw


def test_lines_where_no_terminal_is(bin_dir, tmp_path, patience):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config(num_prompts=120, request_rate=10)), "-o", tmp_path / "r.json",
                       patience=patience)
    lines = [line for line in done.stderr.splitlines() if re.match(r"\d+/120 ", line)]
    # one after 10 s, and the last
    assert len(lines) == 2 and lines[-1].startswith("120/120 ")
