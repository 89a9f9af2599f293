/* The input of a run. The program reads and checks it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/library.h"

static profllm_experiment *experiment_new(void)
{
	return pl_alloc(sizeof(profllm_experiment));
}

int profllm_experiment_from_file(const char *path, profllm_experiment **ret,
				 struct profllm_error *error)
{
	if (path[0] == '\0')
		return library_refuse(error, PL_ERR_INVALID,
				      "path of the experiment: found an empty text");
	profllm_experiment *experiment = experiment_new();
	/* neither an option nor standard input */
	experiment->path = path[0] == '-' ? pl_asprintf("./%s", path) : pl_strdup(path);
	*ret = experiment;
	return PROFLLM_OK;
}

int profllm_experiment_from_text(const char *text, size_t length, profllm_experiment **ret,
				 struct profllm_error *error)
{
	if (length > LIBRARY_TEXT_BYTES_MAX)
		return library_refuse(
			error, PL_ERR_INVALID,
			"text of the experiment: found %zu bytes, expected at most %u", length,
			LIBRARY_TEXT_BYTES_MAX);
	profllm_experiment *experiment = experiment_new();
	experiment->text = pl_memdup(text, length);
	experiment->len = length;
	*ret = experiment;
	return PROFLLM_OK;
}

int profllm_experiment_set(profllm_experiment *experiment, const char *key, const char *value,
			   struct profllm_error *error)
{
	if (key[0] == '\0' || strchr(key, '=') != NULL || !pl_text_is_utf8(key) ||
	    !pl_text_is_utf8(value))
		return library_refuse(error, PL_ERR_INVALID,
				      "found '%.200s', expected a key and a value in UTF-8", key);
	library_words_take(&experiment->sets, pl_asprintf("%s=%s", key, value));
	return PROFLLM_OK;
}

profllm_experiment *library_experiment_copy(const profllm_experiment *experiment)
{
	profllm_experiment *copy = pl_alloc(sizeof(*copy));

	copy->path = pl_strdup(experiment->path);
	copy->text = experiment->text != NULL ? pl_memdup(experiment->text, experiment->len) : NULL;
	copy->len = experiment->len;
	for (size_t i = 0; i < experiment->sets.count; i++)
		library_words_add(&copy->sets, experiment->sets.items[i]);
	return copy;
}

void profllm_experiment_free(profllm_experiment *experiment)
{
	if (experiment == NULL)
		return;
	free(experiment->path);
	free(experiment->text);
	library_words_done(&experiment->sets);
	free(experiment);
}
