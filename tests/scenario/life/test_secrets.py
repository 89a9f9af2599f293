"""No output and no file contains a secret, whatever its name was."""
import hashlib
import json
import re

from run_tools import (base_config, load_result, read_zst_lines, run_profllm, start_profllm,
                       write_config)

SECRET = re.compile("SEC[A-Z]-[0-9a-f]{4}")
VARIABLES = {"AUTHORIZATION": "SECA-77aa", "MY_APIKEY": "SECB-77ab", "DB_PASSWD": "SECC-77ac",
             "OPENAI_KEY": "SECD-77ad", "HF_TOKENS": "SECE-77ae", "CLIENT_SECRET": "SECF-77af",
             "GIT_CREDENTIALS": "SECG-77b0", "MY_API_KEY": "SECH-77b1"}
PLAIN = {"TOKENIZERS_PARALLELISM": "false", "MAX_TOKENS_NOTE": "plain-1"}
# what is secret in it is the password of a URL
PROXY = {"http_proxy": "http://someone:SECM-77b6@127.0.0.1:1"}
LOADER = {"aws_secret_access_key": "SECI-77b2", "deep": {"apiKey": "SECJ-77b3"}, "plain": "yes"}


def config_with_secrets():
    config = base_config(extra_body={"api_key": "SECK-77b4", "user": "plain-2"})
    config["server"]["model_loader_extra_config"] = LOADER
    config["server"]["hf_token"] = "SECL-77b5"
    config["server"]["hf_overrides"] = {"mirror": "https://someone:SECN-77b7@mirror/x"}
    config["benchmark"]["metadata"] = ["mirror=https://someone:SECO-77b8@mirror"]
    config["launch"]["env"] = {**VARIABLES, **PLAIN, **PROXY}
    return config


def assert_hidden(*texts):
    for text in texts:
        assert not SECRET.search(text), SECRET.findall(text)


def shown_by(done):
    assert_hidden(done.stdout, done.stderr)
    return done.stdout


def test_reports_and_plans(bin_dir, tmp_path, patience):
    path = write_config(tmp_path, config_with_secrets())
    for args in (("validate", path), ("validate", "--json", path), ("validate", "--explain", path),
                 ("run", "-c", path, "--dry-run"), ("config", "to-command", path),
                 ("config", "to-command", "--oneline", path)):
        done = run_profllm(bin_dir, *args, patience=patience)
        assert done.returncode == 0, done.stderr
        shown_by(done)
    done = run_profllm(bin_dir, "run", "-c", path, "--dry-run", "--json", patience=patience)
    plan = json.loads(shown_by(done))
    for env in (plan["env"], plan["config"]["launch"]["env"]):
        assert {name: env[name] for name in VARIABLES} == dict.fromkeys(VARIABLES, "***")
        assert {name: env[name] for name in PLAIN} == PLAIN
        assert env["http_proxy"] == "http://someone:***@127.0.0.1:1"
    assert plan["config"]["server"]["hf_overrides"]["mirror"] == "https://someone:***@mirror/x"
    assert plan["config"]["benchmark"]["extra_body"] == {"api_key": "***", "user": "plain-2"}
    assert plan["config"]["server"]["model_loader_extra_config"]["plain"] == "yes"
    told = run_profllm(bin_dir, "config", "to-command", "--oneline", path, patience=patience)
    for name in VARIABLES:
        assert f"{name}='***'" in told.stdout
    assert "TOKENIZERS_PARALLELISM=false" in told.stdout


def test_words_passed_on(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["extra_args"] = ["--apikey", "SECA-1111", "--some-token=SECB-1111", "--seed",
                                      "7", "--mirror", "https://someone:SECD-1111@mirror", "--x", '{"api_key": "SECC-1111"}']
    path = write_config(tmp_path, config)
    for args in (("run", "-c", path, "--dry-run"), ("run", "-c", path, "--dry-run", "--json"),
                 ("config", "to-command", path), ("validate", "--json", path)):
        done = run_profllm(bin_dir, *args, patience=patience)
        assert done.returncode == 0, done.stderr
        shown = shown_by(done)
        assert args[0] == "validate" or ("--apikey" in shown and "--some-token=***" in shown)


def test_secrets_in_the_words_of_a_command_are_refused(bin_dir, tmp_path, patience):
    for place in ({"command": ["docker", "run", "-e", "HF_TOKEN=SECA-2222", "image"]},
                  {"command": ["bash", "-c", "DB_PASSWD='SECA-2222' exec vllm serve"]},
                  {"extra_args": ["--env=MY_APIKEY=SECA-2222"]},
                  {"container": {"image": "i", "args": ["-eHF_TOKEN=SECA-2222"]}}):
        path = write_config(tmp_path, {"server": {"model": "m"}, "launch": place})
        key = f"launch.{next(iter(place))}: found a secret, expected launch.env"
        for args in (("validate", path), ("config", "to-command", path),
                     ("run", "-c", path, "--dry-run")):
            done = run_profllm(bin_dir, *args, patience=patience)
            assert done.returncode == 2, args
            shown_by(done)
            assert key in done.stdout + done.stderr
    place = {"command": ["docker", "run", "-e", "HF_TOKEN", "image"]}
    path = write_config(tmp_path, {"server": {"model": "m"}, "launch": place})
    assert run_profllm(bin_dir, "validate", path, patience=patience).returncode == 0


def test_misspelt_commands(bin_dir, patience):
    loader = json.dumps(LOADER)
    for words in (["--apikey", "SECA-3333", "--api-kez", "SECB-3333"],
                  ["--api-key=a,", "SECA-3333", "--seed", "x"],
                  ["--hf-tokn", "SECA-3333", "--seed", "x"],
                  ["–-api-key", "SECA-3333"],
                  ["--model-loader-extra-config", loader, "--seed", "x"],
                  ["--model-loader-extra-config", loader[:-1], "--seed", "x"],
                  [f"--model-loader-extra-config={loader}", "--seed", "x"],
                  ["--model-loader-extra-config.token", "SECA-3333", "--seed", "x"]):
        for options in ([], ["--json"]):
            done = run_profllm(bin_dir, "validate", *options, "--", "vllm", "serve", "m", *words,
                               patience=patience)
            assert done.returncode == 2, words
            shown_by(done)


def test_a_run_keeps_none(bin_dir, tmp_path, patience):
    (tmp_path / "out").mkdir()
    path = write_config(tmp_path, config_with_secrets())
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "out" / "r.json", "--sim",
                       patience=patience)
    assert done.returncode == 0, done.stderr
    shown_by(done)
    kept = sorted(file for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert len(kept) >= 2
    for file in kept:
        if file.name.endswith(".server.log"):
            continue
        assert_hidden(json.dumps(read_zst_lines(file)) if file.suffix == ".zst"
                      else file.read_text(errors="replace"))
    result = json.loads((tmp_path / "out" / "r.json").read_text())
    launch = result["launch"]
    assert set(launch["secret_env"]) == {*VARIABLES, "HF_TOKEN"}
    assert all(launch["env"][name] == "***" for name in launch["secret_env"])
    assert all(launch["env"][name] == text for name, text in PLAIN.items())
    assert result["config"]["benchmark"]["extra_body"] == {"api_key": "***", "user": "plain-2"}
    loader = result["config"]["server"]["model_loader_extra_config"]
    assert loader["aws_secret_access_key"] == "***" and loader["plain"] == "yes"


def test_log_of_a_server_that_prints_its_arguments(bin_dir, tmp_path, patience):
    config = config_with_secrets()
    config["launch"]["command"] = ["sh", "-c", 'env; echo "tok $HF_TOKEN$HF_TOKEN."; exec "$@"', "x",
                                   str(bin_dir / "profllm-sim"), "serve"]
    config["benchmark"]["header"] = ["Authorization=Bearer SECQ-77ba", "X-Api-Key=SECR-77bb", "X-Team=serve"]
    # a shell word in pieces, so that the key is in no argument
    config["launch"]["command"][2] = 'k=SEC; echo "key ${k}Q-77ba ${k}R-77bb"; ' + config["launch"]["command"][2]
    path = write_config(tmp_path, config)
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "r.server.log").read_bytes()
    assert b"tok ******.\n" in log and b"MAX_TOKENS_NOTE=plain-1\n" in log
    assert b"key *** ***\n" in log
    result = (tmp_path / "r.json").read_text()
    assert_hidden(shown_by(done), log.decode(), result)
    told = [item for item in json.loads(result)["artifacts"] if item["kind"] == "server_log"]
    assert told[0]["size"] == len(log) and told[0]["sha256"] == hashlib.sha256(log).hexdigest()


def test_log_of_a_run_that_was_killed(bin_dir, tmp_path, patience):
    """Neither the journal nor the log has a secret after a kill."""
    config = config_with_secrets()
    config["benchmark"].update(num_prompts=4000, num_warmups=5)
    config["launch"]["command"] = ["sh", "-c", 'env; echo "tok $HF_TOKEN$HF_TOKEN."; exec "$@"', "x",
                                   str(bin_dir / "profllm-sim"), "serve"]
    output, path = tmp_path / "r.json", tmp_path / "r.json.journal"
    path.touch()
    path.chmod(0o644)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output,
                            env={"OUTER_TOKEN": "SECP-77b9"})
    next(line for line in process.stderr if "warm-ups" in line)
    process.kill()
    process.communicate(timeout=60 * patience)
    journal = path.read_bytes()
    assert b"sha256" in journal and path.stat().st_mode & 0o077 == 0
    assert_hidden(journal.decode(errors="replace"))
    left = tmp_path / "r.server.log"
    assert left.stat().st_mode & 0o077 == 0 and "OUTER_TOKEN=***\n" in left.read_text()
    assert_hidden(left.read_text())
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "r.server.log").read_bytes()
    assert b"tok ******.\n" in log and b"OUTER_TOKEN=***\n" in log
    assert b"MAX_TOKENS_NOTE=plain-1\n" in log
    assert_hidden(shown_by(done), log.decode(), output.read_text())
    told = [item for item in load_result(output)["artifacts"] if item["kind"] == "server_log"]
    assert told[0]["size"] == len(log) and told[0]["sha256"] == hashlib.sha256(log).hexdigest()
