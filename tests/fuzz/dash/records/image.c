/*
 * A prepared file of records whose arrays were changed: it is refused, or each response from it is complete. The input is
 * lines of records, and after a NUL the changes (fuzz/image.h).
 */
#include "records/image.h"

#include "../../image.h"
#include "dash/records/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct records *records, const char *sort, double from_s)
{
	auto_records_question struct dash_records_question *question = NULL;
	auto_json json_t *query = json_pack("{s:s, s:b, s:i, s:f}", "sort", sort, "curve", 1,
					    "lanes", 100, "from_s", from_s);
	char bytes[100];

	image_must(dash_records_question_new(query, 1000000000, &question, PL_ERR_IGNORED) == 0);
	auto_json json_t *page = dash_records_page(records, question);
	image_must(json_is_object(json_object_get(page, "sums")) &&
		   json_is_object(json_object_get(page, "lanes")));
	struct dash_records_csv *csv = dash_records_csv_new(records, question);
	while (dash_records_csv_read(csv, bytes, sizeof(bytes)) > 0)
		continue;
	dash_records_csv_free(csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size), rest = len < size ? len + 1 : size;
	auto_unpack struct pl_unpack *file = pl_unpack_new_text((const char *)data, len);
	auto_records struct records *read = NULL;
	auto_records struct records *loaded = NULL;
	auto_fd int fd = image_file();

	image_must(records_read(file, NULL, IMAGE_BYTES_MAX, &read, PL_ERR_IGNORED) == 0);
	image_must(records_save(read, fd, PL_ERR_IGNORED) == 0);
	image_apply(&fd, data + rest, size - rest);
	int result = records_load(fd, IMAGE_BYTES_MAX, &loaded, PL_ERR_IGNORED);
	image_must(result == 0 || size - rest >= IMAGE_CHANGE_BYTES);
	if (result < 0)
		return 0;
	image_must(records_bytes(loaded) <= 2 * IMAGE_BYTES_MAX);
	ask(loaded, "-ttft_ms", -1e9);
	ask(loaded, "request_id", 1.0);
	ask(loaded, "max_itl_ms", 1.0);
	return 0;
}
