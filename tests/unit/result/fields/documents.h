/* Shared by the tests of fields: documents with values at paths of every kind, and random ones. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "result/fields/fields.h"

#define KEYS_MAX 80

/* Values at places of every kind, and values that block a place. */
static const char *const odd_documents[] = {
	"{\"run_id\": \"r\", \"status\": null, \"tags\": {\"a\": 1},"
	" \"config\": {\"server\": {\"seed\": 1, \"max_model_len\": \"auto\", \"new_one\": 3,"
	"   \"compilation_config\": {\"level\": 3, \"other\": {\"x\": 1}}},"
	"  \"server_explicit\": [\"seed\", \"none_such\", 5, \"compilation_config\"],"
	"  \"server_source\": {\"seed\": \"default\", \"max_model_len\": \"explicit\"},"
	"  \"benchmark\": {\"num_prompts\": 3, \"request_rate\": \"inf\"},"
	"  \"experiment\": {\"benchmark\": {\"num_prompts\": 3}, \"launch\": {\"stop_timeout\": "
	"\"30s\"}}},"
	" \"results\": {\"duration\": 2.5, \"p99.9_ttft_ms\": 4, \"errors\": [{\"kind\": "
	"\"timeout\", \"count\": 2, \"retried\": 1}, {\"kind\": \"timeout\", \"count\": 3}]},"
	" \"quality\": {\"verdict\": \"trusted\", \"checks\": [{\"id\": \"client_cpu\", "
	"\"status\": \"ok\"}, {\"id\": \"client_cpu\", \"status\": \"bad\", \"value\": 0.1}, 3,"
	"  {\"id\": \"none_such\", \"value\": 1}, {\"value\": 2}, \"x\", null],"
	"  \"client_cpu\": {\"value\": 0.5}},"
	" \"system\": {\"gpus\": [{\"name\": \"G\", \"memory_mib\": 5}, {\"name\": \"G\"}]}}",
	"{\"config\": {\"server\": {\"seed\": 1},"
	"  \"server_source\": {\"seed\": \"explicit\", \"max_model_len\": \"explicit\","
	"   \"block_size\": null}, \"experiment\": 3}}",
	"{\"results\": {\"p99\": {\"9_ttft_ms\": 1}, \"p99.9_ttft_ms\": 2},"
	" \"results.duration\": 5, \"config.server\": {\"seed\": 2},"
	" \"quality.client_cpu\": {\"value\": 1, \"status\": \"ok\"}, \"results.\": {\"duration\": "
	"3}}",
	"{\"config\": [{\"server\": {}}], \"quality\": {\"checks\": {\"id\": 1}}, \"system\": []}",
	"[]",
	"3",
};

/* Sets some of the parts of an id as one key and the others below it; existing values stay. */
static inline void set_path(struct pl_pyrandom *rng, json_t *object, const char *path,
			    json_t *value)
{
	const char *end = path + strlen(path);
	const char *dot = strchr(path, '.');

	while (dot != NULL && pl_pyrandom_below(rng, 4) == 0)
		dot = strchr(dot + 1, '.');
	auto_free char *key = pl_strndup(path, (size_t)((dot != NULL ? dot : end) - path));
	json_t *inside = json_object_get(object, key);
	if (dot == NULL) {
		json_object_set_new(object, key, value);
		return;
	}
	if (json_is_array(inside) && json_array_size(inside) > 0)
		inside = json_array_get(inside, 0);
	if (!json_is_object(inside)) {
		json_t *made = json_object();
		bool is_list = pl_pyrandom_below(rng, 6) == 0;
		json_object_set_new(object, key, is_list ? json_pack("[o, {}]", made) : made);
		inside = made;
	}
	set_path(rng, inside, dot + 1, value);
}

static inline json_t *any_value(struct pl_pyrandom *rng)
{
	static const char *const values[] = { "1",       "0",       "2.5",
					      "true",    "null",    "\"x\"",
					      "\"inf\"", "\"30s\"", "[1, 2]",
					      "{}",      "[]",      "{\"b\": 1, \"a\": [2]}",
					      "\"auto\"" };

	return pl_json_of_text(values[pl_pyrandom_below(rng, PL_ARRAY_SIZE(values))]);
}

/* As ids are places: some of these are only by their beginnings somewhere else. */
static inline char *position_of(const char *id)
{
	static const char *const positions[][2] = { { "run.", "" },
						    { "server.", "config.server." },
						    { "benchmark.", "config.benchmark." },
						    { "experiment.", "config.experiment." } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(positions); i++) {
		if (pl_text_starts(id, positions[i][0]))
			return pl_asprintf("%s%s", positions[i][1], id + strlen(positions[i][0]));
	}
	return pl_strdup(id);
}

static inline json_t *any_document(struct pl_pyrandom *rng, const struct res_fields *fields)
{
	json_t *document = json_object(), *explicit = json_array();

	for (size_t i = pl_pyrandom_below(rng, KEYS_MAX); i > 0; i--) {
		const char *id =
			res_fields_at(fields, pl_pyrandom_below(rng, res_fields_count(fields)))->id;
		auto_free char *position = position_of(id);
		set_path(rng, document, position, any_value(rng));
		if (pl_text_starts(id, "server.") && pl_pyrandom_below(rng, 3) == 0)
			json_array_append_new(explicit, json_string(id + strlen("server.")));
	}
	if (json_is_object(json_object_get(document, "config")) && pl_pyrandom_below(rng, 2) == 0)
		json_object_set(json_object_get(document, "config"), "server_explicit", explicit);
	json_decref(explicit);
	return document;
}
