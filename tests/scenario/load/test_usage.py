"""Words that profllm does not know."""
import pytest
from run_tools import run_profllm


@pytest.mark.parametrize("words, says", [
    (["runn"], "unknown command 'runn' (did you mean 'run'?)"),
    (["qqqqqq"], "unknown command 'qqqqqq'; see 'profllm --help'"),
    (["-x"], "unknown option '-x'; see 'profllm --help'"),
    (["--versio"], "unknown option '--versio'; see 'profllm --help'"),
    (["version", "all"], "unexpected argument 'all'; this command accepts only options"),
    (["bench"], "bench: found nothing, expected serve, latency, throughput, startup or mm-processor; see profllm bench --help"),
    (["bench", "servee"], "bench: found 'servee', expected serve, latency, throughput, startup or mm-processor"),
])
def test_unknown_words(bin_dir, words, says):
    done = run_profllm(bin_dir, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"profllm: error: {says}\n"
