/*
 * The schemas of api/, embedded in the program: validation needs no files. It reads a copy without titles and
 * descriptions, which the build makes (tools/embed-json.c), because that takes less time.
 */
#include <stddef.h>
#include <string.h>

#include "schema/schema.h"

/* SCHEMA_FOLDER, SCHEMA_COPIES: where the build finds them (CMakeLists.txt) */
#define SCHEMA_BYTES(symbol, path)                     \
	__asm__(".pushsection .rodata\n" #symbol ":\n" \
		".incbin \"" path "\"\n"               \
		".byte 0\n"                            \
		".popsection\n");                      \
	extern const char symbol[]
#define SCHEMA(name)                                                            \
	SCHEMA_BYTES(res_schema_of_##name, SCHEMA_FOLDER #name ".schema.json"); \
	SCHEMA_BYTES(res_schema_copy_of_##name, SCHEMA_COPIES #name ".schema.json")
SCHEMA(result);
SCHEMA(requests);
SCHEMA(series);
SCHEMA(experiment);

const char *const schema_names[] = { "result", "requests", "series", "experiment", NULL };
static const char *const texts[] = { res_schema_of_result, res_schema_of_requests,
				     res_schema_of_series, res_schema_of_experiment };
static const char *const copies[] = { res_schema_copy_of_result, res_schema_copy_of_requests,
				      res_schema_copy_of_series, res_schema_copy_of_experiment };

static const char *find(const char *const *of, const char *name)
{
	for (size_t i = 0; schema_names[i] != NULL; i++) {
		if (strcmp(schema_names[i], name) == 0)
			return of[i];
	}
	return NULL;
}

const char *schema_text(const char *name)
{
	return find(texts, name);
}

const char *schema_copy(const char *name)
{
	return find(copies, name);
}

int schema_open(const char *name, const struct schema **ret, struct pl_err *err)
{
	auto_free char *file = pl_asprintf("%s.schema.json", name);
	const char *text = schema_copy(name);
	auto_json json_t *document = NULL;

	if (text == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "unknown schema '%s'", name);
	if (pl_json_parse(text, strlen(text), file, &document, err) < 0)
		return -1;
	return schema_compile(document, file, "", ret, err);
}
