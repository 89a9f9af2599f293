"""Forms of pasted commands: shell text, prompts, wrappers, manifests. Each kind is a table of texts."""
import json
import random
import re
import shutil
import subprocess

import pytest

MODEL = "org/m"


@pytest.fixture(scope="module")
def profllm(bin_dir):
    return bin_dir / "profllm"


@pytest.fixture(scope="module")
def words_driver(bin_dir):
    path = bin_dir.parent / "tests" / "words_driver"
    assert path.exists(), f"the build makes {path}"
    return path


def driven(driver, texts):
    """Returns the words of each text, by the splitter."""
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    run = subprocess.run([driver], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(texts)
    return answers


def validated(profllm, text, *options, name=None, tmp_path=None):
    """Returns the report of one text, or of a file with that name."""
    words = ["--command-file", "-"]
    if name is not None:
        path = tmp_path / name
        path.write_text(text)
        words = [str(path)]
    run = subprocess.run([profllm, "validate", "--json", *options, *words], input=text, capture_output=True, text=True)
    assert run.returncode in (0, 2), run.stderr
    return json.loads(run.stdout)["files"]


def errors_of(file):
    return [p for p in file["problems"] if p["severity"] == "error"]


def warnings_of(file):
    return [p for p in file["problems"] if p["severity"] != "error" and p["key"] != "server.model"]


def experiment(profllm, text, *options):
    """Returns the experiment file made from a text."""
    run = subprocess.run([profllm, "config", "from-command", "--command-file", "-", *options], input=text,
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


# ---------------------------------------------------------------- a shell's words

VALUES = ["''", "x", "'a b'", "' a  b '", "'--x 1 --y 2'", '"\ta\nb"', "a/b/c", "'  '", "'a,b'", '"$A c"', '"${B:-q} $C"', "$A$B"]
TESTS = ['[ -n "$A" ]', '[ -z "$B" ]', '[ "$C" = x ]', '[ "$C" != x ]', "[ 1 -eq 2 ]", "[ 3 -gt 2 ]", '! [ -n "$D" ]', 'test -n "$A"', "true",
         "false"]


def piece(rng, arrays):
    """Returns a part of a word."""
    name = rng.choice("ABCD")
    maybe = rng.choice("ABCDUV")
    choices = [
        lambda: rng.choice(["a", "--x", "b=c", "-", "1", "z", "4096"]),
        lambda: "'%s'" % rng.choice(["", " ", "p q", "$A", "\\", '"']),
        lambda: '"%s"' % rng.choice(["", " ", "p  q", "$A", "${B}x", "\\$A", "\\\\", "'", " $C "]),
        lambda: "$" + name,
        lambda: "${%s}" % name,
        lambda: "\\" + rng.choice(["$", "a", '"', "'", "\n"]),
        lambda: "${%s%s%s}" % (maybe, rng.choice([":-", "-", ":+", "+"]), rng.choice(["", "d", "d e", "'d e'", '"d e" f', "$A", " d", "d "])),
        lambda: '"${%s%s%s}"' % (maybe, rng.choice([":-", "-", ":+", "+"]), rng.choice(["", "d", "d e", "$B"])),
        lambda: "${#%s}" % name,
        lambda: "${%s%s%s}" % (name, rng.choice(["#", "##", "%", "%%"]), rng.choice(["*/", "a*", "?", "*", "x"])),
    ]
    if arrays:
        array = rng.choice("LME")
        choices += [
            lambda: '"${%s[@]}"' % array,
            lambda: "${%s[@]}" % array,
            lambda: '"${%s[*]}"' % array,
            lambda: rng.choice(["${%s[0]}", "$%s", "${#%s[@]}", '"${%s[1]}"']) % array,
        ]
    return rng.choice(choices)()


def word(rng, arrays):
    return "".join(piece(rng, arrays) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def condition(rng):
    test, one, two = rng.choice(TESTS), rng.choice("ABCD"), rng.choice("ABCD")
    return rng.choice([
        f"if {test}; then {one}=t; else {two}='e f'; fi",
        f"{test} && {one}=t",
        f"{test} || {one}=t",
        f'case $A in x|y) {one}=1;; a*) {two}=2;; *) {one}="3 4";; esac',
        f'if {test}; then\n show in\nelif [ -z "$D" ]; then\n {two}=el\nelse\n show no $B\nfi',
    ])


def snippet(rng, arrays):
    """Returns a random script that prints words computed from its own assignments."""
    lines = ["A= B= C= D="] + [f"{name}={rng.choice(VALUES)}" for name in "ABCD"]
    if rng.random() < 0.3:
        lines.append("%s=%s%s" % (rng.choice("ABCD"), rng.choice(["$A", "${B}", '"$C"']), rng.choice(["", "x", " #c"])))
    if not arrays and rng.random() < 0.2:
        lines.append("IFS=" + rng.choice(["','", "' ,'", "''", "'/'"]))
    if arrays:
        lines += ["%s=(%s)" % (name, " ".join(word(rng, False) for _ in range(rng.randrange(4)))) for name in "LM"] + ["E=()"]
        if rng.random() < 0.5:
            lines.append(f"L+=({word(rng, False)})")
        if rng.random() < 0.3:
            lines.append("A+=" + rng.choice(["x", "' y'", "$B"]))
    if rng.random() < 0.4:
        lines.append(condition(rng))
    for _ in range(rng.choice([1, 1, 2])):
        between = " " if rng.random() < 0.8 else " \\\n  "
        lines.append("show " + between.join(word(rng, arrays) for _ in range(rng.randrange(1, 5))) + rng.choice(["", " # c", ";"]))
    return "\n".join(lines) + "\n"


SHOW = 'set -f\nshow() { printf "<"; for a in "$@"; do printf "\\001%s" "$a"; done; printf ">\\002"; }\n'


def shown_by(shell, text):
    """Returns the words of each `show`, by a real shell; None: the shell refuses the text."""
    run = subprocess.run([shell, "-c", SHOW + text], capture_output=True, text=True)
    if run.returncode or run.stderr:
        return None
    return [part[1:-1].split("\x01")[1:] for part in run.stdout.split("\x02") if part.startswith("<")]


def shown_by_us(answer):
    commands = {}
    for one in answer["words"]:
        commands.setdefault(one["command"], []).append(one["text"])
    return [words[1:] for words in commands.values() if words[0] == "show"]


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_words_are_those_of_a_real_shell(words_driver, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    rng = random.Random(20)
    texts = [snippet(rng, shell == "bash") for _ in range(600)]
    compared = 0
    for text, answer in zip(texts, driven(words_driver, texts)):
        # a variable of the snippet that nothing assigns: the text does not say what it is
        if any(one["unknown"] for one in answer["words"]):
            continue
        expected = shown_by(shell, text)
        if expected is None:
            continue
        assert shown_by_us(answer) == expected, text
        compared += 1
    assert compared > 400


# text -> words of the last command
SPLIT = {
    # a value is split, an empty one vanishes, a quoted one stays
    'A="--x 1"; c $A': ["c", "--x", "1"],
    'A=; c $A "$A" y': ["c", "", "y"],
    "A='p q'; c \"$A\"": ["c", "p q"],
    "A=x; c pre$A.post": ["c", "prex.post"],
    # defaults and alternatives
    "c ${A:---x 4096}": ["c", "--x", "4096"],
    "c ${A-d} ${A:-'d e'}": ["c", "d", "d e"],
    "A=1; c ${A:+--on} ${A:?needed}": ["c", "--on", "1"],
    'A=org/m; c ${A##*/} ${A%/*} ${#A}': ["c", "m", "org", "5"],
    "B=2; c ${A:-${B}x}": ["c", "2x"],
    ": ${A:=7}; c $A": ["c", "7"],
    # arrays
    'A=(--x 1 "p q"); c "${A[@]}"': ["c", "--x", "1", "p q"],
    "A=(\n --x 1 # don't\n)\nA+=(--y)\nc \"${A[@]}\" ${#A[@]}": ["c", "--x", "1", "--y", "3"],
    'A=(); c "${A[@]}" z': ["c", "z"],
    "A=(a b); c ${A[1]} $A": ["c", "b", "a"],
    'set -- --x 1; c "$@" $#': ["c", "--x", "1", "2"],
    # assignments
    "export A=1 B=2\nc $A$B": ["c", "12"],
    "A=1 B=$A; c $B": ["c", "1"],
    "A=1; A=2 c $A": ["A=2", "c", "1"],
    "A=x; A+=y; c $A": ["c", "xy"],
    "declare -x A=1; c $A": ["c", "1"],
    "A=1; unset A; c ${A-gone}": ["c", "gone"],
    # conditions that the text decides
    'A=1; if [ -n "$A" ]; then c yes; else c no; fi': ["c", "yes"],
    'A=p; case $A in d) B=1;; p*) B=2;; esac; c $B': ["c", "2"],
    'A=4; [ "$A" -gt 2 ] && B=big; c $B': ["c", "big"],
    "for a in x y; do c $a; done": ["c", "x"],
    # cmd and PowerShell
    "set A=1\nc ^\n  --x ^\r\n  2": ["c", "--x", "2"],
    "$env:A = '1'\nc `\n  $env:A": ["c", "1"],
    # what browsers and text processors add
    "c\u00a0--x\u20031\u200b": ["c", "--x", "1"],
    "c “p q” ‘r’ «s»": ["c", "p q", "r", "s"],
    "c –flag —other −−third –x": ["c", "--flag", "--other", "--third", "-x"],
    "c --max‑len 4\r": ["c", "--max-len", "4"],
    "c it’s": ["c", "it’s"],
    # here-documents are not words
    "c x <<E y\nbody $A\nE": ["c", "x", "y"],
    "c x <<-'E'\n\tbody\n\tE\n": ["c", "x"],
}


def last_words(answer):
    last = max(one["command"] for one in answer["words"] if one["text"] not in ("fi", "done", "esac"))
    return [one["text"] for one in answer["words"] if one["command"] == last and one["text"] not in ("then", "do", "else")]


def test_splitting(words_driver):
    for (text, expected), answer in zip(SPLIT.items(), driven(words_driver, list(SPLIT))):
        assert last_words(answer) == expected, text
        assert answer["errors"] == 0, text


# text -> what a warning says of it; nothing is dropped silently
UNKNOWN = {
    "vllm serve org/m -tp $(nvidia-smi -L | wc -l)": "$(nvidia-smi -L | wc -l)",
    "vllm serve org/m -tp `nproc`": "`nproc`",
    "vllm serve org/m -tp $GPUS": "$GPUS",
    "TP=$(nproc)\nvllm serve org/m -tp $TP": "$(nproc)",
    "vllm serve org/m -tp ${GPUS/x/y}": "${GPUS/x/y}",
    "vllm serve org/m -tp ${GPUS:?}": "${GPUS:?}",
    "vllm serve org/m $EXTRA --port 9": "$EXTRA",
    'vllm serve org/m "$@"': "$@",
    'vllm serve org/m "${ARGS[@]}"': "${ARGS[@]}",
    "vllm serve org/m ${X:+--enforce-eager}": "not set",
    "if check; then TP=2; fi\nvllm serve org/m -tp $TP": "'if'",
    "for TP in 1 2; do vllm serve org/m -tp $TP; done": "'for'",
    "while true; do vllm serve org/m; done": "'while'",
    "vllm serve org/m --hf-overrides.a $X": "$X",
}


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown_values_are_named(profllm, text):
    (file,) = validated(profllm, text)
    assert errors_of(file) == [], text
    assert any(UNKNOWN[text] in p["found"] for p in warnings_of(file)), file["problems"]


def test_warnings_are_about_the_command_alone(profllm):
    text = "echo $(date) $USER > /dev/null\ncurl $URL\nvllm serve org/m --port 9\n"
    (file,) = validated(profllm, text)
    assert warnings_of(file) == []


# ---------------------------------------------------------------- prompts

PROMPTS = ["$ ", "% ", "# ", "> ", ">>> ", "❯ ", "user@host:~$ ", "root@4f1c:/workspace# ", "(venv) $ ", "(base) user@host:~/src$ ",
           "[user@node17 dir]$ ", "user@mac dir % ", "bash-5.1$ ", "sh-5.1# ", "PS C:\\Users\\me> ", "C:\\Users\\me>", "!", "  $ "]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_prompts(profllm, prompt):
    (file,) = validated(profllm, f"{prompt}vllm serve {MODEL} --max-model-ln 4\n")
    (error,) = errors_of(file)
    assert error["key"] == "--max-model-ln" and error["nearest"] == "--max-model-len"
    assert (error["line"], error["col"]) == (1, len(f"{prompt}vllm serve {MODEL} ".encode()) + 1)


def test_prompts_of_continued_lines(profllm):
    (file,) = validated(profllm, f"$ vllm serve {MODEL} \\\n> --port 9 \\\n> --max-model-ln 4\n")
    (error,) = errors_of(file)
    assert (error["line"], error["col"]) == (3, 3)


def test_a_comment_after_a_command_is_not_a_prompt(profllm):
    (file,) = validated(profllm, f"# vllm serve other/x --bad\nvllm serve {MODEL} --port 9\n")
    assert file["problems"] == [] or errors_of(file) == []


# ---------------------------------------------------------------- wrappers

# text with one misspelt argument -> its line and column
BAD = "--max-model-ln 4"
WRAPPED = [
    f"ssh gpu1 'cd /x && vllm serve {MODEL} {BAD}'",
    f"ssh -i key user@gpu1 vllm serve {MODEL} {BAD}",
    f'ssh -p 22 gpu1 "A=1 nohup vllm serve {MODEL} {BAD} &"',
    f"ssh gpu1 <<'EOF'\nvllm serve {MODEL} {BAD}\nEOF",
    f'tmux send-keys -t serve "vllm serve {MODEL} {BAD}" C-m',
    f"tmux new-session -d -s v 'source v/bin/activate; vllm serve {MODEL} {BAD}'",
    f"tmux new -d vllm serve {MODEL} {BAD}",
    f'tmux new-window -n v "bash -c \'vllm serve {MODEL} {BAD}\'"',
    f"screen -S v -X stuff 'vllm serve {MODEL} {BAD}\\n'",
    f"screen -dmS v bash -c 'vllm serve {MODEL} {BAD}'",
    f"screen -dmS v vllm serve {MODEL} {BAD}",
    f"screen -dm sh -c \"vllm serve {MODEL} {BAD}\"",
    f"kubectl exec -it pod -- vllm serve {MODEL} {BAD}",
    f"kubectl exec pod -c main -- bash -c 'vllm serve {MODEL} {BAD}'",
    f"kubectl run v --image=vllm/vllm-openai:v0.14.1 --restart=Never -- --model {MODEL} {BAD}",
    f"kubectl run v -n ns --image vllm/vllm-openai --command -- vllm serve {MODEL} {BAD}",
    f"srun -N 1 --gres=gpu:2 vllm serve {MODEL} {BAD}",
    f"srun --container-image=x.sqsh bash -c 'vllm serve {MODEL} {BAD}'",
    f'sbatch --gres=gpu:2 --wrap="vllm serve {MODEL} {BAD}"',
    f"sbatch <<EOF\n#!/bin/bash\n#SBATCH -N 1\nsrun vllm serve {MODEL} {BAD}\nEOF",
    f"#!/bin/bash\n#SBATCH -N 1\nmodule load cuda\nsrun vllm serve {MODEL} {BAD}\n",
    f"singularity run --nv --bind /data vllm-openai_v0.9.1.sif --model {MODEL} {BAD}",
    f"apptainer run --nv -B /data --env HF_HOME=/m,A=1 docker://vllm/vllm-openai:v0.9.1 --model {MODEL} {BAD}",
    f"apptainer exec --nv image.sif vllm serve {MODEL} {BAD}",
    f"singularity exec --nv image.sif bash -c 'vllm serve {MODEL} {BAD}'",
    f"docker run --gpus all vllm/vllm-openai:v0.14.1 --model {MODEL} {BAD}",
    f"podman run --rm -p 8000:8000 vllm/vllm-openai {MODEL} {BAD}",
    f"docker run --entrypoint bash vllm/vllm-openai -c 'vllm serve {MODEL} {BAD}'",
    f"docker exec -it c bash -lc 'vllm serve {MODEL} {BAD}'",
    f"nohup vllm serve {MODEL} {BAD} > log 2>&1 &",
    f"env -u A B=1 vllm serve {MODEL} {BAD}",
    f"numactl -N 0 -m 0 vllm serve {MODEL} {BAD}",
    f"taskset -c 0-7 vllm serve {MODEL} {BAD}",
    f"timeout 60 vllm serve {MODEL} {BAD}",
    f"sudo -E vllm serve {MODEL} {BAD}",
    f"bash -euo pipefail -c 'vllm serve {MODEL} {BAD}'",
    f"uv run --with vllm vllm serve {MODEL} {BAD}",
    f"uvx vllm serve {MODEL} {BAD}",
    f"python -m vllm.entrypoints.openai.api_server --model {MODEL} {BAD}",
    f"python3 -m vllm.entrypoints.api_server --model {MODEL} {BAD}",
    f"ray job submit --address http://h:8265 -- vllm serve {MODEL} {BAD}",
    f"ray symmetric-run --address h:6379 --min-nodes 2 -- vllm serve {MODEL} {BAD}",
    f"ray job submit --working-dir . -- bash -c 'vllm serve {MODEL} {BAD}'",
    f"CMD='vllm serve {MODEL} {BAD}'\neval $CMD",
    f'CMD="vllm serve {MODEL} {BAD}"\n$CMD',
    f"cat > run.sh <<'EOF'\nvllm serve {MODEL} {BAD}\nEOF\nbash run.sh",
    f"start() {{\n  vllm serve {MODEL} {BAD}\n}}\nstart",
    f"( cd x; vllm serve {MODEL} {BAD} )",
    f"su - user -c 'vllm serve {MODEL} {BAD}'",
    f"wsl -e vllm serve {MODEL} {BAD}",
    f'powershell -Command "vllm serve {MODEL} {BAD}"',
    f"systemd-run --unit v vllm serve {MODEL} {BAD}",
]


@pytest.mark.parametrize("text", WRAPPED)
def test_wrappers(profllm, text):
    """The server is found, and its fault is reported at its location in the pasted text."""
    (file,) = validated(profllm, text)
    (error,) = errors_of(file)
    assert error["key"] == "--max-model-ln"
    lines = text.split("\n")
    assert lines[error["line"] - 1][error["col"] - 1:].startswith(BAD), (error["line"], error["col"])


def test_wrappers_and_the_launch(profllm):
    """Words that only allocate a terminal are excluded; those that change how the server runs are included."""
    assert "command: [vllm, serve]" in experiment(profllm, f"tmux new -d 'vllm serve {MODEL} --port 9'")
    assert "command: [vllm, serve]" in experiment(profllm, f"python -m vllm.entrypoints.api_server --model {MODEL} --port 9")
    assert 'command: [apptainer, exec, "--nv", x.sif, vllm, serve]' in experiment(profllm, f"apptainer exec --nv x.sif vllm serve {MODEL} --port 9")
    made = experiment(profllm, f"singularity run --nv --env A=1 vllm_v0.9.1.sif --model {MODEL} --port 9")
    assert 'vllm_version: "0.9.1"' in made and 'A: "1"' in made and "command: [vllm, serve]" in made


def test_another_host_is_named(profllm):
    (file,) = validated(profllm, f"ssh gpu1 'vllm serve {MODEL} --port 9'")
    assert [p["found"] for p in warnings_of(file)] == ["ssh"]


# ---------------------------------------------------------------- places

PLACED = [
    f"ARGS=(\n  {BAD}\n  --port 9\n)\nvllm serve {MODEL} \"${{ARGS[@]}}\"",
    f'ARGS="--port 9 \\\n  {BAD}"\nvllm serve {MODEL} $ARGS',
    f"COMMON='--port 9'\nARGS=\"$COMMON {BAD}\"\nvllm serve {MODEL} ${{ARGS}}",
    f"vllm serve {MODEL} ${{EXTRA:-{BAD}}}",
    f"set -- --port 9 {BAD}\nvllm serve {MODEL} \"$@\"",
    f"ssh h \"bash -c 'vllm serve {MODEL} {BAD}'\"",
]


@pytest.mark.parametrize("text", PLACED)
def test_a_fault_is_placed_where_it_is_written(profllm, text):
    """A variable may carry the faulty word to the command."""
    (file,) = validated(profllm, text)
    (error,) = errors_of(file)
    assert text.split("\n")[error["line"] - 1][error["col"] - 1:].startswith("--max-model-ln"), (error["line"], error["col"])


# ---------------------------------------------------------------- files that start containers

IMAGE = "vllm/vllm-openai:v0.14.1"

COMPOSE = {
    "list": f"""services:
  vllm:
    image: {IMAGE}
    command: ["--model", "{MODEL}", "--max-model-ln", "4"]
  web:
    image: nginx
""",
    "block list": f"""services:
  vllm:
    image: {IMAGE}
    command:
      - --model
      - {MODEL}
      - --max-model-ln
      - "4"
""",
    "text": f"""services:
  vllm:
    image: {IMAGE}
    command: --model {MODEL} --max-model-ln 4
""",
    "folded text": f"""services:
  vllm:
    image: ${{IMAGE:-{IMAGE}}}
    command: >
      --model ${{MODEL:-{MODEL}}}
      --max-model-ln 4
""",
    "entrypoint": f"""x-common: &common
  image: {IMAGE}
services:
  vllm:
    <<: *common
    entrypoint: ["python3", "-m", "vllm.entrypoints.openai.api_server"]
    command: ["--model={MODEL}", "--max-model-ln=4"]
""",
    "shell": f"""services:
  vllm:
    image: {IMAGE}
    entrypoint: ["/bin/bash", "-c"]
    command:
      - |
        pip install x
        vllm serve {MODEL} \\
          --max-model-ln 4
""",
}

KUBERNETES = {
    "pod": f"""apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers:
  - name: vllm
    image: {IMAGE}
    args: ["--model", "{MODEL}", "--max-model-ln", "4"]
""",
    "deployment": f"""apiVersion: v1
kind: Service
metadata: {{name: s}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: llama
spec:
  template:
    spec:
      initContainers:
      - {{name: fetch, image: busybox, command: [sh, -c, "wget x"]}}
      containers:
      - name: vllm
        image: {IMAGE}
        command: ["vllm", "serve", "$(MODEL)"]
        args:
        - --max-model-ln
        - "4"
        env: [{{name: MODEL, value: {MODEL}}}]
""",
    "stateful set": f"""apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: s}}
spec:
  template:
    spec:
      containers:
      - name: vllm
        image: my/image:1
        command: ["/bin/sh", "-c"]
        args:
        - |
          export A=1
          exec vllm serve {MODEL} \\
            --max-model-ln 4
""",
    "job": f"""apiVersion: batch/v1
kind: Job
metadata: {{name: j}}
spec:
  template:
    spec:
      containers:
      - name: main
        image: {IMAGE}
        command: [bash, -c, "vllm serve {MODEL} --max-model-ln 4"]
""",
    "leader worker set": f"""apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: l}}
spec:
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
        - name: leader
          image: {IMAGE}
          args: [{MODEL}, --max-model-ln, "4"]
""",
    "part of a manifest": f"""containers:
- name: vllm
  image: {IMAGE}
  args: ["--model", "{MODEL}", "--max-model-ln", "4"]
""",
    "JSON": json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [
        {"name": "vllm", "image": IMAGE, "args": ["--model", MODEL, "--max-model-ln", "4"]}]}}),
    "folded script": f"""apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers:
  - name: vllm
    image: {IMAGE}
    command: [sh, -c]
    args:
    - >-
      vllm serve {MODEL}
      --max-model-ln 4
""",
}

CHARTS = {
    "modelservice, made": f"""modelArtifacts: {{uri: "hf://{MODEL}", name: "{MODEL}"}}
decode:
  containers:
  - name: vllm
    image: ghcr.io/llm-d/llm-d:v0.2.0
    modelCommand: vllmServe
    args:
    - "--max-model-ln"
    - "4"
""",
    "modelservice, custom": f"""modelArtifacts: {{uri: "pvc://claim/models/m"}}
prefill:
  parallelism: {{tensor: 2}}
  containers:
  - name: vllm
    image: ghcr.io/llm-d/llm-d:v0.2.0
    command: ["/bin/sh", "-c"]
    args: ["vllm serve {MODEL} -tp $TP_SIZE --max-model-ln 4"]
""",
    "modelservice, default of the image": f"""modelArtifacts: {{uri: "hf://{MODEL}"}}
decode:
  containers:
  - image: {IMAGE}
    modelCommand: imageDefault
    args: [--max-model-ln, "4"]
""",
    "production-stack, extra arguments": f"""servingEngineSpec:
  modelSpec:
  - name: llama
    repository: vllm/vllm-openai
    tag: v0.14.1
    modelURL: {MODEL}
    vllmConfig:
      maxModelLen: 4096
      extraArgs: ["--max-model-ln", "4"]
""",
    "chart of vLLM": f"""image:
  repository: vllm/vllm-openai
  tag: v0.14.1
  command: ["vllm", "serve", "{MODEL}", "--max-model-ln", "4"]
""",
}

LINES = {
    "Dockerfile": f"""FROM {IMAGE}
CMD ["--model", "{MODEL}", \\
     "--max-model-ln", "4"]
""",
    "Dockerfile.shell": f"""ARG TAG=v0.14.1
FROM vllm/vllm-openai:${{TAG}} AS base
FROM base
ENV MODEL={MODEL}
# the server
ENTRYPOINT []
CMD vllm serve $MODEL \\
    # a comment between
    --max-model-ln 4
""",
    "a.Dockerfile": f"""FROM ubuntu
ENTRYPOINT ["vllm", "serve"]
CMD ["{MODEL}", "--max-model-ln", "4"]
""",
    "Dockerfile.bash": f"""FROM ubuntu
ENTRYPOINT ["bash", "-c", "vllm serve {MODEL} --max-model-ln 4"]
""",
    "vllm.service": f"""[Service]
Environment=MODEL={MODEL} "A=b c"
ExecStart=/usr/bin/env vllm serve ${{MODEL}} \\
    --max-model-ln 4
""",
    "v.service": f"""[Unit]
Description=x

[Service]
ExecStart=-/opt/venv/bin/python -m vllm.entrypoints.openai.api_server --model {MODEL} --max-model-ln 4
""",
    "s.service": f"""[Service]
ExecStart=/bin/bash -lc 'source /v/bin/activate && vllm serve {MODEL} --max-model-ln 4'
""",
    "d.service": f"""[Service]
ExecStart=/usr/bin/docker run --rm --gpus all {IMAGE} --model {MODEL} --max-model-ln 4
""",
    "start.sh": f"#!/bin/bash\nvllm serve {MODEL} --max-model-ln 4\n",
}

FILES = ([("compose.yaml", COMPOSE[kind]) for kind in COMPOSE] + [("pod.yaml", KUBERNETES[kind]) for kind in KUBERNETES] +
         [("values.yaml", CHARTS[kind]) for kind in CHARTS] + list(LINES.items()))


@pytest.mark.parametrize(("name", "text"), FILES, ids=[*COMPOSE, *KUBERNETES, *CHARTS, *LINES])
def test_files_that_start_containers(profllm, tmp_path, name, text):
    """The one vLLM container is checked, and its fault is reported at its location in the file."""
    (file,) = validated(profllm, text, name=name, tmp_path=tmp_path)
    (error,) = errors_of(file)
    assert error["key"] == "--max-model-ln", error
    written = text.split("\n")[error["line"] - 1][error["col"] - 1:].lstrip("\"'")
    assert written.startswith("--max-model-ln"), (error["line"], error["col"])
    if "v0.14.1" in text:
        assert file["target"]["version"] == "0.14.1"
    # the same as pasted text
    if name != "start.sh":
        (pasted,) = validated(profllm, text)
        assert [p["key"] for p in errors_of(pasted)] == ["--max-model-ln"]


def test_keys_of_the_production_stack(profllm, tmp_path):
    text = f"""servingEngineSpec:
  modelSpec:
  - name: llama
    repository: vllm/vllm-openai
    tag: v0.14.1
    modelURL: {MODEL}
    requestGPU: 1
    enableTool: true
    toolCallParser: hermes
    env: [{{name: A, value: b}}]
    vllmConfig:
      enablePrefixCaching: false
      enableChunkedPrefill: true
      maxModelLen: 4096
      tensorParallelSize: 2
      gpuMemoryUtilisation: 0.9
"""
    (file,) = validated(profllm, text, name="values.yaml", tmp_path=tmp_path)
    (error,) = errors_of(file)
    assert error["nearest"] == "--gpu-memory-utilization" and (error["line"], error["col"]) == (16, 7)
    assert any("2 GPUs" in p["found"] and "at most 1" in p["expected"] and p["line"] == 15 for p in warnings_of(file))
    made = experiment(profllm, text.replace("      gpuMemoryUtilisation: 0.9\n", ""))
    for line in (f"model: {MODEL}", "enable_prefix_caching: false", "enable_chunked_prefill: true", "max_model_len: 4096",
                 "tensor_parallel_size: 2", "tool_call_parser: hermes", "enable_auto_tool_choice: true", "A: b",
                 'vllm_version: "0.14.1"'):
        assert line in made, line


TWO = f"""modelArtifacts: {{uri: "hf://{MODEL}"}}
decode:
  containers:
  - {{name: vllm, image: {IMAGE}, modelCommand: vllmServe, args: [--max-num-seqs, "8"]}}
prefill:
  containers:
  - {{name: vllm, image: {IMAGE}, modelCommand: vllmServe, args: [--max-num-seqs, "x"]}}
"""


def test_several_containers_are_each_reported(profllm, tmp_path):
    decode, prefill = validated(profllm, TWO, name="values.yaml", tmp_path=tmp_path)
    assert (decode["container"], decode["ok"]) == ("decode/vllm", True)
    assert (prefill["container"], prefill["ok"]) == ("prefill/vllm", False)
    path = tmp_path / "values.yaml"
    run = subprocess.run([profllm, "validate", path], capture_output=True, text=True)
    assert f"{path}:7: container 'prefill/vllm', image {IMAGE}, for vLLM 0.14.1: 1 error" in run.stdout


def test_a_chosen_container_becomes_an_experiment(profllm):
    made = experiment(profllm, TWO, "--container", "decode/vllm")
    assert "max_num_seqs: 8" in made and f"model: {MODEL}" in made and "command: [vllm, serve]" in made


@pytest.mark.parametrize(("options", "expected"), [
    ([], "several containers; use --container with one of decode/vllm, prefill/vllm"),
    (["--container", "other"], "--container: found 'other', expected one of decode/vllm, prefill/vllm"),
])
def test_a_container_must_be_chosen(profllm, options, expected):
    run = subprocess.run([profllm, "config", "from-command", "--command-file", "-", *options], input=TWO, capture_output=True, text=True)
    assert run.returncode == 2 and expected in run.stderr


@pytest.mark.parametrize(("text", "expected"), [
    ("services:\n  web: {image: nginx}\n", "a compose file without a container that runs vLLM"),
    ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: b, command: [ls]}]}\n",
     "a Kubernetes manifest without a container that runs vLLM"),
    ("FROM ubuntu\nCMD [\"ls\"]\n", "a Dockerfile without a container that runs vLLM"),
    ("apiVersion: v1\nkind: Pod\nspec:\n  {{- with .Values.x }}\n  a: {{ . }}\n  {{- end }}\n", "run 'helm template'"),
    ("services:\n  vllm: {image: [}\n", "did not find expected"),
])
def test_files_without_a_server_are_refused_by_kind(profllm, tmp_path, text, expected):
    (file,) = validated(profllm, text, name="x.yaml", tmp_path=tmp_path)
    assert not file["ok"]
    assert any(expected in (p["found"] or "") for p in file["problems"]), file["problems"]


def test_placeholders_are_named(profllm, tmp_path):
    text = f"""services:
  vllm:
    image: {IMAGE}
    command: ["--model", "{MODEL}", "--max-model-len", "${{LEN}}", "--port", "$PORT"]
"""
    (file,) = validated(profllm, text, name="compose.yaml", tmp_path=tmp_path)
    assert errors_of(file) == []
    assert any("${LEN}" in p["found"] for p in warnings_of(file))
    (tmp_path / ".env").write_text("LEN=4k # tokens\nexport PORT='99999'\n")
    (file,) = validated(profllm, text, name="compose.yaml", tmp_path=tmp_path)
    assert [p["key"] for p in errors_of(file)] == ["--port"]


def test_variables_of_a_pod(profllm, tmp_path):
    text = f"""containers:
- name: vllm
  image: {IMAGE}
  args: ["--model", "$(MODEL)", "--max-num-seqs", "$(COUNT)", "--served-model-name", "$$(MODEL)"]
  env:
  - {{name: MODEL, value: {MODEL}}}
  - {{name: COUNT, valueFrom: {{fieldRef: {{fieldPath: x}}}}}}
"""
    (file,) = validated(profllm, text, name="pod.yaml", tmp_path=tmp_path)
    assert errors_of(file) == []
    assert any("$(COUNT)" in p["found"] for p in warnings_of(file))
    made = experiment(profllm, text)
    assert f"model: {MODEL}" in made and 'served_model_name: ["$(MODEL)"]' in made and "max_num_seqs" not in made


def test_an_experiment_is_not_a_manifest(profllm, tmp_path):
    text = f"name: x\nserver:\n  model: {MODEL}\n  max_model_ln: 4\nlaunch: {{command: [vllm, serve]}}\n"
    (file,) = validated(profllm, text, name="exp.yaml", tmp_path=tmp_path)
    (error,) = errors_of(file)
    assert error["key"] == "server.max_model_ln"
