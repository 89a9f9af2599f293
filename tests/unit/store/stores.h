/*
 * Shared by the tests of the store: documents from texts, a store in a file.
 */
#pragma once

#include <string.h>

#include "store/store.h"

#define FLAT                                                                                 \
	"{'date': '20260101-000000', 'backend': 'vllm', 'model_id': 'm', 'num_prompts': 2, " \
	"'request_rate': 'inf', 'completed': 2, 'failed': 0, 'duration': 1.5, "              \
	"'total_input_tokens': 20, 'total_output_tokens': 10, 'request_throughput': 1.3, "   \
	"'output_throughput': 6.6, 'total_token_throughput': 20, 'mean_ttft_ms': 5, "        \
	"'median_ttft_ms': 5, 'std_ttft_ms': 4, 'p99_ttft_ms': 8.9}"

/* JSON with the other quotes, which need no strokes here; free(). */
static inline char *quoted(const char *text)
{
	char *made = pl_strdup(text);

	for (char *at = made; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	return made;
}

struct tools {
	struct res_fields *fields;
	struct store_reader *reader;
};

static inline void tools_init(struct tools *tools)
{
	struct pl_err err = PL_ERR_INIT;

	tools->fields = res_fields_new(NULL);
	if (store_reader_new(tools->fields, &tools->reader, &err) < 0)
		fail_msg("%s", err.text);
}

static inline void tools_done(struct tools *tools)
{
	store_reader_free(tools->reader);
	res_fields_free(tools->fields);
}
#define auto_tools __attribute__((cleanup(tools_done), unused)) struct tools

static inline void read_text(const struct tools *tools, const char *text,
			     struct store_document *ret)
{
	auto_free char *bytes = quoted(text);
	auto_json json_t *faults = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_document_read(
		    tools->reader,
		    &(struct store_source){
			    .bytes = bytes, .len = strlen(bytes), .name = "x.json", .line = 1 },
		    ret, &faults, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static inline struct store *open_store(const struct tools *tools, const char *path,
				       bool with_columns, bool with_jobs)
{
	struct store_options options = { .path = path,
					 .fields = tools->fields,
					 .with_columns = with_columns,
					 .with_jobs = with_jobs };
	struct pl_err err = PL_ERR_INIT;
	struct store *store = NULL;

	if (store_open(&options, &store, &err) < 0)
		fail_msg("%s", err.text);
	return store;
}

static inline struct store_put_result put_text(const struct tools *tools, struct store *store,
					       const char *text)
{
	auto_store_document document = { .len = 0 };
	struct store_put_result result = { .id = 0 };
	struct pl_err err = PL_ERR_INIT;

	read_text(tools, text, &document);
	auto_prepared struct store_prepared *prepared = store_prepare(store, &document, "x.json");
	if (store_put(store, prepared, &result, &err) < 0)
		fail_msg("%s", err.text);
	return result;
}
