#include <math.h>
#include <string.h>

#include "base/text.h"
#include "dash/records/records_priv.h"
#include "result/timing.h"

const struct records_column_row dash_records_columns[RECORDS_COLUMNS] = {
#define COLUMN(id, type, unit, title, text) { #id, type, unit, title, text },
#include "tbl/record_columns.h"
};

const char *const dash_records_status_names[RECORDS_STATUSES] = {
	[RECORDS_COMPLETED] = "completed",
	[RECORDS_FAILED] = "failed",
	[RECORDS_NOT_SENT] = "not_sent",
};

bool dash_records_column_find(const char *name, enum records_column *ret, const char **ret_nearest)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < RECORDS_COLUMNS; i++) {
		if (strcmp(dash_records_columns[i].id, name) == 0) {
			*ret = (enum records_column)i;
			return true;
		}
		pl_nearest_try(&nearest, dash_records_columns[i].id);
	}
	*ret_nearest = nearest.found;
	return false;
}

/* NaN if either is missing, or they are in the wrong order. */
static double ms_between(int64_t from_ns, int64_t to_ns)
{
	if (from_ns == RES_NO_TIME || to_ns == RES_NO_TIME || to_ns < from_ns)
		return NAN;
	return res_seconds(from_ns, to_ns) * 1000;
}

static double seconds_after(const struct records_row *row, int64_t origin_ns, int64_t t_ns)
{
	return row->has_start && t_ns != RES_NO_TIME ? res_seconds(origin_ns, t_ns) : NAN;
}

static double count_of(int64_t count)
{
	return count >= 0 ? (double)count : NAN;
}

double dash_records_number(const struct records *records, const struct records_row *row,
			   enum records_column column, int64_t origin_ns)
{
	(void)records;
	switch (column) {
	case RECORDS_index:
		return (double)row->index;
	case RECORDS_start_s:
		return seconds_after(row, origin_ns, row->acted_ns);
	case RECORDS_end_s:
		return seconds_after(row, origin_ns, row->end_ns);
	case RECORDS_duration_ms:
		return ms_between(row->acted_ns, row->end_ns);
	case RECORDS_client_queue_ms:
		return ms_between(row->queued_ns, row->acted_ns);
	case RECORDS_send_ms:
		return ms_between(row->acted_ns, row->sent_ns);
	case RECORDS_headers_ms:
		return ms_between(row->acted_ns, row->headers_ns);
	case RECORDS_ttft_ms:
		return row->ttft_s * 1000;
	case RECORDS_first_token_ms:
		return ms_between(row->acted_ns, row->content_ns);
	case RECORDS_tpot_ms:
		return row->tpot_s * 1000;
	case RECORDS_max_itl_ms:
		return row->max_gap_ns >= 0 ? res_seconds(0, row->max_gap_ns) * 1000 : NAN;
	case RECORDS_e2el_ms:
		return row->e2el_s * 1000;
	case RECORDS_server_queue_ms:
		return row->server_queue_s * 1000;
	case RECORDS_server_ttft_ms:
		return row->server_ttft_s * 1000;
	case RECORDS_server_decode_ms:
		return row->server_decode_s * 1000;
	case RECORDS_prompt_tokens:
		return count_of(row->prompt_tokens);
	case RECORDS_cached_tokens:
		return count_of(row->cached_tokens);
	case RECORDS_output_tokens:
		return count_of(row->output_tokens);
	case RECORDS_chunks:
		return (double)row->chunks;
	case RECORDS_tries:
		return (double)row->tries;
	case RECORDS_session:
		return row->session > 0 ? row->session : NAN;
	case RECORDS_turn:
		return row->session > 0 ? row->turn : NAN;
	case RECORDS_http_status:
		return row->http_status > 0 ? row->http_status : NAN;
	case RECORDS_status:
	case RECORDS_finish_reason:
	case RECORDS_error:
	case RECORDS_error_message:
	case RECORDS_request_id:
	case RECORDS_COLUMNS:
		break;
	}
	return NAN;
}

static const char *text_at(const struct records *records, uint32_t at)
{
	return at > 0 ? records_text(records, at) : NULL;
}

const char *dash_records_column_text(const struct records *records, const struct records_row *row,
				     enum records_column column)
{
	switch (column) {
	case RECORDS_status:
		return dash_records_status_names[row->status];
	case RECORDS_finish_reason:
		return text_at(records, row->finish_at);
	case RECORDS_error:
		return row->status != RECORDS_COMPLETED ? records_failure_names[row->failure]
							: NULL;
	case RECORDS_error_message:
		return text_at(records, row->message_at);
	case RECORDS_request_id:
		return text_at(records, row->id_at);
	default:
		return NULL;
	}
}
