/*
 * Any bytes as a YAML document: what is accepted can be walked, typed, described and turned into
 * JSON within the bounds of the header; what is refused says where.
 */
#include "base/yaml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t walk(const struct pl_yaml *node, int depth)
{
	char text[80];
	double number;
	int64_t whole;
	size_t nodes = 1;

	assert(depth <= 64 && node->line >= 1 && node->column >= 1);
	pl_yaml_describe(node, text, sizeof(text));
	assert(strlen(text) > 0);
	if (pl_yaml_to_i64(node, &whole))
		assert(pl_yaml_to_f64(node, &number));
	for (size_t i = 0; i < node->count; i++) {
		if (node->kind == PL_YAML_MAP) {
			assert(node->keys[i]->kind == PL_YAML_SCALAR);
			assert(pl_yaml_get(node, node->keys[i]->text) == node->items[i]);
			nodes++;
		}
		nodes += walk(node->items[i], depth + 1);
	}
	return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pl_err err = PL_ERR_INIT;
	struct pl_yaml_doc *doc = NULL;

	if (pl_yaml_parse((const char *)data, size, "fuzz", &doc, &err) < 0) {
		assert(doc == NULL && err.code == PL_ERR_INVALID);
		assert(strncmp(err.text, "fuzz:", 5) == 0 || size > (8u << 20));
		return 0;
	}
	assert(walk(pl_yaml_root(doc), 1) <= 100000);
	json_t *json = pl_yaml_to_json(pl_yaml_root(doc));
	char *text = pl_json_to_text(json, PL_JSON_PYTHON);
	json_t *retry = NULL;
	if (pl_json_parse(text, strlen(text), "again", &retry, &err) == 0)
		assert(json_equal(json, retry));
	json_decref(retry);
	free(text);
	json_decref(json);
	pl_yaml_free(doc);
	return 0;
}
