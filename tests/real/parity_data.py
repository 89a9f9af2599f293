"""Files of data sets as people have them, odd ones too: (data set, text, options)."""
import json


def lines(*rows):
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def talk(*values, **more):
    return {"conversations": [{"from": "human", "value": value} for value in values], **more}


OWN = ["--custom-output-len", "-1"]
LONG = "words that go on for some time here"
A, B, C = {"prompt": "the first prompt"}, {"prompt": "a second one"}, {"prompt": "third of them"}
HEAD = "Timestamp,Model,Request tokens,Response tokens\n"
ODD = {
    "custom-blank": ("custom", lines(A, "", B, "   ", C), []),
    "custom-no-end": ("custom", lines(A, B) + json.dumps(C), []),
    "custom-crlf": ("custom", lines(A, B, C).replace("\n", "\r\n"), []),
    "custom-bom": ("custom", "\ufeff" + lines(A, B, C), []),
    "custom-separators": ("custom", lines('{"prompt": "one\u2028two\u0085three"}', B, C), []),
    "custom-missing": ("custom", lines(A, {"other": 1}, C), []),
    "custom-none": ("custom", lines({"other": 1}), []),
    "custom-null": ("custom", lines(A, {"prompt": None}, C), []),
    "custom-number": ("custom", lines(A, {"prompt": 5}, C), []),
    "custom-numeric": ("custom", lines({"prompt": "1"}, {"prompt": "22"}, {"prompt": "333"}), []),
    "custom-dates": ("custom", lines({"prompt": "2024-01-01"}, {"prompt": "2024-01-02"}), []),
    "custom-words": ("custom", lines({"prompt": "true"}, {"prompt": "false"}), []),
    "custom-list": ("custom", lines(A, {"prompt": ["x", "y"]}, C), []),
    "custom-empty": ("custom", lines(A, {"prompt": ""}, C), []),
    "custom-blanks": ("custom", lines({"prompt": "  lead and trail \n"}, {"prompt": "\t"}), []),
    "custom-twice": ("custom", lines('{"prompt": "x one", "prompt": "y two"}', B), []),
    "custom-pair": ("custom", lines('{"prompt": "x \\ud83d\\ude00 y"}', B), []),
    "custom-nul": ("custom", lines('{"prompt": "x \\u0000 y"}', B), []),
    "custom-array": ("custom", json.dumps([A, B, C]), []),
    "custom-indent": ("custom", json.dumps(A, indent=1), []),
    "own-float": ("custom", lines({**A, "output_tokens": 3.0}, {**B, "output_tokens": 4}), OWN),
    "own-fraction": ("custom", lines({**A, "output_tokens": 3.9}, {**B, "output_tokens": 4}), OWN),
    "own-text": ("custom", lines({**A, "output_tokens": "3"}, {**B, "output_tokens": "4"}), OWN),
    "own-null": ("custom", lines({**A, "output_tokens": 3}, {**B, "output_tokens": None}), OWN),
    "own-missing": ("custom", lines({**A, "output_tokens": 3}, B), OWN),
    "own-zero": ("custom", lines({**A, "output_tokens": 0}, {**B, "output_tokens": 2}), OWN),
    "sharegpt-number": ("sharegpt", json.dumps(
        [talk(LONG, LONG), {"conversations": [{"value": 5}, {"value": LONG}]}]), []),
    "sharegpt-missing": ("sharegpt", json.dumps([talk(LONG, LONG), {"id": 1}]), []),
    "sharegpt-lines": "vLLM reads one JSON document only",
    "sharegpt-null": ("sharegpt", json.dumps([talk(LONG, LONG), {"conversations": None}]), []),
    "sharegpt-no-value": ("sharegpt", json.dumps([talk(LONG, LONG), {"conversations": [{}, {}]}]), []),
    "sharegpt-too-short": ("sharegpt", json.dumps([talk("a", "b")]), []),
    "sharegpt-object": ("sharegpt", json.dumps({"a": talk(LONG, LONG)}), []),
    "sharegpt-lines": ("sharegpt", lines(talk(LONG, LONG)), []),
    "burstgpt-quoted": ("burstgpt", HEAD + '1,"GPT-4",5,6\n2,"GPT-4","7",8\n', []),
    "burstgpt-bom": ("burstgpt", "\ufeff" + HEAD.replace("Timestamp", '"Timestamp"') + "1,GPT-4,5,6\n", []),
    "burstgpt-float": ("burstgpt", HEAD + "1,GPT-4,5.0,6.0\n2,GPT-4,7,8\n", []),
    "burstgpt-blank": ("burstgpt", HEAD + "1,GPT-4,5,6\n\n2,GPT-4,7,8\n\n", []),
    "burstgpt-order": ("burstgpt", "Model,Timestamp,Response tokens,Request tokens\nGPT-4,1,5,6\n", []),
    "burstgpt-empty": ("burstgpt", HEAD + "1,GPT-4,,6\n2,GPT-4,7,8\n", []),
    "burstgpt-zero": ("burstgpt", HEAD + "1,GPT-4,0,6\n2,GPT-4,7,8\n", []),
    "burstgpt-none": ("burstgpt", HEAD + "1,ChatGPT,4,6\n", []),
    "burstgpt-crlf": ("burstgpt", HEAD.replace("\n", "\r\n") + "1,GPT-4,5,6\r\n2,GPT-4,7,8\r\n", []),
    "spec_bench-no-category": ("spec_bench", lines({"turns": ["one two"]},
                                                   {"turns": ["three"], "category": "x"}), []),
    "spec_bench-no-turn": ("spec_bench", lines({"turns": [], "category": "x"}), []),
}
# vLLM takes them, we refuse
REFUSED = {
    "custom-list": "a list of texts is one request of several prompts",
    "custom-twice": "a key that stands twice is a fault of the file",
    "own-zero": "a request for no tokens is refused by the server",
    "burstgpt-order": "vLLM takes the lengths by place and the rest by name",
}
# vLLM breaks on them
TAKEN = {
    "custom-numeric": "vLLM makes numbers of texts that look like them",
    "sharegpt-lines": "vLLM reads one JSON document only",
    "sharegpt-null": "an entry without turns is left out, whatever it holds",
}
# vLLM breaks on them with some releases of pandas
TAKEN_BY_SOME = {
    "custom-bom": "pandas 3.1.1 refuses a byte order mark",
}
EXTENSIONS = {"custom": ".jsonl", "sharegpt": ".json", "burstgpt": ".csv", "spec_bench": ".jsonl"}
