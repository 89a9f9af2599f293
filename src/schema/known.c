/* The schemas of api/, embedded in the program unchanged: validation needs no files. */
#include <stddef.h>
#include <string.h>

#include "schema/schema.h"

/* SCHEMA_FOLDER: where the build finds them (CMakeLists.txt) */
#define SCHEMA(name)                                                \
	__asm__(".pushsection .rodata\n"                            \
		"res_schema_of_" #name ":\n"                        \
		".incbin \"" SCHEMA_FOLDER #name ".schema.json\"\n" \
		".byte 0\n"                                         \
		".popsection\n");                                   \
	extern const char res_schema_of_##name[]
SCHEMA(result);
SCHEMA(requests);
SCHEMA(series);
SCHEMA(experiment);

const char *const schema_names[] = { "result", "requests", "series", "experiment", NULL };
static const char *const texts[] = { res_schema_of_result, res_schema_of_requests,
				     res_schema_of_series, res_schema_of_experiment };

const char *schema_text(const char *name)
{
	for (size_t i = 0; schema_names[i] != NULL; i++) {
		if (strcmp(schema_names[i], name) == 0)
			return texts[i];
	}
	return NULL;
}

int schema_open(const char *name, const struct schema **ret, struct pl_err *err)
{
	auto_free char *file = pl_asprintf("%s.schema.json", name);
	const char *text = schema_text(name);
	auto_json json_t *document = NULL;

	if (text == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "unknown schema '%s'", name);
	if (pl_json_parse(text, strlen(text), file, &document, err) < 0)
		return -1;
	return schema_compile(document, file, "", ret, err);
}
