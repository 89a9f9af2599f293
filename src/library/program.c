/* Finds the program. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "library/library.h"

#define PROGRAM     "profllm"
#define PARENTS_MAX 3

/* LIBRARY_BIN_DIR: where the build installs the program (CMakeLists.txt) */

/* A directory may have the name, too, and be "executable". */
static bool take_if_program(char *path, char **ret)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0 && *ret == NULL)
		*ret = path;
	else
		free(path);
	return *ret != NULL;
}

/* In PREFIX/bin of a library in PREFIX/lib or PREFIX/lib/ARCHITECTURE, wherever PREFIX was moved to. */
static char *find_near_library(void)
{
	Dl_info info;
	char *found = NULL;

	if (dladdr((const void *)&profllm_program_open, &info) == 0 || info.dli_fname == NULL)
		return NULL;
	auto_free char *folder = realpath(info.dli_fname, NULL);
	for (int i = 0; folder != NULL && i < PARENTS_MAX; i++) {
		char *end = strrchr(folder, '/');
		if (end == NULL)
			break;
		*end = '\0';
		if (i > 0 && take_if_program(pl_asprintf("%s/bin/" PROGRAM, folder), &found))
			break;
	}
	return found;
}

/* A setuid host does not run what its user's environment names. */
static char *find_in_path(void)
{
	const char *value = secure_getenv("PATH");
	auto_free char *copy = pl_strdup(value != NULL ? value : "/usr/local/bin:/usr/bin:/bin");
	char *rest = copy, *found = NULL;

	for (char *folder; (folder = strsep(&rest, ":")) != NULL;) {
		if (folder[0] == '/' && take_if_program(pl_asprintf("%s/" PROGRAM, folder), &found))
			break;
	}
	return found;
}

int profllm_program_open(const char *path, profllm_program **ret, struct profllm_error *error)
{
	const char *folder = secure_getenv("PROFLLM_BIN");
	char *found = NULL;

	if (path != NULL) {
		if (!take_if_program(pl_strdup(path), &found))
			return library_refuse(error, PL_ERR_NOT_FOUND,
					      "found no program '%s' that can be started", path);
	} else if (folder != NULL && folder[0] != '\0') {
		if (!take_if_program(pl_asprintf("%s/" PROGRAM, folder), &found))
			return library_refuse(error, PL_ERR_NOT_FOUND,
					      "found no program '" PROGRAM
					      "' in '%s', the directory that "
					      "PROFLLM_BIN names",
					      folder);
	} else {
		found = find_near_library();
		if (found == NULL &&
		    !take_if_program(pl_strdup(LIBRARY_BIN_DIR "/" PROGRAM), &found))
			found = find_in_path();
		if (found == NULL)
			return library_refuse(error, PL_ERR_NOT_FOUND,
					      "found no program '" PROGRAM "' in '" LIBRARY_BIN_DIR
					      "' or in PATH; install the package profllm, or set "
					      "PROFLLM_BIN to its directory");
	}
	struct pl_err err = PL_ERR_INIT;
	auto_free char *given = found;
	char *absolute = library_absolute(given, &err);
	if (absolute == NULL)
		return library_fail(error, &err);
	profllm_program *program = pl_alloc(sizeof(*program));
	program->path = absolute;
	*ret = program;
	return PROFLLM_OK;
}

void profllm_program_close(profllm_program *program)
{
	if (program == NULL)
		return;
	free(program->path);
	free(program);
}

const char *profllm_program_path(const profllm_program *program)
{
	return program->path;
}

int profllm_program_version(const profllm_program *program, char **ret, struct profllm_error *error)
{
	static const char before[] = PROGRAM " ";
	auto_words words = { 0 };
	auto_free char *output = NULL;
	auto_free char *errors = NULL;
	struct pl_err err = PL_ERR_INIT;
	int status;

	library_words_add(&words, "--version");
	if (library_command(program->path, &words, NULL, 0, &output, &errors, &status, &err) < 0)
		return library_fail(error, &err);
	const char *version = output + strlen(before);
	if (!pl_text_starts(output, before) || strcspn(version, " \n") == 0)
		return library_refuse(error, PL_ERR_INVALID, "'%s' is not the program " PROGRAM,
				      program->path);
	*ret = pl_strndup(version, strcspn(version, " \n"));
	return PROFLLM_OK;
}
