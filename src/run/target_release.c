/*
 * Determines the vLLM release that will be started without starting it: `vllm --version` imports torch, which takes
 * seconds.
 *
 *	vllm ─ #!/v/bin/python3 ─> /v/bin/python3 ─> /v/lib/python3.12/site-packages
 *	                                             └ vllm-0.32.0+cpu.dist-info: 0.32.0
 *
 * If it cannot be found, the release of the tables is assumed, and reported as assumed.
 */
#include "run/target_release.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/proc/program.h"
#include "vllm/catalog.h"

/* The first bytes of a script, which name its interpreter. */
#define SCRIPT_HEAD_BYTES 1024
#define DIST_INFO         "/vllm-*.dist-info"

void run_release_done(struct run_release *release)
{
	free(release->version);
	free(release->found_in);
	*release = (struct run_release){ 0 };
}

static bool is_python(const char *path)
{
	auto_free char *name = pl_file_name(path);

	return pl_text_starts(name, "python") || pl_text_starts(name, "pypy");
}

/* Returns the first directory that matches a pattern; free(). */
static char *first_folder(const char *pattern)
{
	glob_t found = { 0 };
	char *folder = NULL;

	if (glob(pattern, GLOB_ONLYDIR, NULL, &found) == 0 && found.gl_pathc > 0)
		folder = pl_strdup(found.gl_pathv[0]);
	globfree(&found);
	return folder;
}

/* Returns whether a path has no characters that are special to glob(). */
static bool is_plain_path(const char *path)
{
	return strpbrk(path, "*?[\\") == NULL;
}

/* Searches the packages of an installation: PREFIX/lib/pythonX.Y/site-packages, Debian's dist-packages. */
static char *find_in_prefix(const char *prefix, const char *python)
{
	static const char *const folders[] = { "lib", "lib64", "local/lib" };
	static const char *const kinds[] = { "site-packages", "dist-packages" };

	for (size_t i = 0; is_plain_path(prefix) && i < PL_ARRAY_SIZE(folders); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(kinds); k++) {
			auto_free char *pattern = pl_asprintf("%s/%s/%s/%s" DIST_INFO, prefix,
							      folders[i], python, kinds[k]);
			char *found = first_folder(pattern);
			if (found != NULL)
				return found;
		}
	}
	return NULL;
}

/* "/v/bin/python3" gives "/v". Links are not followed, because the python of a virtual environment is one. */
static char *prefix_of(const char *program)
{
	auto_free char *bin = pl_file_dir(program);

	return pl_file_dir(bin);
}

/* Returns "python3.12" if the interpreter's name ends so, else any. */
static char *library_of(const char *interpreter)
{
	char path[PATH_MAX];
	auto_free char *name = realpath(interpreter, path) != NULL ? pl_file_name(path) : NULL;

	if (name != NULL && pl_text_starts(name, "python") && strchr(name, '.') != NULL &&
	    is_plain_path(name))
		return pl_strdup(name);
	return pl_strdup("python*");
}

static char *find_for_interpreter(const char *interpreter)
{
	auto_free char *prefix = prefix_of(interpreter);
	auto_free char *library = library_of(interpreter);
	char *found = find_in_prefix(prefix, library);

	return found != NULL ? found : find_in_prefix(prefix, "python*");
}

/* Returns the first word at *at and moves *at after it; free(). NULL: no more words on this line. */
static char *take_word(const char **at)
{
	const char *start = *at + strspn(*at, " \t");
	size_t len = strcspn(start, " \t\r\n");

	*at = start + len;
	return len > 0 ? pl_strndup(start, len) : NULL;
}

/* A shell line that pip writes if the path is too long for "#!": '''exec' "/long/python" "$0" */
static char *exec_line(const char *head)
{
	static const char mark[] = "\n'''exec' ";
	const char *at = strstr(head, mark);

	if (at == NULL)
		return NULL;
	at += sizeof(mark) - 1;
	at += *at == '"';
	return pl_strndup(at, strcspn(at, "\"\n "));
}

/* Returns the program in a script's first line, resolving "env NAME"; free(). NULL: not a script. */
static char *interpreter_of(const char *head)
{
	char *found = NULL;

	if (!pl_text_starts(head, "#!"))
		return NULL;
	const char *at = head + 2;
	auto_free char *program = take_word(&at);
	auto_free char *name = program != NULL ? pl_file_name(program) : NULL;
	if (program == NULL)
		return NULL;
	if (pl_text_equal(name, "sh") || pl_text_equal(name, "bash"))
		return exec_line(head);
	if (!pl_text_equal(name, "env"))
		return pl_take(program);
	auto_free char *word = take_word(&at);
	while (word != NULL && (word[0] == '-' || strchr(word, '=') != NULL)) {
		free(word);
		word = take_word(&at);
	}
	if (word == NULL || host_program_find(word, &found, PL_ERR_IGNORED) < 0)
		return NULL;
	return found;
}

static char *read_head(const char *path)
{
	char head[SCRIPT_HEAD_BYTES + 1];
	FILE *stream = fopen(path, "re");

	if (stream == NULL)
		return NULL;
	size_t len = fread(head, 1, SCRIPT_HEAD_BYTES, stream);
	fclose(stream);
	head[len] = '\0';
	return pl_strdup(head);
}

static char *find_for_word(const char *word)
{
	auto_free char *program = NULL;

	if (host_program_find(word, &program, PL_ERR_IGNORED) < 0)
		return NULL;
	if (is_python(program))
		return find_for_interpreter(program);
	auto_free char *head = read_head(program);
	auto_free char *interpreter = head != NULL ? interpreter_of(head) : NULL;
	if (interpreter == NULL)
		return NULL;
	char *found = find_for_interpreter(interpreter);
	if (found != NULL)
		return found;
	/* "pip install --user": the packages are next to the script, the interpreter is elsewhere */
	auto_free char *prefix = prefix_of(program);
	return is_python(interpreter) ? find_in_prefix(prefix, "python*") : NULL;
}

char *run_release_installed(const json_t *command)
{
	PL_JSON_EACH(word, command) {
		const char *text = json_string_value(word);
		auto_free char *name = text != NULL ? pl_file_name(text) : NULL;
		/* after the first word, only the program that starts vLLM: "numactl -N 0 vllm serve" */
		if (name == NULL ||
		    (word_at > 0 && !pl_text_equal(name, "vllm") && !is_python(name)))
			continue;
		char *found = find_for_word(text);
		if (found != NULL)
			return found;
	}
	return NULL;
}

/* Returns "0.32.0" for "/…/vllm-0.32.0+cpu.dist-info": the local part describes the build, not the release. */
static char *version_of(const char *folder)
{
	auto_free char *name = pl_file_name(folder);
	const char *version = name + strlen("vllm-");
	char *text = pl_strndup(version, strlen(version) - strlen(".dist-info"));

	text[strcspn(text, "+")] = '\0';
	return text;
}

/* Reads "/…/vllm-0.32.0+cpu.dist-info". */
char *run_release_of_program(const char *program)
{
	auto_json json_t *words = json_pack("[s]", program);
	auto_free char *folder = run_release_installed(words);
	auto_free char *name = folder != NULL ? pl_file_name(folder) : NULL;
	const size_t head = strlen("vllm-"), tail = strlen(".dist-info");

	if (name == NULL || strlen(name) <= head + tail)
		return NULL;
	return pl_strndup(name + head, strlen(name) - head - tail);
}

void run_release_find(const struct exp_config *experiment, const char *version,
		      struct run_release *ret)
{
	const struct exp_launch *launch = &experiment->launch;
	bool is_started = launch->url == NULL && launch->container == NULL && !experiment->simulate;
	auto_json json_t *command = launch->command != NULL ? json_incref(launch->command)
							    : json_pack("[s]", "vllm");

	*ret = (struct run_release){ 0 };
	if (version == NULL)
		version = launch->vllm_version;
	if (version != NULL) {
		ret->version = pl_strdup(version);
		return;
	}
	ret->found_in = is_started ? run_release_installed(command) : NULL;
	if (ret->found_in != NULL) {
		ret->version = version_of(ret->found_in);
		return;
	}
	ret->version = pl_strdup(VLLM_REFERENCE_RELEASE);
	ret->assumed = true;
}
