#include "cli/gate/releases.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "vllm/history.h"
#include "vllm/version.h"

#define FILE_BYTES_MAX (1u << 20)
#define PLACE          "{release}"
#define BLANKS         " \t"

static void release_done(struct cli_release *release)
{
	free(release->name);
	free(release->command);
}

void cli_releases_done(struct cli_releases *releases)
{
	for (size_t i = 0; i < releases->count; i++)
		release_done(&releases->items[i]);
	free(releases->items);
}

/* `end`: the bytes that end the name; after them comes the command. */
static int add(const char *text, const char *end, struct cli_releases *ret, struct pl_err *err)
{
	size_t len = strcspn(text, end);
	const char *command = text + len + strspn(text + len, end);
	char *name = strndup(text, len);

	*PL_PUSH(ret->items, ret->count, ret->room) = (struct cli_release){
		.name = pl_must(name),
		.command = *command != '\0' ? pl_strdup(command) : NULL,
	};
	if (len == 0)
		return pl_err_invalid(err, "found '%s', expected NAME or NAME=COMMAND", text);
	if (!pl_text_is_utf8(text))
		return pl_err_invalid(err, "a release is not UTF-8");
	if (ret->count > CLI_RELEASES_MAX)
		return pl_err_invalid(err, "found more than %d releases", CLI_RELEASES_MAX);
	for (size_t i = 0; i + 1 < ret->count; i++) {
		if (strcmp(ret->items[i].name, ret->items[ret->count - 1].name) == 0)
			return pl_err_invalid(err, "found release '%s' twice", ret->items[i].name);
	}
	return 0;
}

static int add_lines(const char *path, struct cli_releases *ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
		line = pl_text_trim(line);
		if (*line == '\0' || *line == '#')
			continue;
		if (add(line, BLANKS, ret, err) < 0)
			return pl_err_wrap(err, "'%s'", path);
	}
	return 0;
}

static int add_known(struct cli_releases *ret, struct pl_err *err)
{
	for (size_t i = 0; i < vllm_release_count(); i++) {
		if (add(vllm_release_at(i), "=", ret, err) < 0)
			return -1;
	}
	return 0;
}

static int find(const struct cli_releases *releases, const char *option, const char *name,
		size_t *ret, struct pl_err *err)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < releases->count; i++) {
		if (strcmp(releases->items[i].name, name) == 0) {
			*ret = i;
			return 0;
		}
		pl_nearest_try(&nearest, releases->items[i].name);
	}
	return pl_err_invalid(err, "%s: found '%s', which is not among the releases%s%s%s", option,
			      name, nearest.found != NULL ? " (did you mean '" : "",
			      nearest.found != NULL ? nearest.found : "",
			      nearest.found != NULL ? "'?)" : "");
}

/* Keeps the releases first..last. */
static void keep(struct cli_releases *releases, size_t first, size_t last)
{
	for (size_t i = 0; i < releases->count; i++) {
		if (i < first || i > last)
			release_done(&releases->items[i]);
	}
	memmove(releases->items, releases->items + first,
		(last - first + 1) * sizeof(releases->items[0]));
	releases->count = last - first + 1;
}

int cli_releases_read(const struct pl_opt_list *list, const char *path, const char *good,
		      const char *bad, struct cli_releases *ret, struct pl_err *err)
{
	size_t first, last;

	for (size_t i = 0; i < list->count; i++) {
		if (add(list->items[i], "=", ret, err) < 0)
			return pl_err_wrap(err, "--release");
	}
	if (path != NULL && add_lines(path, ret, err) < 0)
		return -1;
	if (ret->count == 0 && add_known(ret, err) < 0)
		return -1;
	if (find(ret, "--good", good, &first, err) < 0 || find(ret, "--bad", bad, &last, err) < 0)
		return -1;
	if (first >= last)
		return pl_err_invalid(err,
				      "--good '%s': expected a release before --bad '%s' in the "
				      "order of the list",
				      good, bad);
	keep(ret, first, last);
	return 0;
}

/* ---- the experiment of a release ------------------------------------------------------------ */

bool cli_release_is_used(const json_t *experiment)
{
	const char *text = json_string_value(experiment);

	if (text != NULL)
		return strstr(text, PLACE) != NULL;
	PL_JSON_EACH(item, experiment) {
		if (cli_release_is_used(item))
			return true;
	}
	PL_JSON_EACH_MEMBER(key, value, experiment) {
		if (cli_release_is_used(value))
			return true;
	}
	return false;
}

/* Returns a copy with each {release} replaced. New reference. */
static json_t *fill(const json_t *value, const char *name)
{
	if (json_is_string(value)) {
		auto_free char *text = pl_text_replace(json_string_value(value), PLACE, name);
		return json_string(text);
	}
	if (json_is_array(value)) {
		json_t *list = json_array();
		PL_JSON_EACH(item, value)
			json_array_append_new(list, fill(item, name));
		return list;
	}
	if (json_is_object(value)) {
		json_t *object = json_object();
		PL_JSON_EACH_MEMBER(key, member, value)
			json_object_set_new(object, key, fill(member, name));
		return object;
	}
	return json_incref((json_t *)value);
}

/* Returns the section, which is created if it is missing. Borrowed. */
static json_t *section_of(json_t *experiment, const char *name)
{
	json_t *section = json_object_get(experiment, name);

	if (json_is_object(section))
		return section;
	section = json_object();
	json_object_set_new(experiment, name, section);
	return section;
}

json_t *cli_release_experiment(const json_t *experiment, const struct cli_release *release)
{
	json_t *filled = fill(experiment, release->name);

	if (release->command != NULL)
		json_object_set_new(section_of(filled, "launch"), "command",
				    pl_json_words(release->command));
	json_object_set_new(section_of(filled, "tags"), "release", json_string(release->name));
	return filled;
}
