/*
 * The records of Parquet and Arrow files, for test_columnar_records.py and tests/perf/records_memory.py:
 *
 *	print FILE [COLUMN...]   one JSON object per line; bytes that are not UTF-8 as {"hex": ...}
 *	count FILE [COLUMN...]   the records, their texts' bytes, and the peak of the process's memory in kB
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clean.h"
#include "columnar/columnar_priv.h"
#include "columnar/records.h"

static size_t text_bytes;

/* Replaces bytes that JSON cannot hold. */
static json_t *printable(json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value)) {
		size_t len = json_string_length(value);
		const char *bytes = json_string_value(value);
		text_bytes += len;
		if (columnar_is_utf8(bytes, len))
			return json_incref(value);
		auto_buf hex = PL_BUF(1 << 30);
		for (i = 0; i < len; i++)
			pl_buf_addf(&hex, "%02x", (unsigned char)bytes[i]);
		return json_pack("{s:s}", "hex", pl_buf_text(&hex));
	}
	if (json_is_array(value)) {
		json_t *list = json_array();
		json_array_foreach(value, i, item) json_array_append_new(list, printable(item));
		return list;
	}
	if (json_is_object(value)) {
		json_t *object = json_object();
		json_object_foreach(value, key, item)
			json_object_set_new(object, key, printable(item));
		return object;
	}
	return json_incref(value);
}

static int read_all(struct columnar_records *records, bool is_printed, struct pl_err *err)
{
	int64_t count = 0;
	json_t *record;

	for (;; count++) {
		if (columnar_records_next(records, &record, err) < 0)
			return -1;
		if (record == NULL)
			break;
		json_t *shown = printable(record);
		if (is_printed) {
			json_dumpf(shown, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17));
			putchar('\n');
		}
		json_decref(shown);
		json_decref(record);
	}
	if (count != columnar_records_count(records))
		return pl_err_invalid(err, "found %" PRId64 " records, expected %" PRId64, count,
				      columnar_records_count(records));
	return 0;
}

/* VmHWM counts this program alone; getrusage() includes the process before exec(). */
static long peak_kb(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[128];
	long peak = -1;

	while (status != NULL && fgets(line, sizeof(line), status) != NULL)
		sscanf(line, "VmHWM: %ld", &peak);
	if (status != NULL)
		fclose(status);
	return peak;
}

int main(int argc, char **argv)
{
	auto_columnar_records struct columnar_records *records = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (argc < 3)
		return 2;
	auto_fd int fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (columnar_records_open_file(fd, argc > 3 ? (const char *const *)argv + 3 : NULL,
				       &COLUMNAR_LIMITS, &records, &err) < 0 ||
	    read_all(records, strcmp(argv[1], "print") == 0, &err) < 0) {
		fprintf(stderr, "records_driver: %s\n", err.text);
		return 1;
	}
	if (strcmp(argv[1], "count") == 0) {
		printf("{\"records\": %" PRId64 ", \"text_bytes\": %zu, \"peak_kb\": %ld}\n",
		       columnar_records_count(records), text_bytes, peak_kb());
	}
	return 0;
}
