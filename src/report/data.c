#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "report/report.h"
#include "series/series.h"

#define BLOCK_BYTES ((size_t)256 << 10)

void report_data_init(struct report_data *data)
{
	*data = (struct report_data){ .notes = json_array() };
}

void report_data_done(struct report_data *data)
{
	records_unref(data->records);
	series_unref(data->series);
	json_decref(data->notes);
}

void report_data_note(struct report_data *data, const char *name, const char *text)
{
	auto_free char *note = pl_asprintf("%s: %s.", name, text);

	json_array_append_new(data->notes, pl_json_text(note));
}

static int read_series(struct pl_unpack *file, const struct report_limits *limits,
		       const struct records_cancel *cancel, struct report_data *data,
		       struct pl_err *err)
{
	auto_buf text = PL_BUF(limits->series_text_bytes);
	auto_free char *block = pl_alloc(BLOCK_BYTES);
	size_t len = 0;

	do {
		if (cancel != NULL && cancel->is_canceled(cancel->data))
			return pl_err_set(err, PL_ERR_INTERRUPTED, "canceled");
		if (pl_unpack_read(file, block, BLOCK_BYTES, &len, err) < 0)
			return -1;
		if (!pl_buf_add(&text, block, len))
			return pl_err_invalid(err, "larger than %zu MiB after decompression",
					      limits->series_text_bytes >> 20);
	} while (len > 0);
	return series_read(pl_buf_text(&text), text.len, limits->series_bytes, &data->series, err);
}

void report_data_read(struct report_data *data, const struct report_artifact *artifact,
		      const struct report_limits *limits, const struct records_cancel *cancel)
{
	bool is_requests = strcmp(artifact->kind, "requests") == 0;
	bool is_series = strcmp(artifact->kind, "series") == 0;
	auto_unpack struct pl_unpack *file = NULL;
	struct pl_err err = PL_ERR_INIT;

	if ((!is_requests || data->records != NULL) && (!is_series || data->series != NULL))
		return;
	if (artifact->open(artifact->data, &file, &err) < 0 ||
	    (is_requests ? records_read(file, cancel, limits->records_bytes, &data->records, &err)
			 : read_series(file, limits, cancel, data, &err)) < 0)
		report_data_note(data, artifact->name, err.text);
}

void report_data_add_lists(struct report_data *data, const struct res_flat *flat,
			   const struct report_limits *limits)
{
	struct pl_err err = PL_ERR_INIT;

	/* lists that contradict each other, or have no times, make no chart */
	if (data->records != NULL || flat->count == 0 || !flat->has_starts ||
	    flat->lists_fault[0] != '\0')
		return;
	if (records_of_flat(flat, limits->records_bytes, &data->records, &err) < 0)
		report_data_note(data, "lists of requests", err.text);
}
