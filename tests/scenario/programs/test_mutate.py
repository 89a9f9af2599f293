"""The mutants of tools/mutate, their selection and the report; nothing is built or run here."""
import importlib.machinery
import importlib.util
import json

import pytest

pytestmark = pytest.mark.release_only  # nothing of ours runs in them

CODE = '''#include "a.h"
#define MOST (1 + \\
\t2)
/* if (a == 1) return; */
static int find(const struct list *list, int wanted) // a < b
{
	char name[64] = "a && b == \\"0\\"";
	const char *at = list->name + 1;

	assert(list != NULL && list->count > 0);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i] == wanted && name[0] != '<')
			return -1;
		else
			free(list->items[i]);
		list->sum += 7;
		take(list,
		     wanted);
		if (!more(list))
			break;
	}
	return use(at) - 1;
}
'''
EXPECTED = [
    ("arithmetic", "+", "-", 8), ("constant", "1", "0", 8), ("constant", "1", "2", 8),
    ("compare", "<", "<=", 11), ("compare", "<", ">=", 11), ("constant", "0", "1", 11),
    ("compare", "==", "!=", 12), ("logic", "&&", "||", 12), ("compare", "!=", "==", 12), ("constant", "0", "1", 12),
    ("negate", "list->items[i] == wanted && name[0] != '<'", "!(list->items[i] == wanted && name[0] != '<')", 12),
    ("constant", "1", "0", 13),
    ("drop", "free(list->items[i])", "(void)0", 15),
    ("arithmetic", "+=", "-=", 16), ("constant", "7", "8", 16), ("drop", "list->sum += 7", "(void)0", 16),
    ("drop", "take(list,\n\t\t     wanted)", "(void)0", 17),
    ("negate", "!more(list)", "!(!more(list))", 19),
    ("jump", "break", "continue", 20),
    ("return", "use(at) - 1", "((void)(use(at) - 1), 0)", 22), ("arithmetic", "-", "+", 22),
    ("constant", "1", "0", 22), ("constant", "1", "2", 22),
]


@pytest.fixture
def mutants(source_dir, monkeypatch):
    monkeypatch.syspath_prepend(str(source_dir / "tools"))
    return importlib.import_module("mutants")


@pytest.fixture
def mutate(source_dir, mutants):
    loader = importlib.machinery.SourceFileLoader("mutate", str(source_dir / "tools/mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(module)
    return module


def test_every_operator_changes_code_alone(mutants):
    found = [(one.operator, CODE[one.start:one.end], one.new, one.line) for one in mutants.mutants(CODE)]
    assert sorted(found) == sorted(EXPECTED)


def test_a_mutant_changes_its_place_alone(mutants):
    for one in mutants.mutants(CODE):
        text = mutants.apply(CODE, one)
        assert text != CODE and text.startswith(CODE[:one.start]) and text.endswith(CODE[one.end:])


def test_keys_follow_the_text_of_a_line(mutants):
    keys = [one.key for one in mutants.mutants(CODE)]
    assert len(set(keys)) == len(keys)
    moved = CODE.replace("static int", "static int count(void)\n{\n\treturn 12;\n}\n\nstatic int")
    assert set(keys) < {one.key for one in mutants.mutants(moved)}
    twice = "int f(void)\n{\n\ta(0);\n\ta(0);\n}\n"
    assert len({one.key for one in mutants.mutants(twice)}) == len(mutants.mutants(twice)) == 4


@pytest.mark.parametrize("code", ["int a;\n\tint *b = c;\n", "\tstruct a b = { .c = d };\n", "\tunsigned long x = y;\n\tauto_free char *z = w;\n"])
def test_declarations_are_not_dropped(mutants, code):
    assert [one for one in mutants.mutants("void f(void)\n{\n" + code + "}\n") if one.operator == "drop"] == []


@pytest.mark.parametrize(("code", "constants"), [
    ("\tchar name[64];\n", []), ("\tstatic const char *const words[][2] = {\n", []), ("\tuint64_t bits[MOST + 1][3];\n", []),
    ("\tname[2] = x;\n", ["3"]), ("\treturn name[2];\n", ["3"]), ("\tint ids[2] = { 7 };\n", ["8"]),
])
def test_sizes_of_arrays_are_kept(mutants, code, constants):
    assert [one.new for one in mutants.mutants("void f(void)\n{\n" + code + "}\n") if one.operator == "constant"] == constants


def test_a_draw_has_its_share_of_every_folder(mutate):
    assert mutate.shares({"a": 600, "b": 300, "c": 100}, 10) == {"a": 6, "b": 3, "c": 1}
    assert mutate.shares({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    drawn = mutate.draw(7, 30, "src/base")
    assert len(drawn) == 30 == len({mutate.result_key(*one) for one in drawn})
    assert all(name.startswith("src/base/") for name, _ in drawn)
    assert drawn == mutate.draw(7, 30, "src/base") != mutate.draw(8, 30, "src/base")
    assert set(mutate.draw(7, 20, "src/base")) < set(drawn)


def test_leaks_are_for_sanitizers(mutate, mutants):
    text = "void f(void)\n{\n\tfree(a);\n\tjson_decref(a);\n\tset(a);\n\tpl_buf_done(&a);\n}\n"
    assert [mutate.leaks(text, one) for one in mutants.mutants(text)] == [True, True, False, True]


def test_every_folder_has_scenarios_that_exist(mutate, source_dir):
    starts = {start.split("/")[0] for start in mutate.SCENARIOS if start.endswith("/")}
    assert starts == set(mutate.sources("src"))
    for start, files in mutate.SCENARIOS.items():
        folder, _, name = start.rpartition("/")
        assert any(path.name.startswith(name) for path in (source_dir / "src" / folder).iterdir()), start
        for file in files.split():
            assert (source_dir / "tests/scenario" / file).is_file(), file


def test_equivalent_mutants_have_a_reason(mutate, tmp_path, monkeypatch):
    monkeypatch.setattr(mutate, "EQUIVALENT", tmp_path / "list")
    assert mutate.known_equivalents() == {}
    (tmp_path / "list").write_text("# a comment\n\n@ src/a.c\n- x = 0;\n+ x = 1;\n= the next line sets it\n")
    assert mutate.known_equivalents() == {("src/a.c", "x = 0;", "x = 1;"): "the next line sets it"}
    (tmp_path / "list").write_text("@ src/a.c\n- x = 0;\n= the next line sets it\n")
    with pytest.raises(SystemExit, match="list:3: found - = @, expected"):
        mutate.known_equivalents()
    (tmp_path / "list").write_text("src/a.c\n")
    with pytest.raises(SystemExit, match="list:1: found 'src/a.c'"):
        mutate.known_equivalents()


def test_listed_equivalents_are_mutants_of_the_tree(mutate, mutants, source_dir):
    for name, old, new in mutate.known_equivalents():
        text = (source_dir / name).read_text()
        assert (old, new) in {mutate.lines_of(text, one) for one in mutants.mutants(text)}, f"{name}: {old}"


def test_the_report_counts_states_and_shows_survivors(mutate, tmp_path, monkeypatch, capsys):
    (tmp_path / "src/a").mkdir(parents=True)
    (tmp_path / "src/a/x.c").write_text(CODE)
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    drawn = mutate.draw(1, 10, "src")
    states = [("killed", "unit test_a_x"), ("killed", "scenario tests/scenario/a.py::test_b"), ("killed", "unit test_a_x (limit of time)"),
              ("survived", ""), ("equivalent", "the compiler makes the same object"), ("invalid", "unused variable"), ("survived", "")]
    rows = {mutate.result_key(*one): json.loads(json.dumps({"state": state, "by": by})) for one, (state, by) in zip(drawn, states)}
    known = (drawn[6][0], *mutate.lines_of(CODE, drawn[6][1]))
    mutate.report(drawn, rows, {known: "a reason"})
    shown = capsys.readouterr().out
    assert "| a | 10 | 7 | 3 | 2 | 1 | 1 | 0 | 2 | 1 | 75.0 % |" in shown
    old, new = mutate.lines_of(CODE, drawn[3][1])
    assert f"\nsrc/a/x.c:{drawn[3][1].line}: {drawn[3][1].operator}\n- {old}\n+ {new}\n" in shown
    assert shown.count("\n- ") == 1
