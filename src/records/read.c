#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/jwalk.h"
#include "records/records.h"
#include "result/flat/read.h"
#include "result/flat/records.h"
#include "result/record.h"
#include "result/timing.h"

#define BLOCK_BYTES       ((size_t)256 << 10)
#define MESSAGE_BYTES_MAX 1000
#define FLAT_SECONDS_MAX  1e9 /* of uptime: 31 years */
#define DIGITS_MAX        18
#define TOKENS_MAX        INT32_MAX          /* of one request */
#define INDEX_MAX         (INT64_C(1) << 53) /* exact as a double */

/* ---- rows ---------------------------------------------------------------------------------- */

/* The texts of a record that struct res_record does not have. */
struct texts {
	const char *id; /* NUL-terminated; "": none */
	const char *message;
};

struct records_reader {
	struct records *records;
	struct res_record record; /* of the current line; `events` is reused */
	size_t event_room;
	struct pl_buf line;    /* the start of an incomplete line */
	struct pl_buf scratch; /* decoded texts */
	bool is_line_too_long;
	bool is_unordered;
	size_t lines; /* with blank ones */
	size_t bytes_max;
};

size_t records_bytes(const struct records *records)
{
	return sizeof(*records) + records->room * sizeof(records->rows[0]) +
	       records->gap_room * sizeof(records->gaps[0]) +
	       records->long_room * sizeof(records->long_gaps[0]) + records->text_room;
}

static uint32_t add_text(struct records *records, const char *text)
{
	size_t len = strlen(text), at = records->text_len;

	/* the limit of the memory is below that of the places */
	if (len == 0 || at + len + 1 > UINT32_MAX)
		return 0;
	pl_grow((void **)&records->texts, &records->text_room, at + len + 1, 1);
	memcpy(records->texts + at, text, len + 1);
	records->text_len += len + 1;
	return (uint32_t)at;
}

static void add_gap(struct records *records, int64_t ns)
{
	uint64_t at = records->gap_count;

	*PL_PUSH(records->gaps, records->gap_count,
		 records->gap_room) = ns < RECORDS_LONG_GAP ? (uint32_t)ns : RECORDS_LONG_GAP;
	if (ns >= RECORDS_LONG_GAP)
		*PL_PUSH(records->long_gaps, records->long_count,
			 records->long_room) = (struct records_long_gap){ at, ns };
}

static void add_gaps(struct records *records, const struct res_record *record,
		     struct records_row *row)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	int64_t before_ns = RES_NO_TIME;
	struct res_event_at at;

	row->gap_at = records->gap_count;
	row->max_gap_ns = -1;
	while (res_record_next_chunk(&cursor, &at)) {
		if (before_ns != RES_NO_TIME) {
			int64_t ns = at.t_ns - before_ns;
			add_gap(records, ns);
			row->max_gap_ns = ns > row->max_gap_ns ? ns : row->max_gap_ns;
		}
		before_ns = at.t_ns;
	}
	row->gap_count = (uint32_t)(records->gap_count - row->gap_at);
}

const char *const records_failure_names[RECORDS_FAILURES] = {
#define FAILURE(name, text) #name,
#include "tbl/states.h"
};

static enum records_failure failure_of(const char *kind)
{
	for (size_t i = 0; i < RECORDS_FAILURES; i++) {
		if (kind != NULL && strcmp(kind, records_failure_names[i]) == 0)
			return (enum records_failure)i;
	}
	return RECORDS_FAILURE_unknown;
}

static void add_row(struct records *records, const struct res_record *record,
		    const struct texts *texts)
{
	const struct res_timing timing = res_timing_of(record);
	struct records_row *row = PL_PUSH(records->rows, records->count, records->room);
	bool has_chunks = timing.mirror_chunk_count > 0;

	*row = (struct records_row){
		.index = (int64_t)record->index,
		.queued_ns = record->queued_ns,
		.acted_ns = record->acted_ns,
		.sent_ns = record->sent_ns,
		.headers_ns = record->headers_ns,
		.first_ns = timing.first_chunk_ns,
		.content_ns = timing.first_content_ns,
		.last_ns = timing.last_chunk_ns,
		.end_ns = record->end_ns,
		.ttft_s = timing.ttft_s,
		.tpot_s = record->ok && has_chunks && timing.output_tokens > 1 ? timing.tpot_s
									       : NAN,
		.e2el_s = record->ok ? timing.e2el_s : NAN,
		.server_queue_s = record->server_queue_s,
		.server_ttft_s = record->server_ttft_s,
		.server_decode_s = record->server_decode_s,
		.prompt_tokens = res_prompt_tokens(record),
		.cached_tokens = record->cached_tokens,
		.output_tokens = record->input_sequences > 0 ? RES_NO_COUNT : timing.output_tokens,
		.chunks = (uint32_t)timing.mirror_chunk_count,
		.tries = record->tries,
		.session = record->session,
		.turn = record->turn,
		.http_status = record->status,
		.status = record->ok                        ? RECORDS_COMPLETED
			  : record->acted_ns != RES_NO_TIME ? RECORDS_FAILED
							    : RECORDS_NOT_SENT,
		.failure = (uint8_t)failure_of(record->error_kind),
		.has_start = record->acted_ns != RES_NO_TIME,
	};
	if (record->acted_ns != RES_NO_TIME)
		add_gaps(records, record, row);
	else
		row->max_gap_ns = -1;
	row->id_at = add_text(records, texts->id);
	row->message_at = record->ok ? 0 : add_text(records, texts->message);
	row->finish_at = add_text(records, record->finish_reason);
}

/* ---- one line ------------------------------------------------------------------------------ */

/* Members that are read after others, or are checked together. */
struct line {
	const char *end;
	struct io_jwalk events; /* at the start of the list */
	bool has_events;        /* which is to be read */
	int64_t taken_from_ns;  /* the start that the events were counted from */
	bool has_index;
	bool is_retried;
	size_t id_at; /* of the texts in the scratch buffer; SIZE_MAX: none */
	size_t message_at;
};

/* Takes null as none. Returns false for any other value than a whole number from 0 to max. */
static bool take_count(struct io_jwalk *walk, int64_t max, int64_t none, int64_t *ret)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	*ret = none;
	if (token == IO_JWALK_NULL)
		return true;
	return token == IO_JWALK_NUMBER && io_jwalk_to_i64(walk, ret) && *ret >= 0 && *ret <= max;
}

static bool take_time(struct io_jwalk *walk, int64_t *ret)
{
	return take_count(walk, RES_TIME_MAX, RES_NO_TIME, ret);
}

static bool take_seconds(struct io_jwalk *walk, double *ret)
{
	if (io_jwalk_next(walk) != IO_JWALK_NUMBER)
		return false;
	auto_free char *digits = pl_strndup(walk->text, walk->len);
	double value = strtod(digits, NULL);
	*ret = isfinite(value) && value >= 0 ? value : NAN;
	return true;
}

/* The text of the last token, cut to at most len_max bytes of whole characters, in the scratch buffer. */
static size_t decode(struct records_reader *reader, const struct io_jwalk *walk, size_t len_max)
{
	struct pl_buf *scratch = &reader->scratch;
	size_t at = scratch->len;
	char *room = pl_buf_reserve(scratch, walk->len + 1);

	if (room == NULL)
		return SIZE_MAX;
	size_t len = io_jwalk_decode(walk, room, walk->len + 1);
	if (len == SIZE_MAX)
		return SIZE_MAX;
	if (len > len_max) {
		len = len_max;
		while (len > 0 && ((unsigned char)room[len] & 0xc0) == 0x80)
			len--;
		room[len] = '\0';
	}
	scratch->len += len + 1;
	return at;
}

static bool take_text(struct records_reader *reader, struct io_jwalk *walk, size_t len_max,
		      size_t *ret_at)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	*ret_at = token == IO_JWALK_STRING ? decode(reader, walk, len_max) : SIZE_MAX;
	return token == IO_JWALK_STRING || token == IO_JWALK_NULL;
}

static bool take_finish(struct records_reader *reader, struct io_jwalk *walk)
{
	enum io_jwalk_token token = io_jwalk_next(walk);
	char *finish = reader->record.finish_reason;
	size_t len = 0;

	if (token == IO_JWALK_STRING)
		len = io_jwalk_decode(walk, finish, sizeof(reader->record.finish_reason) - 1);
	finish[len == SIZE_MAX ? 0 : len] = '\0';
	return (token == IO_JWALK_STRING && len != SIZE_MAX) || token == IO_JWALK_NULL;
}

/* null, or {kind, status, message}. */
static bool take_error(struct records_reader *reader, struct io_jwalk *walk, struct line *line)
{
	struct res_record *record = &reader->record;
	enum io_jwalk_token token = io_jwalk_next(walk);

	record->ok = token == IO_JWALK_NULL;
	record->error_kind = NULL;
	if (token != IO_JWALK_OBJECT)
		return record->ok;
	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		if (io_jwalk_is(walk, "kind")) {
			size_t at = SIZE_MAX;
			if (!take_text(reader, walk, 40, &at))
				return false;
			record->error_kind = at != SIZE_MAX
						     ? res_failure_name(reader->scratch.data + at)
						     : NULL;
		} else if (io_jwalk_is(walk, "message")) {
			if (!take_text(reader, walk, MESSAGE_BYTES_MAX, &line->message_at))
				return false;
		} else if (io_jwalk_skip_value(walk) == IO_JWALK_ERROR) {
			return false;
		}
	}
	return token == IO_JWALK_END;
}

/* Returns whether the values of an event are possible, and adds it. */
static bool add_event(struct records_reader *reader, const int64_t *value, size_t count,
		      int64_t *before_ns)
{
	struct res_record *record = &reader->record;

	if (count < 3 || value[0] > RES_TIME_MAX || value[1] > RES_RECORD_TOKENS_MAX ||
	    value[2] >= RES_EVENT_MORE || (count == 4 && value[3] > RES_TIME_MAX) ||
	    value[0] < *before_ns || value[0] - *before_ns > RES_EVENT_DELTA_MAX)
		return false;
	/* no column counts the tokens of an event: one or more are one, which is one entry */
	pl_grow((void **)&record->events, &reader->event_room, (size_t)record->event_count + 1,
		sizeof(record->events[0]));
	record->event_count += res_event_encode(record->events + record->event_count, 1,
						value[0] - *before_ns, value[1] > 0,
						(unsigned)value[2]);
	*before_ns = value[0];
	return true;
}

/* Reads up to DIGITS_MAX digits, which fit into 63 bits. Returns the position after them, NULL for any other text. */
static const char *take_digits(const char *at, const char *end, int64_t *ret)
{
	const char *start = at;
	int64_t value = 0;

	while (at < end && *at >= '0' && *at <= '9' && at - start < DIGITS_MAX)
		value = value * 10 + (*at++ - '0');
	*ret = value;
	/* another digit is neither a comma nor a bracket, so its caller reads the number by tokens */
	return at > start && (*start != '0' || at - start == 1) ? at : NULL;
}

/*
 * The list as `profllm run` writes it, without blanks: most of a file is events, and this is several times as fast as a
 * walk over tokens. Returns the closing bracket; NULL: read it by tokens.
 */
static const char *take_plain_events(struct records_reader *reader, const char *at, const char *end)
{
	int64_t before_ns = reader->record.acted_ns, value[4];

	if (at < end && *at == ']')
		return at;
	for (;;) {
		size_t count = 0;
		if (at == end || *at++ != '[')
			return NULL;
		do {
			at = count < 4 ? take_digits(at, end, &value[count]) : NULL;
			if (at == NULL || at == end)
				return NULL;
			count++;
		} while (*at++ == ',');
		if (at[-1] != ']' || at == end || !add_event(reader, value, count, &before_ns))
			return NULL;
		if (*at == ']')
			return at;
		if (*at++ != ',')
			return NULL;
	}
}

/* [t_ns, tokens, flags] or [t_ns, tokens, flags, earliest_ns] */
static bool take_event(struct io_jwalk *walk, int64_t *before_ns, struct records_reader *reader)
{
	int64_t value[4];
	size_t count = 0;
	enum io_jwalk_token token;

	while ((token = io_jwalk_next(walk)) == IO_JWALK_NUMBER) {
		if (count == 4 || !io_jwalk_to_i64(walk, &value[count]) || value[count] < 0)
			return false;
		count++;
	}
	return token == IO_JWALK_END && add_event(reader, value, count, before_ns);
}

/* At the first event, after ARRAY. */
static bool take_events(struct records_reader *reader, struct io_jwalk walk)
{
	int64_t before_ns = reader->record.acted_ns;
	enum io_jwalk_token token;

	reader->record.event_count = 0;
	while ((token = io_jwalk_next(&walk)) == IO_JWALK_ARRAY) {
		if (before_ns == RES_NO_TIME || !take_event(&walk, &before_ns, reader))
			return false;
	}
	return token == IO_JWALK_END;
}

static bool take_true(struct io_jwalk *walk, bool *ret)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	*ret = token == IO_JWALK_TRUE;
	return token == IO_JWALK_TRUE || token == IO_JWALK_FALSE;
}

static bool take_number_member(struct io_jwalk *walk, struct res_record *record, struct line *line,
			       bool *ret_is_other)
{
	int64_t number = 0;

	if (io_jwalk_is(walk, "index")) {
		if (!take_count(walk, INDEX_MAX, -1, &number) || number < 0)
			return false;
		record->index = (uint64_t)number;
		return line->has_index = true;
	}
	if (io_jwalk_is(walk, "try")) {
		if (!take_count(walk, RES_TRIES_MAX, 0, &number))
			return false;
		record->tries = (uint32_t)number;
		return true;
	}
	if (io_jwalk_is(walk, "session")) {
		if (!take_count(walk, UINT32_MAX, 0, &number))
			return false;
		record->session = (uint32_t)number;
		return true;
	}
	if (io_jwalk_is(walk, "turn")) {
		if (!take_count(walk, UINT32_MAX, 0, &number))
			return false;
		record->turn = (uint32_t)number;
		return true;
	}
	if (io_jwalk_is(walk, "status")) {
		if (!take_count(walk, 999, 0, &number))
			return false;
		record->status = (int32_t)number;
		return true;
	}
	if (io_jwalk_is(walk, "prompt_tokens_requested"))
		return take_count(walk, TOKENS_MAX, RES_NO_COUNT, &record->prompt_tokens_requested);
	if (io_jwalk_is(walk, "prompt_tokens"))
		return take_count(walk, TOKENS_MAX, RES_NO_COUNT, &record->prompt_tokens);
	if (io_jwalk_is(walk, "cached_tokens"))
		return take_count(walk, TOKENS_MAX, RES_NO_COUNT, &record->cached_tokens);
	if (io_jwalk_is(walk, "output_tokens"))
		return take_count(walk, TOKENS_MAX, RES_NO_COUNT, &record->output_tokens);
	if (io_jwalk_is(walk, "input_sequences"))
		return take_count(walk, TOKENS_MAX, 0, &record->input_sequences);
	if (io_jwalk_is(walk, "images"))
		return take_count(walk, TOKENS_MAX, 0, &record->images);
	if (io_jwalk_is(walk, "videos"))
		return take_count(walk, TOKENS_MAX, 0, &record->videos);
	if (io_jwalk_is(walk, "audio_s"))
		return take_seconds(walk, &record->audio_s);
	if (io_jwalk_is(walk, "server_queue_s"))
		return take_seconds(walk, &record->server_queue_s);
	if (io_jwalk_is(walk, "server_ttft_s"))
		return take_seconds(walk, &record->server_ttft_s);
	if (io_jwalk_is(walk, "server_decode_s"))
		return take_seconds(walk, &record->server_decode_s);
	*ret_is_other = true;
	return true;
}

static bool take_time_member(struct io_jwalk *walk, struct res_record *record, bool *ret_is_other)
{
	if (io_jwalk_is(walk, "queued_ns"))
		return take_time(walk, &record->queued_ns);
	if (io_jwalk_is(walk, "acted_ns"))
		return take_time(walk, &record->acted_ns);
	if (io_jwalk_is(walk, "sent_ns"))
		return take_time(walk, &record->sent_ns);
	if (io_jwalk_is(walk, "headers_ns"))
		return take_time(walk, &record->headers_ns);
	if (io_jwalk_is(walk, "end_ns"))
		return take_time(walk, &record->end_ns);
	*ret_is_other = true;
	return true;
}

static bool take_member(struct records_reader *reader, struct io_jwalk *walk, struct line *line)
{
	struct res_record *record = &reader->record;
	bool is_other = false;

	if (io_jwalk_is(walk, "events")) {
		if (io_jwalk_next(walk) != IO_JWALK_ARRAY)
			return false;
		/* the first event counts from the start, which usually precedes the list */
		const char *bracket = NULL;
		record->event_count = 0;
		line->has_events = false;
		line->taken_from_ns = record->acted_ns;
		if (record->acted_ns != RES_NO_TIME)
			bracket = take_plain_events(reader, walk->text + 1, line->end);
		if (bracket != NULL) {
			io_jwalk_close(walk, bracket);
			return true;
		}
		line->events = *walk;
		line->has_events = true;
		return io_jwalk_skip(walk) == IO_JWALK_END;
	}
	if (io_jwalk_is(walk, "request_id"))
		return take_text(reader, walk, RES_ID_BYTES - 1, &line->id_at);
	if (io_jwalk_is(walk, "finish_reason"))
		return take_finish(reader, walk);
	if (io_jwalk_is(walk, "error"))
		return take_error(reader, walk, line);
	if (io_jwalk_is(walk, "retried"))
		return take_true(walk, &line->is_retried);
	if (io_jwalk_is(walk, "output_chunks"))
		return take_true(walk, &record->output_chunks);
	if (!take_time_member(walk, record, &is_other))
		return false;
	if (is_other) {
		is_other = false;
		if (!take_number_member(walk, record, line, &is_other))
			return false;
	}
	return !is_other || io_jwalk_skip_value(walk) != IO_JWALK_ERROR;
}

/* Returns whether the line is a record; *ret_is_retried: an attempt that another one followed. */
static bool read_line(struct records_reader *reader, const char *text, size_t len,
		      bool *ret_is_retried)
{
	struct line line = { .end = text + len,
			     .taken_from_ns = RES_NO_TIME,
			     .id_at = SIZE_MAX,
			     .message_at = SIZE_MAX };
	struct res_record *record = &reader->record;
	struct res_event *events = record->events;
	enum io_jwalk_token token;
	struct io_jwalk walk;

	res_record_init(record, 0);
	record->events = events;
	pl_buf_clear(&reader->scratch);
	io_jwalk_init(&walk, text, len);
	if (io_jwalk_next(&walk) != IO_JWALK_OBJECT)
		return false;
	while ((token = io_jwalk_next(&walk)) == IO_JWALK_KEY) {
		if (!take_member(reader, &walk, &line))
			return false;
	}
	if (token != IO_JWALK_END || io_jwalk_next(&walk) != IO_JWALK_DONE || !line.has_index)
		return false;
	*ret_is_retried = line.is_retried;
	if (line.is_retried)
		return true;
	/* no duration is known without a start */
	if (record->acted_ns == RES_NO_TIME)
		record->end_ns = RES_NO_TIME;
	/* a second start would move the events */
	if ((line.has_events ? !take_events(reader, line.events)
			     : record->event_count > 0 && line.taken_from_ns != record->acted_ns) ||
	    (record->end_ns != RES_NO_TIME && record->acted_ns != RES_NO_TIME &&
	     record->end_ns < record->acted_ns))
		return false;
	const char *texts = pl_buf_text(&reader->scratch);
	add_row(reader->records, record,
		&(struct texts){ line.id_at != SIZE_MAX ? texts + line.id_at : "",
				 line.message_at != SIZE_MAX ? texts + line.message_at : "" });
	return true;
}

/* ---- all lines ----------------------------------------------------------------------------- */

static struct records *records_new(void)
{
	struct records *records = pl_alloc(sizeof(*records));

	atomic_init(&records->references, 1);
	*PL_PUSH(records->texts, records->text_len, records->text_room) = '\0';
	return records;
}

struct records_reader *records_reader_new(size_t bytes_max)
{
	struct records_reader *reader = pl_alloc(sizeof(*reader));

	reader->records = records_new();
	reader->bytes_max = bytes_max;
	res_record_init(&reader->record, 0);
	pl_buf_init(&reader->line, RECORDS_LINE_BYTES_MAX);
	pl_buf_init(&reader->scratch, 2 * RECORDS_LINE_BYTES_MAX);
	return reader;
}

void records_reader_free(struct records_reader *reader)
{
	if (reader == NULL)
		return;
	records_unref(reader->records);
	free(reader->record.events);
	pl_buf_done(&reader->line);
	pl_buf_done(&reader->scratch);
	free(reader);
}

static int check_bytes(const struct records *records, size_t bytes_max, struct pl_err *err)
{
	if (records_bytes(records) <= bytes_max)
		return 0;
	return pl_err_invalid(err, "the records take more than %zu bytes of memory", bytes_max);
}

static int take_line(struct records_reader *reader, const char *text, size_t len,
		     struct pl_err *err)
{
	struct records *records = reader->records;
	bool is_retried = false;

	if (++reader->lines > RECORDS_LINES_MAX)
		return pl_err_invalid(err, "found more than %zu lines", RECORDS_LINES_MAX);
	if (len == 0)
		return 0;
	size_t before = records->count;
	bool is_taken = read_line(reader, text, len, &is_retried);
	records->lines += is_taken;
	records->skipped += !is_taken;
	records->attempts += is_taken && is_retried;
	if (records->count > before && before > 0 &&
	    records->rows[before].index <= records->rows[before - 1].index)
		reader->is_unordered = true;
	return check_bytes(records, reader->bytes_max, err);
}

/* Takes the rest of a line that came in pieces. */
static int end_line(struct records_reader *reader, struct pl_err *err)
{
	int result = 0;

	if (reader->is_line_too_long)
		reader->records->skipped++;
	else
		result = take_line(reader, pl_buf_text(&reader->line), reader->line.len, err);
	reader->is_line_too_long = false;
	pl_buf_clear(&reader->line);
	return result;
}

int records_reader_add(struct records_reader *reader, const char *text, size_t len,
		       struct pl_err *err)
{
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline != NULL ? newline : end;
		size_t part = (size_t)(stop - text);
		bool is_whole = newline != NULL && reader->line.len == 0 &&
				!reader->is_line_too_long;
		if (is_whole) {
			if (take_line(reader, text, part, err) < 0)
				return -1;
		} else {
			if (!reader->is_line_too_long && !pl_buf_add(&reader->line, text, part))
				reader->is_line_too_long = true;
			if (newline != NULL && end_line(reader, err) < 0)
				return -1;
		}
		text = stop + 1;
	}
	return 0;
}

/* After an error, the rest of its line is not a line. */
static void drop_line(struct records_reader *reader)
{
	pl_buf_clear(&reader->line);
	reader->is_line_too_long = false;
}

static int by_index(const void *a, const void *b)
{
	const struct records_row *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	/* the order of the lines */
	return x->gap_at < y->gap_at ? -1 : x->gap_at > y->gap_at;
}

/* Sorts rows by index, and drops all but the first of each. */
static void put_in_order(struct records *records)
{
	size_t used = 0;

	qsort(records->rows, records->count, sizeof(records->rows[0]), by_index);
	for (size_t i = 0; i < records->count; i++) {
		if (used > 0 && records->rows[used - 1].index == records->rows[i].index) {
			records->skipped++;
			records->lines--;
			continue;
		}
		records->rows[used++] = records->rows[i];
	}
	records->count = used;
}

/* Computes the curve of the gaps that most questions need. */
static void summarize(struct records *records)
{
	auto_free uint32_t *rows = pl_alloc_array(records->count, sizeof(*rows));

	for (size_t i = 0; i < records->count; i++)
		rows[i] = (uint32_t)i;
	records->itl_count = records_itl(records, rows, records->count, records->itl,
					 &records->itl_median_ms);
}

int records_reader_end(struct records_reader *reader, struct records **ret, struct pl_err *err)
{
	int rc = 0;

	/* the last line may have no end */
	if (reader->line.len > 0 || reader->is_line_too_long)
		rc = end_line(reader, err);
	if (reader->is_unordered)
		put_in_order(reader->records);
	summarize(reader->records);
	*ret = pl_take(reader->records);
	return rc;
}

static int read_blocks(struct pl_unpack *file, const struct records_cancel *cancel,
		       struct records_reader *reader, struct pl_err *err)
{
	auto_free char *block = pl_alloc(BLOCK_BYTES);
	size_t total = 0, len = 0;

	do {
		if (cancel != NULL && cancel->is_canceled(cancel->data))
			return pl_err_set(err, PL_ERR_INTERRUPTED, "canceled");
		if (pl_unpack_read(file, block, BLOCK_BYTES, &len, err) < 0 ||
		    records_reader_add(reader, block, len, err) < 0)
			return -1;
		total += len;
		if (total > RECORDS_TEXT_BYTES_MAX)
			return pl_err_invalid(err, "larger than %zu MiB after decompression",
					      RECORDS_TEXT_BYTES_MAX >> 20);
	} while (len > 0);
	return 0;
}

int records_read(struct pl_unpack *file, const struct records_cancel *cancel, size_t bytes_max,
		 struct records **ret, struct pl_err *err)
{
	auto_records_reader struct records_reader *reader = records_reader_new(bytes_max);
	int rc = read_blocks(file, cancel, reader, err);

	if (rc < 0)
		drop_line(reader);
	int end_rc = records_reader_end(reader, ret, rc < 0 ? PL_ERR_IGNORED : err);
	return rc < 0 ? rc : end_rc;
}

/* ---- lists of vLLM's client ---------------------------------------------------------------- */

/* Returns whether the times are those of a run, so that their sums in nanoseconds fit into 64 bits. */
static bool is_possible(const struct res_flat_request *request)
{
	const double times[] = { request->start_s, request->ttft_s, request->latency_s,
				 request->queue_s };
	double sum = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(times); i++) {
		if (!isnan(times[i]) && !(times[i] >= 0 && times[i] <= FLAT_SECONDS_MAX))
			return false;
	}
	for (size_t i = 0; i < request->gap_count; i++) {
		if (!(request->gaps[i] >= 0))
			return false;
		sum += request->gaps[i];
	}
	return sum <= FLAT_SECONDS_MAX;
}

/* Its requests as records, one at a time: their events take more memory than rows. */
static void add_flat(struct records *records, const struct res_flat *flat, size_t at)
{
	struct res_flat_request request = flat->requests[at];
	struct res_flat one = *flat;
	struct res_record record;
	bool has_start = !isnan(request.start_s);

	/* releases without start times: only the differences are known */
	if (!has_start)
		request.start_s = 0;
	one.requests = &request;
	one.count = 1;
	res_flat_records(&one, &(struct res_flat_how){ .shift_ns = 0 }, &record);
	record.index = at;
	record.tries = 1;
	add_row(records, &record, &(struct texts){ "", record.error != NULL ? record.error : "" });
	records->lines++;
	struct records_row *row = &records->rows[records->count - 1];
	row->has_start = has_start;
	res_record_done(&record);
}

int records_of_flat(const struct res_flat *flat, size_t bytes_max, struct records **ret,
		    struct pl_err *err)
{
	auto_records struct records *records = records_new();

	records->is_foreign = true;
	for (size_t i = 0; i < flat->count; i++) {
		if (is_possible(&flat->requests[i]))
			add_flat(records, flat, i);
		else
			records->skipped++;
		if (check_bytes(records, bytes_max, err) < 0)
			return -1;
	}
	summarize(records);
	*ret = pl_take(records);
	return 0;
}

/* ---- ownership ----------------------------------------------------------------------------- */

struct records *records_ref(struct records *records)
{
	atomic_fetch_add(&records->references, 1);
	return records;
}

void records_unref(struct records *records)
{
	if (records == NULL || atomic_fetch_sub(&records->references, 1) != 1)
		return;
	free(records->rows);
	free(records->gaps);
	free(records->long_gaps);
	free(records->texts);
	free(records);
}

bool records_first_ns(const struct records *records, int64_t *ret)
{
	bool is_known = false;

	*ret = 0;
	for (size_t i = 0; i < records->count; i++) {
		const struct records_row *row = &records->rows[i];
		if (!row->has_start || (is_known && row->acted_ns >= *ret))
			continue;
		*ret = row->acted_ns;
		is_known = true;
	}
	return is_known && !records->is_foreign;
}
