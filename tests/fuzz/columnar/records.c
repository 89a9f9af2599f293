/* Reads any bytes as the records of a Parquet or Arrow file: refused, or all records. Every value is used. */
#include "columnar/records.h"
#include "use.h"

#define RECORDS_MAX 2000 /* a few bytes may stand for many */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_json(const json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value))
		use_text(json_string_value(value), json_string_length(value));
	json_array_foreach(value, i, item) use_json(item);
	json_object_foreach((json_t *)value, key, item)
	{
		use_text(key, strlen(key));
		use_json(item);
	}
}

static void read_records(const uint8_t *data, size_t size, const char *const *columns)
{
	static const struct columnar_limits limits = { .bytes = 1 << 16, .rows = 1 << 12 };
	auto_columnar_records struct columnar_records *records = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf names = PL_BUF(1 << 20);
	json_t *record;

	if (columnar_records_open(data, size, columns, &limits, &records, &err) < 0)
		return;
	columnar_records_names(records, &names);
	use_text(pl_buf_text(&names), names.len);
	for (int i = 0; i < RECORDS_MAX; i++) {
		if (columnar_records_next(records, &record, &err) < 0 || record == NULL)
			return;
		if (!json_is_object(record))
			abort();
		use_json(record);
		json_decref(record);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const columns[] = { "conversations", "text", NULL };

	read_records(data, size, NULL);
	read_records(data, size, columns);
	return 0;
}
