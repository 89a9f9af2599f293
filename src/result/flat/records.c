/*
 * Conversion of a flat result to records. vLLM's client stores an error's text but no kind, so the
 * kind is derived from the text. Its times are taken in user space, and each event is assumed to
 * have one token.
 */
#include "result/flat/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ERROR_BYTES_MAX 1000

/*
 * A trace's last line names the exception; other errors of vLLM are one line. The first matching
 * row counts.
 */
static const struct {
	const char *part;
	const char *kind;
} failures[] = {
	{ "Never received a", "no_output" },
	{ "Stream ended without a terminal event", "truncated" },
	{ "ClientPayloadError", "truncated" },
	{ "TransferEncodingError", "truncated" },
	{ "TimeoutError", "timeout" },
	{ "ClientConnector", "connect" },
	{ "Cannot connect to host", "connect" },
	{ "ConnectionRefusedError", "connect" },
	{ "ServerDisconnected", "reset" },
	{ "ConnectionResetError", "reset" },
	{ "ClientOSError", "reset" },
	{ "Broken pipe", "reset" },
	{ "JSONDecodeError", "protocol" },
	{ "UnicodeDecodeError", "protocol" },
	{ "ClientResponseError", "protocol" },
	{ "BadHttpMessage", "protocol" },
	{ "\"error\"", "stream_error" },
	{ "Traceback", "unknown" },
};

/* vLLM stores an error response's reason phrase without its number. */
static const struct {
	const char *phrase;
	int32_t status;
} reasons[] = {
	{ "Bad Request", 400 },
	{ "Unauthorized", 401 },
	{ "Forbidden", 403 },
	{ "Not Found", 404 },
	{ "Method Not Allowed", 405 },
	{ "Request Timeout", 408 },
	{ "Request Entity Too Large", 413 },
	{ "Unprocessable Entity", 422 },
	{ "Unprocessable Content", 422 },
	{ "Too Many Requests", 429 },
	{ "Internal Server Error", 500 },
	{ "Not Implemented", 501 },
	{ "Bad Gateway", 502 },
	{ "Service Unavailable", 503 },
	{ "Gateway Timeout", 504 },
};

/* The client in Rust writes "HTTP 503: body". */
static int32_t status_of(const char *text)
{
	if (pl_text_starts(text, "HTTP ")) {
		long status = strtol(text + strlen("HTTP "), NULL, 10);
		return status >= 100 && status <= 599 ? (int32_t)status : 0;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(reasons); i++) {
		if (strcmp(text, reasons[i].phrase) == 0)
			return reasons[i].status;
	}
	return 0;
}

static const char *kind_of(const char *text)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(failures); i++) {
		if (strstr(text, failures[i].part) != NULL)
			return failures[i].kind;
	}
	/* the remaining case is the reason phrase of an HTTP response, which may be empty */
	return strchr(text, '\n') == NULL ? "http_status" : "unknown";
}

static void set_failure(const struct res_flat_request *request, struct res_record *record)
{
	record->status = status_of(request->error);
	record->error_kind = res_failure_name(record->status != 0 ? "http_status"
								  : kind_of(request->error));
	const char *text = request->error;
	size_t end = strlen(text);
	while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL)
		end--;
	size_t start = end;
	while (start > 0 && text[start - 1] != '\n')
		start--;
	size_t len = end - start;
	if (len > ERROR_BYTES_MAX)
		len = ERROR_BYTES_MAX;
	/* never half a character */
	while (len > 0 && len < end - start && ((unsigned char)text[start + len] & 0xc0) == 0x80)
		len--;
	record->error = pl_strndup(text + start, len);
	if (record->error[0] != '\0')
		return;
	free(record->error);
	record->error = pl_strdup("vLLM's client recorded no reason");
}

static int64_t to_ns(double seconds)
{
	/* longer than any run: only avoid an overflow */
	return seconds < 9e9 ? llround(seconds * 1e9) : (int64_t)9e18;
}

/* Each event at its sum of gaps, so that rounding to ns does not add up. */
static void set_events(const struct res_flat_request *request, bool role_first,
		       struct res_record *record)
{
	double at_s = request->ttft_s;
	int64_t before_ns = 0;

	/* of a failed request nothing may have come */
	if (!(request->ttft_s > 0))
		return;
	record->events = pl_alloc_array(request->gap_count + 1, sizeof(*record->events));
	for (size_t i = 0; i <= request->gap_count; i++) {
		unsigned flags = RES_EVENT_USER_STAMP | RES_EVENT_GUESSED;
		if (i > 0) {
			at_s += request->gaps[i - 1];
			if (request->gaps[i - 1] < RES_FLAT_MERGED_S)
				flags |= RES_EVENT_COALESCED;
		}
		int64_t at_ns = to_ns(at_s);
		record->event_count += res_event_encode(&record->events[record->event_count], 1,
							at_ns - before_ns,
							i == 0 && role_first ? 0 : 1, flags);
		before_ns = at_ns;
	}
}

static void set_times(const struct res_flat *flat, const struct res_flat_how *how,
		      const struct res_flat_request *request, struct res_record *record)
{
	bool waited = flat->max_concurrency != INT64_MIN && !isnan(request->queue_s);

	if (isnan(request->start_s))
		return;
	record->acted_ns = to_ns(request->start_s) + how->shift_ns;
	if (waited)
		record->queued_ns = record->acted_ns - to_ns(request->queue_s);
	set_events(request, how->role_first, record);
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;
	while (res_record_next(&cursor, &at))
		record->end_ns = at.t_ns;
	if (request->ok && !isnan(request->latency_s))
		record->end_ns = record->acted_ns + to_ns(request->latency_s);
}

static void set_record(const struct res_flat *flat, const struct res_flat_how *how,
		       const struct res_flat_request *request, struct res_record *record)
{
	set_times(flat, how, request, record);
	record->ok = request->ok;
	record->prompt_tokens = request->input_tokens;
	if (how->keeps_text && request->text != NULL)
		record->text = pl_json_to_ctext(request->text);
	if (!request->ok) {
		set_failure(request, record);
		return;
	}
	record->status = 200;
	record->output_tokens = request->output_tokens;
	record->token_source = request->output_tokens > 0 ? RES_TOKENS_USAGE : RES_TOKENS_NONE;
}

void res_flat_records(const struct res_flat *flat, const struct res_flat_how *how,
		      struct res_record *records)
{
	for (size_t i = 0; i < flat->count; i++) {
		res_record_init(&records[i], i);
		set_record(flat, how, &flat->requests[i], &records[i]);
	}
}
