"""Command lines for both programs, and the synthetic data that they read."""
import json
import random

COMMON = ["--base-url", "http://127.0.0.1:PORT", "--request-id-prefix", "p-"]
NAMED = [*COMMON, "--model", "MODEL", "--served-model-name", "tiny"]
SHORT = ["--num-prompts", "6", "--random-input-len", "12", "--random-output-len", "5"]
SAVED = ["--save-result", "--save-detailed"]
ENDPOINTS = {"openai": "/v1/completions", "vllm": "/v1/completions",
             "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses"}
TEXTS = ["The tide comes in", "H\u00e9 \"x\"\\ \u2028\U0001f600\t/ done", "line one\nline two\r\n",
         "\u4f60\u597d\uff0c\u4e16\u754c", "a <|endoftext|> inside", " \u0001 control", "1 2 3 4 5 6 7 8"]


def backend(name):
    return ["--backend", name, "--endpoint", ENDPOINTS[name]]


def sentence(rng, words):
    return " ".join(rng.choice(("river", "stone", "of", "the", "caf\u00e9", "runs", "42", "under,"))
                    for _ in range(words))


def write_sharegpt(path):
    rng = random.Random(5)
    entries = [{"id": str(i), "conversations": [{"from": "human", "value": sentence(rng, 3 + 2 * i)},
                                                {"from": "gpt", "value": sentence(rng, 2 + 5 * (i % 7))},
                                                {"from": "human", "value": "and then"}]}
               for i in range(24)]
    odd = [{"id": "none", "conversations": []}, {"conversations": [{"from": "human", "value": "alone"}]},
           {"id": "short", "conversations": [{"from": "gpt", "value": "x"}, {"from": "gpt", "value": "y"}]},
           {"id": "long", "conversations": [{"from": "human", "value": sentence(rng, 1200)},
                                            {"from": "gpt", "value": sentence(rng, 30)}]},
           {"id": "long answer", "conversations": [{"from": "human", "value": sentence(rng, 900)},
                                                   {"from": "gpt", "value": sentence(rng, 1300)}]},
           *({"conversations": [{"from": "system", "value": text + " " + text, "more": None},
                                {"from": "gpt", "value": sentence(rng, 8)}]} for text in TEXTS)]
    path.write_text(json.dumps(entries[:9] + odd + entries[9:], ensure_ascii=False))


def write_custom(path):
    rng = random.Random(6)
    lines = [json.dumps({"prompt": text, "output_tokens": 3 + i, "other": i}, ensure_ascii=i % 2 == 0)
             for i, text in enumerate([*TEXTS, *(sentence(rng, 4 + i) for i in range(5))])]
    path.write_text("\n".join(lines) + "\n")


def write_burstgpt(path):
    rng = random.Random(7)
    rows = ["Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"]
    for i in range(30):
        sent, got = rng.randint(1, 40), rng.choice((0, 3, 7, 19))
        rows.append(f"{i * 3},{rng.choice(('GPT-4', 'ChatGPT'))},{sent},{got},{sent + got},API log")
    path.write_text("\n".join(rows) + "\n")


def write_spec_bench(path):
    rng = random.Random(8)
    rows = [{"question_id": i, "category": ("writing", "math", "qa")[i % 3],
             "turns": [sentence(rng, 5 + i), "second turn"]} for i in range(14)]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")


WRITERS = {"sharegpt": (write_sharegpt, "sharegpt.json"), "custom": (write_custom, "custom.jsonl"),
           "burstgpt": (write_burstgpt, "burstgpt.csv"), "spec_bench": (write_spec_bench, "spec.jsonl")}


def write_data(folder):
    for writer, name in WRITERS.values():
        writer(folder / name)


def dataset(name):
    """The data's folder is put in for DATA."""
    path = ["--dataset-path", "DATA/" + WRITERS[name][1]] if name in WRITERS else []
    return ["--dataset-name", name, *path]


PLAIN = ["--skip-chat-template"]
# no request has a number there: only one at a time comes in order
PREFIXES = ["--max-concurrency", "1", "--prefix-repetition-num-prefixes", "3",
            "--prefix-repetition-prefix-len", "9", "--prefix-repetition-suffix-len", "7",
            "--prefix-repetition-output-len", "4"]
DATASETS = {
    "random": [*dataset("random"), *SHORT],
    "random-ratio": [*dataset("random"), *SHORT, "--random-range-ratio", "0.4"],
    "random-ratios": [*dataset("random"), *SHORT, "--random-range-ratio",
                      '{"input": 0.3, "output": 0.6}', "--num-prompts", "20"],
    "random-prefix": [*dataset("random"), *SHORT, "--random-prefix-len", "11"],
    "random-prefix-ratio": [*dataset("random"), "--random-prefix-len", "5", "--random-range-ratio",
                            "0.9", "--num-prompts", "40", "--random-input-len", "30"],
    "random-lens": [*dataset("random"), "--input-len", "9", "--output-len", "3", "--num-prompts", "3"],
    "sharegpt": [*dataset("sharegpt"), "--num-prompts", "12"],
    "sharegpt-fixed": [*dataset("sharegpt"), "--num-prompts", "30", "--sharegpt-output-len", "6"],
    "sharegpt-more": [*dataset("sharegpt"), "--num-prompts", "50"],
    "sharegpt-no-more": [*dataset("sharegpt"), "--num-prompts", "50", "--no-oversample"],
    "sharegpt-order": [*dataset("sharegpt"), "--num-prompts", "9", "--disable-shuffle"],
    "custom": [*dataset("custom"), *PLAIN, "--num-prompts", "8", "--custom-output-len", "7"],
    "custom-own": [*dataset("custom"), *PLAIN, "--num-prompts", "12", "--custom-output-len", "-1"],
    "custom-more": [*dataset("custom"), *PLAIN, "--num-prompts", "20", "--output-len", "4"],
    "custom-order": [*dataset("custom"), *PLAIN, "--num-prompts", "5", "--disable-shuffle"],
    "custom-template": [*dataset("custom"), "--num-prompts", "8", "--custom-output-len", "7"],
    "prefix": [*dataset("prefix_repetition"), "--num-prompts", "7", *PREFIXES],
    "prefix-order": [*dataset("prefix_repetition"), "--num-prompts", "6", *PREFIXES, "--disable-shuffle"],
    "burstgpt": [*dataset("burstgpt"), "--num-prompts", "5"],
    "burstgpt-more": [*dataset("burstgpt"), "--num-prompts", "40"],
    "spec_bench": [*dataset("spec_bench"), "--num-prompts", "6", "--spec-bench-output-len", "5"],
    "spec_bench-category": [*dataset("spec_bench"), "--num-prompts", "9", "--spec-bench-category",
                            "math", "--output-len", "6"],
}
SAMPLING = ["--repetition-penalty", "1.1", "--presence-penalty=-0.5", "--frequency-penalty", "0.25",
            "--temperature", "0", "--min-p", "1e-07", "--top-k", "5", "--top-p", "0.95"]
EXTRA = '{"new": {"b": [1, 2.50, 1e3, true, null, "\u00e9", 1E-7, -0.0], "a": 1234567890123456789}, ' \
        '"temperature": 1, "max_tokens": 3, "ignore_eos": false, "model": "other", "top_p": 1e16}'
# what the requests hold; each with every back end
BODIES = {
    "sampling": [*SHORT, *SAMPLING, "--ignore-eos"],
    "extra": [*SHORT, "--temperature", "0.5", "--extra-body", EXTRA],
    "extra-dotted": [*SHORT, "--extra-body.temperature", "0.7", "--extra-body.stop+", "a,b",
                     "--extra-body.deep.er", "true", "--extra-body.n", "1"],
    "header": [*SHORT, "--header", " X-A =1", "B= two = 2 ", "X-A=3", "Authorization=Basic abc",
               "Content-Type=application/json; charset=utf-8", "x-request-id=mine", "Accept=text/event-stream"],
    "lora": [*SHORT, "--num-prompts", "12", "--lora-modules", "one", "two", "three"],
    "lora-turns": [*SHORT, "--lora-modules", "one", "two", "--lora-assignment", "round-robin"],
}
# [words, options of the server, environment]; by the completions' back end
RUNS = {
    "seed-7": [[*SHORT, "--seed", "7"], {}, {}],
    "seed-4294967295": [[*SHORT, "--seed", "4294967295"], {}, {}],
    "key": [[*SHORT, "--header", "A=b"], {}, {"OPENAI_API_KEY": "sk-key"}],
    "logprobs": [[*SHORT, "--logprobs", "2"], {}, {}],
    "metadata": [[*SHORT, "--metadata", "a=b", " tp = 2=3", "duration=1", "label=x"], {}, {}],
    "goodput": [[*SHORT, "--goodput", "ttft:20000", "tpot:30000", "e2el:40000"], {}, {}],
    "percentiles": [[*SHORT, "--percentile-metrics", "e2el,ttft,tpot,itl,none", "--metric-percentiles",
                     "0,25,50.0,99.9,100"], {}, {}],
    "queue": [[*SHORT, "--max-concurrency", "2", "--request-rate", "200", "--percentile-metrics",
               "client_queue_time,e2el_including_client_queue"], {}, {}],
    "queue-inf": [[*SHORT, "--max-concurrency", "2", "--percentile-metrics",
                   "client_queue_time,e2el_including_client_queue,e2el"], {}, {}],
    "spec": [[*SHORT], {"spec": True}, {}],
    "faults": [[*SHORT], {"faults": {"1": 500, "3": 503, "4": 429}}, {}],
    "phrase": [[*SHORT], {"faults": {"0": 400}, "reason": "Quite Bad, h\u00e9"}, {}],
    "no-phrase": [[*SHORT], {"faults": {"0": 400}, "reason": ""}, {}],
    "no-tokens": [[*SHORT], {"faults": {"2": "no_tokens"}}, {}],
    "all-fail": [[*SHORT, "--num-prompts", "12"], {"faults": {str(i): 503 for i in range(12)}}, {}],
    "one-token": [[*SHORT, "--percentile-metrics", "ttft,tpot,itl,e2el"], {"tokens": 1}, {}],
    "ready-warm": [[*SHORT, "--num-warmups", "3", "--ready-check-timeout-sec", "5"], {}, {}],
    "ramp-linear": [[*SHORT, "--ramp-up-strategy", "linear", "--ramp-up-start-rps", "2",
                     "--ramp-up-end-rps", "20"], {}, {}],
    "ramp-exponential": [[*SHORT, "--ramp-up-strategy", "exponential", "--ramp-up-start-rps", "2",
                          "--ramp-up-end-rps", "20", "--max-concurrency", "3"], {}, {}],
    "burst-inf": [[*SHORT, "--request-rate", "50", "--burstiness", "inf"], {}, {}],
    "headers-odd": [[*SHORT, "--header", "X-A=\u00e9\u4f60", "Empty=", "Cookie=a=b; c=d", "Host=other",
                     "Connection=close", "X-B==a=b=", "x-a=last", "User-Agent=me",
                     "Accept-Encoding=identity"], {}, {}],
    "headers-lower": [[*SHORT, *backend("openai-chat"), "--header", "content-type=text/x", "accept=a",
                       "user-agent=b", "accept-encoding=identity", "authorization=c"], {},
                      {"OPENAI_API_KEY": "k"}],
    "header-id": [[*SHORT, "--header", "X-Request-Id=mine", "Z=1"], {}, {"OPENAI_API_KEY": " a b "}],
    "numbers-odd": [[*SHORT, "--num-prompts", " 0_3 ", "--request-rate", "1e400", "--temperature",
                     "1e-7", "--top-p", "1", "--top-k", "+5", "--min-p", "0.30000000000000004",
                     "--frequency-penalty", "1_0", "--seed", "3", "--seed", "4"], {}, {}],
    "figures-odd": [[*SHORT, "--metric-percentiles", " 50 , 99.90,1e1,99,99,0.1,1e-05",
                     "--percentile-metrics", "ttft,ttft, tpot,e2el", "--goodput", "ttft:1e3", "ttft:5",
                     "e2el:inf", "--metadata", "a=", "=b", "date=x", "\u00e9=\u00e9", "a=2",
                     "mean_ttft_ms=x", "errors=y", "--request-rate", "1e16"], {}, {}],
    "floats": [[*SHORT, "--extra-body", '{"a": [1e22, 1e-5, 0.1, 100000000000000000000.0, 1.0, -0.0, '
                '5e-324, 123456789.123456789, 1e15, 1e16, 1E+2, -0, 1e-4, 12345678.9e-20]}'], {}, {}],
    "body-deep": [[*SHORT, "--extra-body.a.b.c", "x", "--extra-body.a.b.d", "1.50", "--extra-body.a.e+",
                   "1", "--extra-body.a.e+", "2,3", "--extra-body.l", "[1, 2]", "--extra-body.n", "null",
                   "--extra-body.s", "'q'"], {}, {}],
    "body-both": [[*SHORT, "--extra-body", '{"a": {"b": 1}}', "--extra-body.a.c", "2"], {}, {}],
    "names-odd": [[*SHORT, "--served-model-name", "\u00e9 \"x\"\\"], {}, {}],
    "names-empty": [[*SHORT, "--served-model-name", "", "--label", "", "--result-dir", ""], {}, {}],
    "path-odd": [[*SHORT, "--endpoint", "/a b/\u00e9{}/completions"], {}, {}],
    "long": [["--num-prompts", "3", "--random-prefix-len", "3000", "--random-input-len", "2",
              "--random-output-len", "200"], {"gap_ms": 0, "tokens": 200}, {}],
    "rate-1e3": [[*SHORT, "--request-rate", "1e3", "--burstiness", "2.50"], {}, {}],
}
# its prompts other than the measured ones differ
BESIDE_DIFFERS = ("ready-warm",)
RATE = [*SHORT, "--num-prompts", "20", "--request-rate"]
PLANS = {
    "poisson": [*RATE, "40"],
    "poisson-7": [*RATE, "33.3", "--seed", "7"],
    "burst-half": [*RATE, "40", "--burstiness", "0.5"],
    "burst-3": [*RATE, "40", "--burstiness", "3", "--seed", "4294967295"],
    "burst-inf": [*RATE, "40", "--burstiness", "inf"],
    "all-at-once": [*RATE, "inf"],
    "capped": [*RATE, "100", "--max-concurrency", "2"],
    "one": [*RATE, "5", "--num-prompts", "1"],
    "linear": [*SHORT, "--num-prompts", "20", "--ramp-up-strategy", "linear", "--ramp-up-start-rps",
               "5", "--ramp-up-end-rps", "50"],
    "exponential": [*SHORT, "--num-prompts", "20", "--ramp-up-strategy", "exponential",
                    "--ramp-up-start-rps", "10", "--ramp-up-end-rps", "100", "--burstiness", "2"],
    "level": [*SHORT, "--ramp-up-strategy", "linear", "--ramp-up-start-rps", "20",
              "--ramp-up-end-rps", "20", "--burstiness", "inf"],
    "prefix_repetition": [*dataset("prefix_repetition"), "--num-prompts", "9", *PREFIXES[2:],
                          "--request-rate", "50"],
    "sharegpt": [*dataset("sharegpt"), "--num-prompts", "14", "--request-rate", "50"],
    "burstgpt": [*dataset("burstgpt"), "--num-prompts", "14", "--request-rate", "50"],
    "spec_bench": [*dataset("spec_bench"), "--num-prompts", "14", "--output-len", "3",
                   "--request-rate", "50"],
    "lora": [*RATE, "50", "--lora-modules", "a", "b"],
}
# a dry run knows no tokenizer, so it cannot say when the first is due: the earlier random draws are unknown
PLAN_SHIFTED = ("prefix_repetition",)
# as they arrive, by the clock
ARRIVALS = {name: PLANS[name] for name in ("poisson", "burst-half", "linear", "exponential")}
# what is odd in each request's stream, and allowed
STREAMS = {
    "openai": ["merged", "null", "empty", "no_choice", "two_choices", "usage_each"],
    "openai-chat": ["merged", "null", "empty", "reasoning", "tool", "refusal", "finish_alone"],
    "openai-responses": ["merged", "reasoning", "incomplete"],
}
# how results are written: nothing of SAVED is put before these
FILES = {
    "none": [],
    "save": ["--save-result"],
    "detailed-alone": ["--save-detailed"],
    "append": ["--append-result"],
    "label": ["--save-result", "--label", "my run"],
    "dir": ["--save-result", "--result-dir", "deep/er", "--request-rate", "1000"],
    "name": ["--save-result", "--result-filename", "r.json"],
    "dir-name": ["--append-result", "--result-dir", "d", "--result-filename", "r.json"],
    "concurrency": ["--save-result", "--max-concurrency", "4", "--request-rate", "2000.5"],
    "ramp": ["--save-result", "--ramp-up-strategy", "linear", "--ramp-up-start-rps", "100",
             "--ramp-up-end-rps", "1000", "--max-concurrency", "2"],
}

RAMP = ["--ramp-up-strategy", "linear", "--ramp-up-start-rps"]
# what one takes the other takes, and we refuse before anything is sent
LINES = {
    "unknown": ["--nope"],
    "unknown-value": ["--backend", "nope"],
    "no-number": ["--num-prompts", "x"],
    "fraction": ["--top-k", "1.5"],
    "no-value": ["--model"],
    "no-words": ["--lora-modules"],
    "flag-with-value": ["--profile=1"],
    "two-meanings": ["--random", "3"],
    "beginning": ["--num-prom", "2"],
    "underscores": ["--num_prompts=2"],
    "dotted": ["--extra-body.a", "1"],
    "dotted-scalar": ["--num-prompts.a", "1"],
    "positional": ["more"],
    "seed-minus": ["--seed", "-1"],
    "seed-big": ["--seed", "4294967296"],
    "cap-0": ["--max-concurrency", "0"],
    "cap-minus": ["--max-concurrency", "-1"],
    "burst-0": ["--burstiness", "0"],
    "burst-minus": ["--burstiness=-1", "--request-rate", "100"],
    "rate-0": ["--request-rate", "0"],
    "rate-minus": ["--request-rate=-1"],
    "rate-word": ["--request-rate", "fast"],
    "ramp-rate": [*RAMP, "1", "--ramp-up-end-rps", "100", "--request-rate", "5"],
    "ramp-alone": ["--ramp-up-strategy", "linear"],
    "ramp-half": [*RAMP, "1"],
    "ramp-down": [*RAMP, "9", "--ramp-up-end-rps", "1"],
    "ramp-0": [*RAMP, "0", "--ramp-up-end-rps", "9"],
    "ramp-exponential-0": ["--ramp-up-strategy", "exponential", "--ramp-up-start-rps", "0",
                           "--ramp-up-end-rps", "9"],
    "ramp-minus": [*RAMP[:2], "--ramp-up-start-rps=-1", "--ramp-up-end-rps", "9"],
    "ramp-no-strategy": ["--ramp-up-start-rps", "1"],
    "header": ["--header", "novalue"],
    "header-none": ["--header"],
    "metadata": ["--metadata", "novalue", "--save-result"],
    "metadata-unsaved": ["--metadata", "novalue"],
    "goodput-form": ["--goodput", "ttft"],
    "goodput-name": ["--goodput", "itl:1"],
    "goodput-minus": ["--goodput", "ttft:-1"],
    "goodput-word": ["--goodput", "ttft:x"],
    "percentile-word": ["--metric-percentiles", "99,x"],
    "percentile-101": ["--metric-percentiles", "101"],
    "percentile-none": ["--metric-percentiles", ""],
    "metrics-unknown": ["--percentile-metrics", "nope"],
    "metrics-none": ["--percentile-metrics", ""],
    "body-broken": ["--extra-body", "{"],
    "body-list": ["--extra-body", "[1]"],
    "body-null": ["--extra-body", "null"],
    "body-number": ["--extra-body", "3"],
    "body-nan": ["--extra-body", '{"a": NaN}'],
    "body-twice": ["--extra-body", '{"a": 1, "a": 2}'],
    "body-big": ["--extra-body", '{"a": 12345678901234567890}'],
    "path-random": ["--dataset-path", "DATA/custom.jsonl"],
    "path-none": ["--dataset-name", "sharegpt"],
    "path-nowhere": ["--dataset-name", "custom", "--dataset-path", "DATA/nowhere.jsonl"],
    "path-form": ["--dataset-name", "custom", "--dataset-path", "DATA/sharegpt.json"],
    "ratio-1": ["--random-range-ratio", "1"],
    "ratio-minus": ["--random-range-ratio=-0.1"],
    "ratio-half": ["--random-range-ratio", '{"input": 0.1}'],
    "ratio-more": ["--random-range-ratio", '{"input": 0.1, "output": 0.2, "more": 1}'],
    "ratio-json": ["--random-range-ratio", "0.3"],
    "input-0": ["--random-input-len", "0"],
    "input-0-prefix": ["--random-input-len", "0", "--random-prefix-len", "4"],
    "output-0": ["--random-output-len", "0"],
    "prompts-0": ["--num-prompts", "0"],
    "prompts-minus": ["--num-prompts=-3"],
    "custom-0": [*dataset("custom"), *PLAIN, "--custom-output-len", "0"],
    "custom-prompts-0": [*dataset("custom"), *PLAIN, "--num-prompts", "0", "--output-len", "3"],
    "many-prefixes": ["--dataset-name", "prefix_repetition"],
    "self-timed": ["--self-timed"],
    "not-self-timed": ["--no-self-timed"],
    "assignment": ["--lora-assignment", "third"],
    "endpoint": ["--backend", "openai-chat", "--endpoint", "/v1/completions"],
    "endpoint-own": ["--endpoint", "/v1/chat/completions", "--backend", "openai-chat"],
    "logprobs-minus": ["--logprobs=-1"],
    "warmups-minus": ["--num-warmups=-1"],
    "thresholds": ["--timeline-itl-thresholds", "1"],
    "old": ["--endpoint-type", "openai"],
    "category": [*dataset("spec_bench"), "--spec-bench-category", "nothing", "--output-len", "3"],
}
