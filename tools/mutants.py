"""Mutants of a C file: small changes, each of which a test should notice.

mutants(text) returns one Mutant for each place where an operator applies. Comments, strings, character constants, preprocessor lines
and assert() calls are not changed. The key of a mutant is made of the text of its line, so it survives changes elsewhere in the file.

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
    start: int  # offsets of the text that it replaces
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
    """The text with all that is not code replaced by spaces (strings and character constants by quotes); offsets stay."""
    def blank(match):
        said = match.group()
        fill = said[0] if said[0] in "\"'" else " "
        return re.sub(r"[^\n]", fill, said)
    return HIDDEN.sub(blank, text)


def tokens(code):
    return [Token(match.group(), match.start(), match.end()) for match in TOKEN.finditer(code) if match.group()[0] not in "\"'"
            or code[match.start() - 1] not in "\"'"]


def closing(words, at):
    """The index of the bracket that closes the one at an index."""
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
    """The index of the semicolon that ends the statement; None where a block comes first."""
    i = at
    while i < len(words) and words[i].text != ";":
        if words[i].text in "{}":
            return None
        i = closing(words, i) + 1 if words[i].text in ("(", "[") else i + 1
    return i if i < len(words) else None


def is_operand(token):
    return token.text in ("]", ")") or (re.match(r"[\w\"'.]", token.text) and token.text not in WORDS)


def constants(said):
    match = INTEGER.match(said)
    if not match or (said[0] == "0" and said.isdigit() and len(said) > 1):
        return []
    value = int(match.group(1), 0)
    return [f"{new}{match.group(2)}" for new in ([1] if value == 0 else [0, 2] if value == 1 else [value + 1])]


def droppable(words, at, end):
    """A call for its effect, or an assignment that declares nothing."""
    depth = 0
    if words[at].text in WORDS | {"break", "continue", "default", "assert"} or not re.match(r"[A-Za-z_*(]", words[at].text):
        return False
    for i in range(at, end):
        said = words[i].text
        if said == "=" or (len(said) > 1 and said[-1] == "=" and said[:-1] in "+-*/%&|^<<>>" and said not in COMPARE):
            return depth == 0 and not (at < i - 1 and re.match(r"\w", words[i - 1].text) and re.match(r"[\w*]", words[i - 2].text)
                                       and words[i - 2].start > words[at].start - 1 and words[at].text != "*")
        if depth == 0 and i > at and re.match(r"[A-Za-z_]", said) and re.match(r"\w", words[i - 1].text):
            return False  # a declaration
        depth += (said in "([") - (said in ")]")
    # *p++; and such have no call
    return words[end - 1].text == ")" and re.match(r"[A-Za-z_]", words[at].text) is not None


def changes(code):
    """(operator, start, end, new) of all mutants."""
    words = tokens(code)
    asserted = 0
    depth = 0
    for i, word in enumerate(words):
        said, before = word.text, words[i - 1] if i else None
        after = words[i + 1] if i + 1 < len(words) else None
        depth += (said == "{") - (said == "}")
        if said == "assert" and after and after.text == "(":
            asserted = closing(words, i + 1)
        if i <= asserted and asserted:
            continue
        if said in COMPARE:
            yield from (("compare", word.start, word.end, new) for new in COMPARE[said])
        elif said in SWAPPED:
            yield (SWAPPED[said][0], word.start, word.end, SWAPPED[said][1])
        elif said in "+-" and before and is_operand(before):
            yield ("arithmetic", word.start, word.end, "-" if said == "+" else "+")
        elif said[0].isdigit():
            begin = code.rfind("\n", 0, word.start) + 1
            # the size of an array alone is not wrong in a way that anything notices
            sizes = DECLARED.match(code, begin)
            if not (sizes and not code[begin:].lstrip().startswith("return") and word.end < sizes.end()):
                # any negative value says the same: -1 becomes 0 only
                news = constants(said)[:1] if i > 1 and words[i - 2].text == "return" and before.text == "-" else constants(said)
                yield from (("constant", word.start, word.end, new) for new in news)
        elif said in ("if", "while") and after and after.text == "(":
            end = closing(words, i + 1)
            yield ("negate", after.end, words[end].start, f"!({code[after.end:words[end].start]})")
        elif said == "return" and (end := statement_end(words, i)) and end > i + 1:
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
