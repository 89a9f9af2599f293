/*
 * A single pass over the requested arguments; the first source with another value is named in the
 * difference.
 */
#include "vllm/reported/mismatch.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "option/row.h"
#include "vllm/catalog.h"
#include "vllm/reported/fields.h"
#include "vllm/reported/same.h"

#define SHOWN_BYTES_MAX 80

enum source { ARGS, ENGINE, INFO, CACHE, MODEL, SOURCES };
enum rule { EQUAL, SET, STAYS };

static const char *const source_names[SOURCES] = {
	[ARGS] = "log",       [ENGINE] = "log",       [INFO] = "/server_info",
	[CACHE] = "/metrics", [MODEL] = "/v1/models",
};

static const struct report {
	enum source source;
	const char *key;
	const char *argument;
	enum rule rule;
} reports[] = {
#define REPORT(source, key, argument, rule) { source, #key, #argument, rule },
#include "tbl/reported.h"
};

static const char *const loose[] = {
#define REPORT_LOOSE(argument) #argument,
#include "tbl/reported.h"
};

/* The reports of each source, by its own keys; NULL: none. */
struct by_source {
	json_t *by[SOURCES];
	bool defaults_known;
};

static json_t *fields_of(const char *text)
{
	return text != NULL ? vllm_reported_fields(text) : NULL;
}

/* True: at least one source reports something. */
static bool read_reported(const struct vllm_reported *reported, struct by_source *ret)
{
	bool any = false;

	*ret = (struct by_source){
		.by = {
			[ARGS] = fields_of(reported->args),
			[ENGINE] = fields_of(reported->engine),
			[INFO] = fields_of(reported->info),
			[CACHE] = json_incref((json_t *)reported->cache),
			[MODEL] = json_incref((json_t *)reported->model),
		},
	};
	/* a line without a model does not contain a server's arguments */
	ret->defaults_known = reported->defaults_known &&
			      json_object_get(ret->by[ARGS], "model") != NULL;
	for (size_t i = 0; i < SOURCES; i++)
		any |= json_object_size(ret->by[i]) > 0;
	return any;
}

static bool is_loose(const char *argument)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(loose); i++) {
		if (strcmp(loose[i], argument) == 0)
			return true;
	}
	return false;
}

static bool is_plain(const json_t *value)
{
	return !json_is_object(value) && !json_is_array(value);
}

/* The value of an argument that the log leaves out: its default. NULL: nothing is sure. */
static json_t *left_out(const struct option_row *row, const json_t *requested,
			const struct by_source *by_source)
{
	if (!by_source->defaults_known || row->absent || row->default_json == NULL ||
	    !is_plain(requested))
		return NULL;
	json_t *value = pl_json_of_text(row->default_json);
	if (is_plain(value))
		return value;
	json_decref(value);
	return NULL;
}

/* The value that the log of the arguments reports, if it differs. New reference. */
static json_t *differing_arg(const struct option_row *row, const json_t *requested,
			     const struct by_source *by_source, const char **ret_key)
{
	json_t *reported = json_object_get(by_source->by[ARGS], row->name);
	json_t *value = reported != NULL ? json_incref(reported)
					 : left_out(row, requested, by_source);

	if (is_loose(row->name) || value == NULL ||
	    vllm_same_value(row, requested, value, true, ret_key)) {
		json_decref(value);
		return NULL;
	}
	return value;
}

static bool counts(enum rule rule, const json_t *requested, const json_t *reported)
{
	switch (rule) {
	case SET:
		return json_is_null(reported) || pl_text_equal(json_string_value(reported), "None");
	case STAYS:
		return json_is_true(requested);
	case EQUAL:
		break;
	}
	return true;
}

/* A table row's source ENGINE is read from the log and from /server_info. */
static bool is_row_of(const struct report *report, enum source source)
{
	return report->source == source || (report->source == ENGINE && source == INFO);
}

static json_t *differing_field(const struct option_row *row, const json_t *requested,
			       const struct by_source *by_source, enum source source)
{
	const char *key;

	for (size_t i = 0; i < PL_ARRAY_SIZE(reports); i++) {
		const struct report *report = &reports[i];
		if (!is_row_of(report, source) || strcmp(report->argument, row->name) != 0)
			continue;
		json_t *reported = json_object_get(by_source->by[source], report->key);
		if (reported == NULL || !counts(report->rule, requested, reported))
			continue;
		if (!vllm_same_value(row, requested, reported, report->rule == SET, &key))
			return json_incref(reported);
	}
	return NULL;
}

/* Steals `reported`. */
static void add(json_t *list, const char *name, const char *key, const json_t *requested,
		json_t *reported, enum source source)
{
	auto_free char *full = key != NULL ? pl_asprintf("%s.%s", name, key) : pl_strdup(name);
	const json_t *one = key != NULL ? json_object_get(requested, key) : requested;

	if (key != NULL) {
		json_t *other = json_incref(json_object_get(reported, key));
		json_decref(reported);
		reported = other;
	}
	json_array_append_new(list,
			      json_pack("{s:s, s:O, s:o, s:s}", "argument", full, "requested", one,
					"reported", reported, "source", source_names[source]));
}

static void compare_argument(const struct option_row *row, const json_t *requested,
			     const struct by_source *by_source, json_t *list)
{
	const char *key = NULL;
	json_t *reported = differing_arg(row, requested, by_source, &key);

	if (reported != NULL) {
		add(list, row->name, key, requested, reported, ARGS);
		return;
	}
	for (enum source source = ENGINE; source < SOURCES; source++) {
		reported = differing_field(row, requested, by_source, source);
		if (reported != NULL) {
			add(list, row->name, NULL, requested, reported, source);
			return;
		}
	}
}

json_t *vllm_mismatches(const struct vllm_catalog *catalog, const json_t *requested,
			const struct vllm_reported *reported)
{
	struct by_source by_source;
	json_t *list = NULL;

	if (read_reported(reported, &by_source)) {
		list = json_array();
		PL_JSON_EACH_MEMBER(name, value, requested) {
			const struct option_row *row = vllm_arg_find(catalog, name);
			if (row != NULL && !vllm_value_is_open(row, value))
				compare_argument(row, value, &by_source, list);
		}
	}
	for (size_t i = 0; i < SOURCES; i++)
		json_decref(by_source.by[i]);
	return list;
}

static void add_shown(const json_t *value, struct pl_buf *buf)
{
	auto_free char *text = json_is_string(value) ? pl_strdup(json_string_value(value))
						     : pl_json_to_text(value, PL_JSON_COMPACT);

	size_t len = strlen(text);

	if (len <= SHOWN_BYTES_MAX) {
		pl_buf_add(buf, text, len);
		return;
	}
	/* no character is cut: 10xxxxxx continues one */
	for (len = SHOWN_BYTES_MAX; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
		;
	pl_buf_add(buf, text, len);
	pl_buf_add_text(buf, "...");
}

void vllm_mismatches_add_text(const json_t *mismatches, struct pl_buf *buf)
{
	PL_JSON_EACH(entry, mismatches) {
		pl_buf_addf(buf, "%s%s: requested ", entry_at > 0 ? "; " : "",
			    pl_json_get_text(entry, "argument"));
		add_shown(json_object_get(entry, "requested"), buf);
		pl_buf_add_text(buf, ", reported ");
		add_shown(json_object_get(entry, "reported"), buf);
		pl_buf_addf(buf, " (%s)", pl_json_get_text(entry, "source"));
	}
}
