/* Results as files: query/export/export.h, sent while they are made. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "dash/dash.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "query/export/export.h"
#include "store/store.h"

/* Each holds a snapshot of the results, and the order of its rows. */
#define EXPORTS_MAX     16
#define EXPORTS_RETRY_S 5

struct file {
	struct dash_stream stream;
	atomic_uint *exports;
	struct query_export *export;
};

static ptrdiff_t read_file(struct dash_stream *stream, char *bytes, size_t room)
{
	struct file *file = PL_CONTAINER_OF(stream, struct file, stream);
	struct pl_err err = PL_ERR_INIT;
	size_t len = 0;

	if (query_export_read(file->export, bytes, room, &len, &err) == 0)
		return (ptrdiff_t)len;
	pl_log(PL_LOG_WARNING, "the export is incomplete: %s", err.text);
	return -1;
}

static void free_file(struct dash_stream *stream)
{
	struct file *file = PL_CONTAINER_OF(stream, struct file, stream);

	query_export_free(file->export);
	atomic_fetch_sub(file->exports, 1);
	free(file);
}

static bool take_permit(atomic_uint *exports, struct dash_answer *answer)
{
	if (atomic_fetch_add(exports, 1) < EXPORTS_MAX)
		return true;
	atomic_fetch_sub(exports, 1);
	dash_refuse(answer, 503, "%d downloads are in progress, which is the limit; retry later",
		    EXPORTS_MAX);
	answer->retry_s = EXPORTS_RETRY_S;
	return false;
}

static int new_export(const struct dash_request *request,
		      const struct query_export_options *options, struct query_export **ret,
		      struct schema_faults *faults, struct pl_err *err)
{
	struct mirror_snapshot *snapshot;
	unsigned tries = 0;

	do {
		if (store_snapshot_get(request->context->store, &snapshot, err) == 0 &&
		    query_export_new(snapshot, request->body, options, ret, faults, err) == 0)
			return 0;
	} while (faults->count == 0 && store_should_retry(err, &tries));
	return -1;
}

static void send_file(const struct dash_request *request, enum query_export_form form,
		      const char *type, const char *suffix, struct dash_answer *answer)
{
	int64_t now_ns = pl_clock_real_ns();
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct query_export *export = NULL;
	char time[32], stamp[32];

	if (!take_permit(request->context->exports, answer))
		return;
	pl_clock_rfc3339(now_ns, time);
	if (new_export(request,
		       &(struct query_export_options){ .form = form,
						       .program = DASH_PROGRAM " " PROFLLM_VERSION,
						       .time = time },
		       &export, &faults, &err) < 0) {
		atomic_fetch_sub(request->context->exports, 1);
		if (faults.count > 0)
			dash_refuse_faults(answer, &faults);
		else
			dash_refuse_stored(answer, &err);
		return;
	}
	struct file *file = pl_alloc(sizeof(*file));
	*file = (struct file){ .stream = { .read = read_file, .free = free_file },
			       .exports = request->context->exports,
			       .export = export };
	pl_clock_format(now_ns, "%Y%m%d-%H%M%S", 1, stamp, sizeof(stamp));
	dash_answer_bytes(answer, type, NULL, 0);
	answer->status = 200;
	answer->stream = &file->stream;
	answer->disposition = pl_asprintf("attachment; filename=\"profllm-results-%s.%s\"", stamp,
					  suffix);
}

void dash_export_csv(const struct dash_request *request, struct dash_answer *answer)
{
	send_file(request, QUERY_EXPORT_CSV, "text/csv; charset=utf-8; header=present", "csv",
		  answer);
}

void dash_export_json(const struct dash_request *request, struct dash_answer *answer)
{
	send_file(request, QUERY_EXPORT_JSON, "application/json", "json", answer);
}

void dash_export_parquet(const struct dash_request *request, struct dash_answer *answer)
{
	send_file(request, QUERY_EXPORT_PARQUET, "application/vnd.apache.parquet", "parquet",
		  answer);
}

void dash_export_arrow(const struct dash_request *request, struct dash_answer *answer)
{
	send_file(request, QUERY_EXPORT_ARROW, "application/vnd.apache.arrow.file", "arrow",
		  answer);
}
