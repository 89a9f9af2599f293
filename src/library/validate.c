/* The program checks experiments: it knows the GPUs of the host and the installed release. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/library.h"

#define VALIDATE_INVALID 2 /* exit status: errors, or invalid usage */

/* Returns the last line that is not empty. free() */
static char *last_line(const char *text)
{
	auto_free char *copy = pl_strdup(text);
	char *rest = copy;
	const char *last = "no output";

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (*line != '\0')
			last = line;
	}
	return pl_strdup(last);
}

static void add_words(const profllm_experiment *experiment, const char *hardware,
		      struct library_words *words)
{
	library_words_add(words, "validate");
	library_words_add(words, "--json");
	if (hardware != NULL)
		library_words_take(words, pl_asprintf("--hardware=%s", hardware));
	for (size_t i = 0; i < experiment->sets.count; i++)
		library_words_take(words, pl_asprintf("--set=%s", experiment->sets.items[i]));
	library_words_add(words, experiment->path != NULL ? experiment->path : "-");
}

/* A file may start several containers, each with problems of its own. New reference. */
static json_t *problems_of(const json_t *document)
{
	json_t *all = library_json(json_array());

	PL_JSON_EACH(file, json_object_get(document, "files")) {
		PL_JSON_EACH(problem, json_object_get(file, "problems"))
			library_json_add(all, problem);
	}
	return all;
}

int profllm_validate(const profllm_program *program, const profllm_experiment *experiment,
		     const char *hardware, profllm_findings **ret, struct profllm_error *error)
{
	auto_words words = { 0 };
	auto_free char *output = NULL;
	auto_free char *errors = NULL;
	auto_json json_t *document = NULL;
	struct pl_err err = PL_ERR_INIT;
	int status;

	if ((hardware != NULL && !pl_text_is_utf8(hardware)) ||
	    (experiment->path != NULL && !pl_text_is_utf8(experiment->path)))
		return library_refuse(error, PL_ERR_INVALID, "found a text that is not UTF-8");
	add_words(experiment, hardware, &words);
	if (library_command(program->path, &words, experiment->text, experiment->len, &output,
			    &errors, &status, &err) < 0)
		return library_fail(error, &err);
	if (library_json_parse(output, strlen(output), "output of validate", &document,
			       PL_ERR_IGNORED) < 0 ||
	    !json_is_array(json_object_get(document, "files"))) {
		auto_free char *line = last_line(errors);
		return library_refuse(error,
				      status == VALIDATE_INVALID ? PL_ERR_INVALID : PL_ERR_FAILED,
				      "%s validate: %s", program->path, line);
	}
	auto_json json_t *problems = problems_of(document);
	*ret = library_findings_new(pl_take(document), problems);
	return PROFLLM_OK;
}
