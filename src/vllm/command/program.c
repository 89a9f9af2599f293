/* Programs by their names: those that run another one, and vLLM's own. */
#include "vllm/command/program.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { PYTHON_OPTIONS_MAX = 6 };

#define DROPPED VLLM_WRAPPER_DROPPED
#define TEXT    (VLLM_WRAPPER_DROPPED | VLLM_WRAPPER_TEXT)
#define REMOTE  (VLLM_WRAPPER_DROPPED | VLLM_WRAPPER_TEXT | VLLM_WRAPPER_REMOTE)

/* Those without DROPPED change how the server runs (cores, a profiler, an environment), and are
 * words of `launch`. */
static const struct {
	const char *name;
	int traits;
} wrappers[] = {
	{ "sudo", DROPPED },
	{ "nohup", DROPPED },
	{ "exec", DROPPED },
	{ "time", DROPPED },
	{ "setsid", DROPPED },
	{ "command", DROPPED },
	{ "builtin", DROPPED },
	{ "coproc", DROPPED },
	{ "env", DROPPED },
	{ "doas", DROPPED },
	{ "do", DROPPED },
	{ "then", DROPPED },
	{ "else", DROPPED },
	{ "elif", DROPPED },
	{ "if", DROPPED },
	{ "while", DROPPED },
	{ "until", DROPPED },
	{ "!", DROPPED },
	{ "{", DROPPED },
	{ "&", DROPPED },
	{ "call", DROPPED },
	{ "start", DROPPED },
	{ "eval", TEXT },
	{ "tmux", TEXT },
	{ "screen", TEXT },
	{ "byobu", TEXT },
	{ "sbatch", TEXT },
	{ "su", TEXT },
	{ "runuser", TEXT },
	{ "script", TEXT },
	{ "watch", TEXT },
	{ "wsl", TEXT },
	{ "wsl.exe", TEXT },
	{ "systemd-run", TEXT },
	{ "systemd-inhibit", DROPPED },
	{ "caffeinate", DROPPED },
	{ "unbuffer", DROPPED },
	{ "ssh", REMOTE },
	{ "pdsh", REMOTE },
	{ "clush", REMOTE },
	{ "mosh", REMOTE },
	{ "gcloud", REMOTE },
	{ "nice", 0 },
	{ "ionice", 0 },
	{ "stdbuf", 0 },
	{ "timeout", 0 },
	{ "prlimit", 0 },
	{ "setarch", 0 },
	{ "uv", 0 },
	{ "uvx", 0 },
	{ "pipx", 0 },
	{ "numactl", 0 },
	{ "taskset", 0 },
	{ "conda", 0 },
	{ "mamba", 0 },
	{ "micromamba", 0 },
	{ "poetry", 0 },
	{ "pixi", 0 },
	{ "srun", 0 },
	{ "salloc", 0 },
	{ "nsys", 0 },
	{ "ncu", 0 },
	{ "torchrun", 0 },
	{ "xvfb-run", 0 },
	{ "strace", 0 },
	{ "chrt", 0 },
	{ "mpirun", 0 },
	{ "mpiexec", 0 },
	{ "kubectl", 0 },
	{ "oc", 0 },
	{ "ray", 0 },
	{ "apptainer", 0 },
	{ "singularity", 0 },
	{ "enroot", 0 },
	{ "shifter", 0 },
	{ "chroot", 0 },
	{ "gdb", 0 },
	{ "catchsegv", 0 },
	{ "flock", 0 },
	{ "direnv", 0 },
	{ "dotenv", 0 },
	{ "op", 0 },
};

const char *vllm_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static const char *word_at(const struct vllm_parse *parse, size_t i)
{
	return parse->command->words.items[i].text;
}

/* Also "python3" and "python3.12", and the launcher of Windows. */
static bool is_python(const char *word)
{
	const char *name = vllm_base_name(word);

	return pl_text_starts(name, "python") || strcmp(name, "py") == 0;
}

bool vllm_is_runtime(const char *word)
{
	static const char *const names[] = { "docker", "podman", "nerdctl", "nvidia-docker",
					     "podman-hpc" };
	const char *name = vllm_base_name(word);

	return PL_TEXT_IS_ONE_OF(name, names);
}

bool vllm_is_image_runner(const char *word)
{
	static const char *const names[] = { "singularity", "apptainer" };
	const char *name = vllm_base_name(word);

	return PL_TEXT_IS_ONE_OF(name, names);
}

bool vllm_is_shell(const char *word)
{
	static const char *const names[] = {
		"bash",    "sh",   "zsh",        "dash",           "ash", "ksh",    "fish",
		"busybox", "pwsh", "powershell", "powershell.exe", "cmd", "cmd.exe"
	};
	const char *name = vllm_base_name(word);

	return PL_TEXT_IS_ONE_OF(name, names);
}

bool vllm_is_shell_text_flag(const char *word)
{
	static const char *const flags[] = { "/c", "/C", "-Command", "-command" };
	size_t len = strlen(word);

	if (PL_TEXT_IS_ONE_OF(word, flags))
		return true;
	for (size_t i = 1; i < len; i++) {
		if (!islower((unsigned char)word[i]))
			return false;
	}
	return len > 1 && len < 9 && word[0] == '-' && strchr(word, 'c') != NULL;
}

/* Our simulator takes the place of vLLM in the commands of an experiment. */
#define SIMULATOR "profllm-sim"

bool vllm_is_program(const char *word)
{
	const char *name = vllm_base_name(word);

	return vllm_is_runtime(word) || vllm_is_shell(word) || is_python(word) ||
	       strcmp(name, "vllm") == 0 || strcmp(name, "vllm.exe") == 0 ||
	       strcmp(name, "profllm") == 0 || strcmp(name, SIMULATOR) == 0 ||
	       pl_text_starts(name, "benchmark_");
}

bool vllm_is_server_module(const char *module)
{
	return strcmp(module, VLLM_API_SERVER) == 0;
}

static bool is_demo_module(const char *module)
{
	return strcmp(module, "vllm.entrypoints.api_server") == 0;
}

/*
 * "docker exec CONTAINER", "docker compose exec SERVICE". They count as a wrapper that is part of
 * the launch command: without it the server would start outside of the container.
 */
static bool runs_inside(const struct vllm_parse *parse, size_t at, size_t end)
{
	return vllm_is_runtime(word_at(parse, at)) && at + 1 < end &&
	       (strcmp(word_at(parse, at + 1), "exec") == 0 ||
		strcmp(word_at(parse, at + 1), "compose") == 0);
}

int vllm_wrapper_find(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *name = vllm_base_name(word_at(parse, at));

	for (size_t i = 0; i < PL_ARRAY_SIZE(wrappers); i++) {
		if (strcmp(name, wrappers[i].name) == 0)
			return wrappers[i].traits;
	}
	return runs_inside(parse, at, end) ? 0 : -1;
}

static struct vllm_program offline(const struct vllm_bench_kind *kind, size_t first,
				   size_t vllm_end, enum vllm_bench_program load)
{
	return (struct vllm_program){ .meaning = VLLM_MEANS_OFFLINE,
				      .first = first,
				      .form = VLLM_COMMAND_SERVE,
				      .load = load,
				      .kind = kind,
				      .vllm_end = vllm_end };
}

/* "bench serve" after "vllm" or "profllm"; `at` is "bench". */
static struct vllm_program read_bench(const struct vllm_parse *parse, size_t at, size_t end,
				      enum vllm_bench_program load)
{
	const char *what = at + 1 < end ? word_at(parse, at + 1) : "";

	if (strcmp(what, "serve") == 0)
		return (struct vllm_program){ .meaning = VLLM_MEANS_LOAD,
					      .first = at + 2,
					      .load = load };
	if (vllm_bench_kind_find(what) != NULL)
		return offline(vllm_bench_kind_find(what), at + 2,
			       load == VLLM_BENCH_OF_VLLM ? at : 0, load);
	if (vllm_bench_is_later(what))
		return (struct vllm_program){ .meaning = VLLM_MEANS_LATER, .first = at + 1 };
	return (struct vllm_program){ .meaning = VLLM_MEANS_NOTHING };
}

/* Reads "vllm serve", "vllm bench serve"; `at` is the word for "vllm". */
static struct vllm_program read_vllm(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *what = at + 1 < end ? word_at(parse, at + 1) : "";

	if (strcmp(what, "serve") == 0)
		return (struct vllm_program){ .meaning = VLLM_MEANS_SERVER,
					      .first = at + 2,
					      .form = VLLM_COMMAND_SERVE };
	if (strcmp(what, "bench") == 0)
		return read_bench(parse, at + 1, end, VLLM_BENCH_OF_VLLM);
	return (struct vllm_program){ .meaning = VLLM_MEANS_NOTHING };
}

/* vLLM's scripts of before `vllm bench`: benchmark_serving.py and others. */
static struct vllm_program read_script(const struct vllm_parse *parse, size_t at)
{
	static const char *const scripts[] = { "benchmark_latency.py", "benchmark_throughput.py" };
	const char *name = vllm_base_name(word_at(parse, at));

	if (strcmp(name, "benchmark_serving.py") == 0)
		return (struct vllm_program){ .meaning = VLLM_MEANS_LOAD, .first = at + 1 };
	if (PL_TEXT_IS_ONE_OF(name, scripts)) {
		size_t head = strlen("benchmark_"), tail = strlen(".py");
		auto_free char *kind = pl_strndup(name + head, strlen(name) - head - tail);
		return offline(vllm_bench_kind_find(kind), at + 1, 0, VLLM_BENCH_OF_VLLM);
	}
	if (pl_text_starts(name, "benchmark_") && pl_text_ends(name, ".py"))
		return (struct vllm_program){ .meaning = VLLM_MEANS_LATER, .first = at };
	return (struct vllm_program){ .meaning = VLLM_MEANS_NOTHING };
}

/* "-m MODULE"; `at` is the module. */
static struct vllm_program read_module(const struct vllm_parse *parse, size_t at, size_t end)
{
	static const char benchmarks[] = "vllm.benchmarks.";
	const char *module = word_at(parse, at);
	const char *of_bench = pl_text_starts(module, benchmarks) ? module + strlen(benchmarks)
								  : "";

	if (vllm_is_server_module(module) || is_demo_module(module))
		return (struct vllm_program){ .meaning = VLLM_MEANS_SERVER,
					      .first = at + 1,
					      .form = VLLM_COMMAND_MODULE,
					      .is_demo = is_demo_module(module) };
	if (strcmp(module, "vllm") == 0 || strcmp(module, "vllm.entrypoints.cli.main") == 0)
		return read_vllm(parse, at, end);
	if (strcmp(of_bench, "serve") == 0 || pl_text_ends(module, "benchmark_serving"))
		return (struct vllm_program){ .meaning = VLLM_MEANS_LOAD, .first = at + 1 };
	if (vllm_bench_kind_find(of_bench) != NULL)
		return offline(vllm_bench_kind_find(of_bench), at + 1, 0, VLLM_BENCH_OF_VLLM);
	if (vllm_bench_is_later(of_bench))
		return (struct vllm_program){ .meaning = VLLM_MEANS_LATER, .first = at };
	return (struct vllm_program){ .meaning = VLLM_MEANS_NOTHING };
}

/*
 * "python -m MODULE", "python …/api_server.py", "python …/benchmark_serving.py". Options of
 * Python's own may come first ("-u", "-X dev"); a few words on a name is an argument of some
 * other script.
 */
static struct vllm_program read_python(const struct vllm_parse *parse, size_t at, size_t end)
{
	struct vllm_program program = { .meaning = VLLM_MEANS_NOTHING };

	for (size_t i = at + 1;
	     program.meaning == VLLM_MEANS_NOTHING && i < end && i <= at + PYTHON_OPTIONS_MAX;
	     i++) {
		const char *word = word_at(parse, i);
		if (strcmp(word, "-m") == 0 && i + 1 < end)
			return read_module(parse, i + 1, end);
		if (pl_text_ends(word, "vllm/entrypoints/openai/api_server.py") ||
		    pl_text_ends(word, "vllm/entrypoints/api_server.py"))
			return (struct vllm_program){
				.meaning = VLLM_MEANS_SERVER,
				.first = i + 1,
				.form = VLLM_COMMAND_MODULE,
				.is_demo = !pl_text_ends(word, "openai/api_server.py"),
			};
		if (word[0] != '-' && strcmp(vllm_base_name(word), "vllm") == 0)
			return read_vllm(parse, i, end);
		program = read_script(parse, i);
	}
	return program;
}

struct vllm_program vllm_program_read(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *word = word_at(parse, at);
	bool is_bench = at + 1 < end && strcmp(word_at(parse, at + 1), "bench") == 0;
	bool is_serve = at + 1 < end && strcmp(word_at(parse, at + 1), "serve") == 0;

	if (strcmp(vllm_base_name(word), "vllm") == 0 ||
	    (strcmp(vllm_base_name(word), SIMULATOR) == 0 && is_serve))
		return read_vllm(parse, at, end);
	if (strcmp(vllm_base_name(word), "profllm") == 0 && is_bench)
		return read_bench(parse, at + 1, end, VLLM_BENCH_OF_OURS);
	return is_python(word) ? read_python(parse, at, end) : read_script(parse, at);
}
