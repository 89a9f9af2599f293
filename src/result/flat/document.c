#include "result/flat/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "result/fields/fields.h"
#include "result/flat/agreement.h"
#include "result/flat/console.h"
#include "result/flat/read.h"
#include "result/flat/request_keys.h"
#include "result/producer.h"
#include "result/quality.h"

/* Keys that are called otherwise here; those of older releases last. */
static const struct {
	const char *key, *id;
} renamed[] = {
	{ "model_id", "benchmark.model" },
	{ "tokenizer_id", "benchmark.tokenizer" },
	{ "endpoint_type", "benchmark.backend" },
	{ "request_goodput:", "results.request_goodput" },
};

/* Converts "20261121-022202" to "2026-11-21T02:22:02"; returns another text unchanged. */
static json_t *timestamp(const char *date)
{
	int part[6], used = 0;

	if (sscanf(date, "%4d%2d%2d-%2d%2d%2d%n", &part[0], &part[1], &part[2], &part[3], &part[4],
		   &part[5], &used) == 6 &&
	    date[used] == '\0')
		return json_sprintf("%04d-%02d-%02dT%02d:%02d:%02d", part[0], part[1], part[2],
				    part[3], part[4], part[5]);
	return json_string(date);
}

/*
 * Keys written by vLLM itself: other keys with the name of a load option come from the user
 * (--metadata).
 */
static const char *const flat_keys[] = {
#define FLAT(key, when, verdict, remark) key,
#include "tbl/bench_notes.h"
};

/*
 * Returns the id of a key, such as "benchmark.model", from its name or its new name, built in `id`;
 * NULL: no field.
 */
static const char *id_of(const struct res_fields *fields, const char *key, struct pl_buf *id)
{
	static const char *const positions[] = { "results.", "benchmark." };
	struct res_field field;

	for (size_t i = 0; i < PL_ARRAY_SIZE(renamed); i++) {
		if (strcmp(renamed[i].key, key) == 0)
			return renamed[i].id;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(positions) && strchr(key, '.') == NULL; i++) {
		if (i > 0 && !PL_TEXT_IS_ONE_OF(key, flat_keys))
			break;
		pl_buf_clear(id);
		if (pl_buf_add_text(id, positions[i]) && pl_buf_add_text(id, key) &&
		    res_fields_resolve(fields, pl_buf_text(id), &field, NULL) == 0)
			return pl_buf_text(id);
	}
	return NULL;
}

/* The value of a current name overrides that of an older name. */
static void put(json_t *position, const char *key, json_t *value, bool as_it_stands)
{
	if (as_it_stands || json_object_get(position, key) == NULL)
		json_object_set(position, key, value);
}

/* ---- what the user added ---- */

/* Short forms that people write. */
static const struct {
	const char *key, *argument;
} short_names[] = {
	{ "tp", "tensor_parallel_size" },
	{ "pp", "pipeline_parallel_size" },
	{ "dp", "data_parallel_size" },
};

/*
 * Converts a value from --metadata, which is always a text: "4" becomes the number of the field.
 * NULL: not a value of the field. New reference.
 */
static json_t *value_for(const struct res_field *field, json_t *value)
{
	const char *text = json_string_value(value);
	bool is_number = field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT;
	int64_t whole;
	double number;

	if (text == NULL || field->type == RES_FIELD_TEXT)
		return json_incref(value);
	if (is_number && pl_text_to_i64(text, &whole))
		return json_integer(whole);
	if (is_number && pl_text_to_f64(text, &number) && isfinite(number))
		return json_real(number);
	if (field->type == RES_FIELD_YES &&
	    (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0))
		return json_boolean(strcasecmp(text, "true") == 0);
	return is_number && field->words ? json_incref(value) : NULL;
}

bool res_flat_take_metadata(const struct res_fields *fields, const char *key, json_t *value,
			    json_t *config)
{
	static const char *const sections[] = { "benchmark", "server" };

	if (!json_is_string(value) && !json_is_number(value) && !json_is_boolean(value))
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(short_names); i++) {
		if (strcasecmp(short_names[i].key, key) == 0)
			key = short_names[i].argument;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		auto_free char *id = pl_asprintf("%s.%s", sections[i], key);
		const struct res_field *field = res_fields_find(fields, id);
		json_t *taken = field != NULL && field->option != NULL ? value_for(field, value)
								       : NULL;
		if (taken == NULL)
			continue;
		if (json_object_get(config, sections[i]) == NULL)
			json_object_set_new(config, sections[i], json_object());
		json_t *section = json_object_get(config, sections[i]);
		if (json_object_get(section, key) == NULL)
			json_object_set(section, key, taken);
		json_decref(taken);
		return true;
	}
	return false;
}

/*
 * Returns {timestamp, tags, config: {benchmark, server}, results}: metrics and load options under
 * their names (model_id becomes the model). A value from --metadata becomes a load option or server
 * argument of that name, otherwise, if it is a text, a tag. Lists of single requests are dropped.
 * `date` is local time, so the timestamp has no time zone. New reference.
 */
static json_t *flat_document(const struct res_fields *fields, const struct res_flat *flat)
{
	json_t *benchmark = json_object(), *results = json_object(), *tags = json_object();
	json_t *config = json_pack("{s:o}", "benchmark", benchmark);
	json_t *document = json_pack("{s:o, s:o, s:o}", "tags", tags, "config", config, "results",
				     results);
	auto_buf made = PL_BUF(PL_JSON_BYTES_MAX);
	struct res_quality_facts facts;
	const char *name;

	if (flat->date != NULL)
		json_object_set_new(document, "timestamp", timestamp(flat->date));
	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		/* the name of a list of requests may be a metric of another kind of benchmark */
		if (pl_text_equal(key, "date") || res_flat_is_of_requests(key))
			continue;
		if (pl_text_equal(key, RES_CONSOLE_OPTIONS) && res_console_is_made(flat->json)) {
			PL_JSON_EACH_MEMBER(option, given, value)
				res_flat_take_metadata(fields, option, given, config);
			continue;
		}
		const char *id = id_of(fields, key, &made);
		if (id != NULL && pl_text_starts(id, "results.") &&
		    res_flat_is_unsampled(flat, key))
			value = json_null();
		if (id != NULL && (name = strchr(id, '.')) != NULL)
			put(pl_text_starts(id, "results.") ? results : benchmark, name + 1, value,
			    pl_text_equal(name + 1, key));
		else if (!res_flat_take_metadata(fields, key, value, config) &&
			 json_is_string(value))
			json_object_set(tags, key, value);
	}
	res_quality_init(&facts);
	res_flat_facts(flat, &facts);
	json_object_set_new(document, "quality", res_quality_evaluate_known(&facts));
	return document;
}

/* ---- producers ---- */

static int read_flat(const struct res_producer *self, const struct res_fields *fields, json_t *json,
		     const char *source, json_t **ret, struct pl_err *err)
{
	auto_flat struct res_flat *flat = NULL;

	(void)self;
	if (res_flat_of_json(json, source, &flat, err) < 0)
		return -1;
	*ret = flat_document(fields, flat);
	return 0;
}

static bool is_any(const struct res_producer *self, const json_t *json)
{
	(void)self;
	(void)json;
	return true;
}

/* The console output of an offline benchmark is read by the producer of its files. */
static bool is_console(const struct res_producer *self, const json_t *json)
{
	(void)self;
	return pl_text_equal(pl_json_get_text(json, RES_CONSOLE_KEY), RES_CONSOLE_MARK);
}

static bool is_of_console(const struct res_producer *self, const json_t *document)
{
	const char *kind = pl_json_path_text(document, "config.benchmark.kind");
	auto_free char *mark = pl_asprintf(RES_CONSOLE_MARK_OF "%s", kind != NULL ? kind : "serve");

	(void)self;
	return pl_text_equal(pl_json_path_text(document, "tags." RES_CONSOLE_KEY), mark);
}

const struct res_producer res_producer_console = { .is_file = is_console,
						   .is_document = is_of_console,
						   .read = read_flat };
const struct res_producer res_producer_flat = { .is_file = is_any,
						.is_document = is_any,
						.read = read_flat };
