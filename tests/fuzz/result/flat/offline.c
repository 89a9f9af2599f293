/* A result file of an offline benchmark, or none: refused, or what is read of it is written as it was. */
#include "result/flat/offline.h"
#include "result/fields/fields.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define TEXT_BYTES_MAX (16u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = NULL, *figures = NULL, *flat = NULL, *retry = NULL;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (pl_json_parse((const char *)data, size, "input", &json, &err) < 0)
		return 0;
	const char *kind = res_offline_kind_of(json);
	if (kind == NULL)
		return 0;
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *document = res_offline_document(fields, json);
	bool taken = res_offline_figures(kind, json, &figures, &err) == 0;
	if (taken != (document != NULL))
		abort();
	if (!taken)
		return 0;
	flat = res_offline_flat(kind, "model", figures);
	if (res_offline_figures(kind, flat, &retry, &err) < 0 || !json_equal(figures, retry))
		abort();
	res_offline_report(kind, figures, &text);
	return 0;
}
