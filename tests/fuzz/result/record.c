/* Reads any line as one of the requests file: refused, or a record that writes the same line. */
#include "result/record_line.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = NULL;
	auto_json json_t *retry = NULL;
	struct res_record record;
	auto_buf line = { 0 };

	pl_buf_init(&line, 64u << 20);
	if (pl_json_parse((const char *)data, size, "input", &json, &err) < 0 ||
	    res_record_from_json(json, &record, &err) < 0)
		return 0;
	if (!res_record_add_json(&line, &record) ||
	    pl_json_parse(line.data, line.len, "line", &retry, &err) < 0)
		abort();
	/* an empty message and an absent one are the same record */
	if (json_string_length(pl_json_get_path(json, "error.message")) == 0 &&
	    json_is_object(json_object_get(json, "error")))
		json_object_set_new(json_object_get(json, "error"), "message", json_null());
	/* a line from before this key was recorded may lack it */
	if (json_object_get(json, "handshake_ns") == NULL)
		json_object_set_new(json, "handshake_ns", json_null());
	if (!json_equal(json, retry))
		abort();
	res_record_done(&record);
	return 0;
}
