"""Mutants of a C file: small changes, each of which a test should notice.

mutants(text) returns one Mutant for each place where an operator applies. Comments, strings, character constants, preprocessor lines
and assert() calls are not changed. The key of a mutant contains the text of its line, so it survives changes elsewhere in the file.

    compare    == and != swapped; < and <=, > and >= swapped, or negated
    arithmetic + and -, += and -= swapped
    logic      && and || swapped
    negate     the condition of an if or a while negated
    constant   0 becomes 1, 1 becomes 0 or 2, N becomes N+1; true and false swapped
    drop       a call or an assignment removed
    return     an expression replaced by 0
    jump       break and continue swapped
"""
import hashlib
import re
from collections import Counter
from dataclasses import dataclass

HIDDEN = re.compile(r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:\\\n|[^\n])*""", re.S | re.M | re.X)
TOKEN = re.compile(r"""[A-Za-z_]\w* | \.?\d(?:[eEpP][+-]|[\w.])* | <<=|>>=|\.\.\. | ->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]= | \S""", re.X)
COMPARE = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
SWAPPED = {"&&": ("logic", "||"), "||": ("logic", "&&"), "+=": ("arithmetic", "-="), "-=": ("arithmetic", "+="),
           "true": ("constant", "false"), "false": ("constant", "true"), "break": ("jump", "continue"), "continue": ("jump", "break")}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
WORDS = {"return", "case", "sizeof", "else", "do", "goto", "if", "while", "for", "switch", "typedef", "static", "const", "struct", "enum"}
DECLARED = re.compile(r"\s*(?:[\w*]+\s+)+\**\w+(?:\[[^]]*\])+\s*[;=,]")  # "static char name[N];"


@dataclass(frozen=True)
class Mutant:
    operator: str
    start: int  # offsets of the replaced text
    end: int
    new: str
    line: int  # from 1
    key: str


@dataclass(frozen=True)
class Token:
    text: str
    start: int
    end: int


def hide(text):
    """Replaces all text except code by spaces (strings and character constants by quotes); offsets stay."""
    def blank(match):
        token = match.group()
        fill = token[0] if token[0] in "\"'" else " "
        return re.sub(r"[^\n]", fill, token)
    return HIDDEN.sub(blank, text)


def tokens(code):
    return [Token(match.group(), match.start(), match.end()) for match in TOKEN.finditer(code) if match.group()[0] not in "\"'"
            or code[match.start() - 1] not in "\"'"]


def closing(words, at):
    """Returns the index of the bracket that closes the one at an index."""
    depth = 0
    for i in range(at, len(words)):
        if words[i].text in "([{":
            depth += 1
        elif words[i].text in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(words) - 1


def statement_end(words, at):
    """Returns the index of the semicolon that ends the statement; None if a block comes first."""
    i = at
    while i < len(words) and words[i].text != ";":
        if words[i].text in "{}":
            return None
        i = closing(words, i) + 1 if words[i].text in ("(", "[") else i + 1
    return i if i < len(words) else None


def is_operand(token):
    return token.text in ("]", ")") or (re.match(r"[\w\"'.]", token.text) and token.text not in WORDS)


def constants(token):
    match = INTEGER.match(token)
    if not match or (token[0] == "0" and token.isdigit() and len(token) > 1):
        return []
    value = int(match.group(1), 0)
    return [f"{new}{match.group(2)}" for new in ([1] if value == 0 else [0, 2] if value == 1 else [value + 1])]


def droppable(words, at, end):
    """Returns whether it is a call for its effect, or an assignment without a declaration."""
    depth = 0
    if words[at].text in WORDS | {"break", "continue", "default", "assert"} or not re.match(r"[A-Za-z_*(]", words[at].text):
        return False
    for i in range(at, end):
        token = words[i].text
        if token == "=" or (len(token) > 1 and token[-1] == "=" and token[:-1] in "+-*/%&|^<<>>" and token not in COMPARE):
            return depth == 0 and not (at < i - 1 and re.match(r"\w", words[i - 1].text) and re.match(r"[\w*]", words[i - 2].text)
                                       and words[i - 2].start > words[at].start - 1 and words[at].text != "*")
        if depth == 0 and i > at and re.match(r"[A-Za-z_]", token) and re.match(r"\w", words[i - 1].text):
            return False  # a declaration
        depth += (token in "([") - (token in ")]")
    # *p++; and similar statements have no call
    return words[end - 1].text == ")" and re.match(r"[A-Za-z_]", words[at].text) is not None


def changes(code):
    """Yields (operator, start, end, new) of all mutants."""
    words = tokens(code)
    asserted = 0
    depth = 0
    for i, word in enumerate(words):
        token, before = word.text, words[i - 1] if i else None
        after = words[i + 1] if i + 1 < len(words) else None
        depth += (token == "{") - (token == "}")
        if token == "assert" and after and after.text == "(":
            asserted = closing(words, i + 1)
        if i <= asserted and asserted:
            continue
        if token in COMPARE:
            yield from (("compare", word.start, word.end, new) for new in COMPARE[token])
        elif token in SWAPPED:
            yield (SWAPPED[token][0], word.start, word.end, SWAPPED[token][1])
        elif token in "+-" and before and is_operand(before):
            yield ("arithmetic", word.start, word.end, "-" if token == "+" else "+")
        elif token[0].isdigit():
            begin = code.rfind("\n", 0, word.start) + 1
            # no test can notice another size of an array
            sizes = DECLARED.match(code, begin)
            if not (sizes and not code[begin:].lstrip().startswith("return") and word.end < sizes.end()):
                # all negative values mean the same: -1 becomes 0 only
                news = constants(token)[:1] if i > 1 and words[i - 2].text == "return" and before.text == "-" else constants(token)
                yield from (("constant", word.start, word.end, new) for new in news)
        elif token in ("if", "while") and after and after.text == "(":
            end = closing(words, i + 1)
            yield ("negate", after.end, words[end].start, f"!({code[after.end:words[end].start]})")
        elif token == "return" and (end := statement_end(words, i)) and end > i + 1:
            if not (re.fullmatch(r"-?\w+", code[after.start:words[end].start]) and re.fullmatch(r"-?(\d\w*|true|false|NULL)",
                                                                                                code[after.start:words[end].start])):
                yield ("return", after.start, words[end].start, f"((void)({code[after.start:words[end].start]}), 0)")
        starts = depth > 0 and before and (before.text in (";", "{", "}", "else", ":") or before.text == ")") \
            and code[code.rfind("\n", 0, word.start) + 1:word.start].isspace()
        if starts and (end := statement_end(words, i)) and droppable(words, i, end):
            yield ("drop", word.start, words[end].start, "(void)0")


def mutants(text):
    code = hide(text)
    seen = Counter()
    found = []
    for operator, start, end, new in changes(code):
        # strings inside are those of the text
        old = text[start:end]
        if operator in ("negate", "return"):
            new = f"!({old})" if operator == "negate" else f"((void)({old}), 0)"
        begin = text.rfind("\n", 0, start) + 1
        line = text[begin:text.find("\n", start)].strip()
        name = f"{line}\0{operator}\0{old}\0{new}"
        seen[name] += 1
        key = hashlib.sha256(f"{name}\0{seen[name]}".encode()).hexdigest()[:16]
        found.append(Mutant(operator, start, end, new, text.count("\n", 0, start) + 1, key))
    return found


def apply(text, mutant):
    return text[:mutant.start] + mutant.new + text[mutant.end:]
