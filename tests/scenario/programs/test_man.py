"""Manual pages are generated from the rows of --help."""
import re
import subprocess

from host_tools import need
from run_tools import run_profllm


def commands_of(bin_dir, patience):
    listing = run_profllm(bin_dir, "--help", patience=patience).stdout
    return [line.split()[0] for line in listing.split("Commands:\n")[1].split("\n\n")[0].splitlines()]


# commands that are words of another one, with options of their own
PARTS = ["sweep serve", "sweep serve_workload", "sweep serve_sla", "sweep startup"]


def test_every_option_is_on_its_page(bin_dir, patience):
    for name in commands_of(bin_dir, patience) + PARTS:
        page = run_profllm(bin_dir, "help", "--man", name.replace(" ", "-"), patience=patience)
        assert page.returncode == 0 and page.stdout.startswith(".TH profllm"), page.stderr
        text = run_profllm(bin_dir, *name.split(), "--help", patience=patience).stdout
        if name in PARTS:
            assert page.stdout.startswith(f".TH profllm-{name.replace(' ', '-')} 1 ") and "--experiment-name" in text
            assert run_profllm(bin_dir, "help", *name.split(), patience=patience).stdout == text
        for option in re.findall(r"^ +(?:-\w, +)?--([a-z-]+)", text.split("options:")[-1], re.M):
            if option not in ("help", "version"):
                assert "\\-\\-" + option.replace("-", "\\-") in page.stdout, (name, option)


def test_options_of_later_versions_are_a_section(bin_dir, patience):
    """The list ends with its line, so that the next section starts one."""
    page = run_profllm(bin_dir, "help", "--man", "bench", patience=patience).stdout
    listed = page.split("\n.SH NOT IN THIS VERSION\n")[1].split("\n.SH ")[0]
    assert len(listed.splitlines()) > 3 and re.fullmatch(r"(\\-\\-[a-z\\-]+,\n)+\\-\\-[a-z\\-]+", listed), listed


def test_unknown_command(bin_dir, patience):
    done = run_profllm(bin_dir, "help", "--man", "rnu", patience=patience)
    assert done.returncode == 2 and "did you mean 'run'" in done.stderr
    for name in ("sweep-serv", "sweep-run", "run-serve"):
        assert run_profllm(bin_dir, "help", "--man", name, patience=patience).returncode == 2


def test_pages_are_good_roff(bin_dir, patience):
    need("groff")
    simulator = subprocess.run([bin_dir / "profllm-sim", "help", "--man"], capture_output=True, text=True, check=True).stdout
    for page in [simulator, *(run_profllm(bin_dir, "help", "--man", name.replace(" ", "-"), patience=patience).stdout
                              for name in commands_of(bin_dir, patience) + PARTS)]:
        done = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-P-c", "-ww"], input=page, text=True, capture_output=True)
        assert done.returncode == 0 and done.stderr == "" and "profllm(1)" in re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)


def test_the_page_of_the_simulator_has_its_options(bin_dir):
    texts = [subprocess.run([bin_dir / "profllm-sim", *words], capture_output=True, text=True, check=True).stdout
             for words in (["--help"], ["help", "--man"])]
    assert texts[1].startswith(".TH profllm-sim 1 ")
    options = re.findall(r"^  --([\w-]+)", texts[0], re.M)
    missing = [name for name in options if "\n.B \\-\\-" + name.replace("-", "\\-") not in texts[1]]
    assert len(options) > 40 and missing == ["help", "version"]


def test_install_brings_programs_and_pages(bin_dir, tmp_path, patience):
    done = subprocess.run(["cmake", "--install", bin_dir.parent, "--prefix", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("bin/profllm", "bin/profllm-dashboard", "bin/profllm-sim", "share/man/man1/profllm.1", "share/man/man1/profllm-sweep-serve_sla.1",
                 "share/man/man1/profllm-sim.1", "share/bash-completion/completions/profllm", "share/zsh/site-functions/_profllm_dashboard",
                 "share/fish/vendor_completions.d/profllm.fish"):
        assert (tmp_path / name).stat().st_size > 200
    # a command without options has no page of its own
    own = [name for name in commands_of(bin_dir, patience)
           if run_profllm(bin_dir, "help", "--man", name, patience=patience).stdout.startswith(f'.TH profllm-{name} ')]
    own += [name.replace(" ", "-") for name in PARTS]
    listed = subprocess.run([bin_dir / "profllm-dashboard", "help", "--man", "--list"], capture_output=True, text=True)
    assert {path.name for path in (tmp_path / "share/man/man1").iterdir()} == \
        {"profllm.1", *(f"profllm-{name}.1" for name in own), "profllm-sim.1", "profllm-dashboard.1",
         *(f"profllm-dashboard-{name}.1" for name in listed.stdout.split())} and "run" in own and "import" in listed.stdout
