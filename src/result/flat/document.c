#include "result/flat/document.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "result/flat/flat.h"

/* Keys that are called otherwise here; those of older releases last. */
static const struct {
	const char *key, *id;
} renamed[] = {
	{ "model_id", "benchmark.model" },
	{ "tokenizer_id", "benchmark.tokenizer" },
	{ "endpoint_type", "benchmark.backend" },
	{ "request_goodput:", "results.request_goodput" },
};

/* "20261121-022202" as "2026-11-21T02:22:02"; another text as it stands. */
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

/* Keys that vLLM writes itself: what else is named as an option of the load is the user's word
 * (--metadata). */
static const char *const flat_keys[] = {
#define FLAT(key, when, verdict, remark) key,
#include "tbl/bench_notes.h"
};

/* "benchmark.model": by the name as it stands, or by another, put together in `id`; NULL: it has no field. */
static const char *id_of(const struct res_fields *fields, const char *key, struct pl_buf *id)
{
	static const char *const places[] = { "results.", "benchmark." };
	struct res_field field;

	for (size_t i = 0; i < PL_ARRAY_SIZE(renamed); i++) {
		if (strcmp(renamed[i].key, key) == 0)
			return renamed[i].id;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(places) && strchr(key, '.') == NULL; i++) {
		if (i > 0 && !PL_TEXT_IS_ONE_OF(key, flat_keys))
			break;
		pl_buf_clear(id);
		if (pl_buf_add_text(id, places[i]) && pl_buf_add_text(id, key) &&
		    res_fields_resolve(fields, pl_buf_text(id), &field, NULL) == 0)
			return pl_buf_text(id);
	}
	return NULL;
}

/* What an older name says gives way. */
static void put(json_t *place, const char *key, json_t *value, bool as_it_stands)
{
	if (as_it_stands || json_object_get(place, key) == NULL)
		json_object_set(place, key, value);
}

json_t *res_flat_document(const struct res_fields *fields, const struct res_flat *flat)
{
	json_t *benchmark = json_object(), *results = json_object(), *tags = json_object();
	json_t *document = json_pack("{s:o, s:{s:o}, s:o}", "tags", tags, "config", "benchmark",
				     benchmark, "results", results);
	auto_buf made = PL_BUF(PL_JSON_BYTES_MAX);
	const char *name;

	if (flat->date != NULL)
		json_object_set_new(document, "timestamp", timestamp(flat->date));
	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		/* what a list of requests is called may be a figure of another kind of benchmark */
		if (pl_text_equal(key, "date") || res_flat_is_of_requests(key))
			continue;
		const char *id = id_of(fields, key, &made);
		if (id == NULL && json_is_string(value))
			json_object_set(tags, key, value);
		else if (id != NULL && (name = strchr(id, '.')) != NULL)
			put(pl_text_starts(id, "results.") ? results : benchmark, name + 1, value,
			    pl_text_equal(name + 1, key));
	}
	return document;
}
