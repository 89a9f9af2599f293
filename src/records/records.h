/*
 * The requests of one result: the lines of RESULT.requests.jsonl (api/requests.schema.json), or the lists of a file of
 * vLLM's client, as rows in memory. Their times and metrics are those of the metrics of a result (result/timing.h). A
 * file has up to millions of events, so lines are read without a JSON tree, and each event becomes at most one gap.
 */
#pragma once

#include "base/unpack.h"

#include <stdatomic.h>
#include <stddef.h>

struct res_flat;

enum records_status { RECORDS_COMPLETED, RECORDS_FAILED, RECORDS_NOT_SENT, RECORDS_STATUSES };

/* The kinds of errors; as many as fit into a bit mask. */
enum records_failure {
#define FAILURE(name, text) RECORDS_FAILURE_##name,
#include "tbl/states.h"
	RECORDS_FAILURES
};
_Static_assert(RECORDS_FAILURES <= 32, "a set of kinds is a uint32_t");
extern const char *const records_failure_names[RECORDS_FAILURES];

/* Times as in struct res_record; RES_NO_TIME: none. */
struct records_row {
	int64_t index;
	int64_t queued_ns;
	int64_t acted_ns;
	int64_t sent_ns;
	int64_t headers_ns;
	int64_t first_ns; /* the first chunk */
	int64_t content_ns;
	int64_t last_ns; /* the last chunk, or the end of a response without chunks */
	int64_t end_ns;
	int64_t max_gap_ns; /* -1: no gap */
	double ttft_s;      /* NaN: none */
	double tpot_s;      /* NaN: none */
	double e2el_s;      /* NaN: none */
	double server_queue_s;
	double server_ttft_s;
	double server_decode_s;
	int64_t prompt_tokens; /* RES_NO_COUNT: unknown */
	int64_t cached_tokens; /* RES_NO_COUNT: not reported */
	int64_t output_tokens; /* RES_NO_COUNT: of a pooling request, which has none */
	uint64_t gap_at;       /* of struct records */
	uint32_t gap_count;
	uint32_t chunks;
	uint32_t id_at; /* in the texts; 0: none */
	uint32_t message_at;
	uint32_t finish_at;
	uint32_t tries;
	uint32_t session;    /* from 1; 0: none */
	uint32_t turn;       /* in its session, from 0 */
	int32_t http_status; /* 0: none */
	uint8_t status;      /* enum records_status */
	uint8_t failure;     /* of a request that did not complete */
	bool has_start;      /* else acted_ns is 0 and only differences of times are known */
};

/* The positions of a curve, in thousandths of a percent, ascending. */
#define RECORDS_POSITIONS 128
extern const int records_positions[RECORDS_POSITIONS];

/* A gap that does not fit into 32 bits of nanoseconds: 4.3 s and longer. */
struct records_long_gap {
	uint64_t at;
	int64_t ns;
};
#define RECORDS_LONG_GAP UINT32_MAX

/* Never changes after it was read; shared by reference counts, which any thread may change. */
struct records {
	atomic_uint references;
	struct records_row *rows; /* by index */
	size_t count;
	size_t room;
	uint32_t *
		gaps; /* between the chunks of each request, in ns; RECORDS_LONG_GAP: in the list */
	size_t gap_count;
	size_t gap_room;
	struct records_long_gap *long_gaps; /* by place */
	size_t long_count;
	size_t long_room;
	char *texts; /* each ends with a NUL; the first byte is one, so that 0 is "none" */
	size_t text_len;
	size_t text_room;
	size_t lines;
	size_t skipped;
	size_t attempts; /* lines of attempts that were retried */
	bool is_foreign; /* the clock is not CLOCK_MONOTONIC of the run */
	double itl
		[RECORDS_POSITIONS]; /* curve of the gaps of all completed requests, in ms; NaN: none */
	size_t itl_count;
	double itl_median_ms; /* NaN: none */
};

static inline const char *records_text(const struct records *records, uint32_t at)
{
	return records->texts + at;
}

int64_t records_gap(const struct records *records, uint64_t at);

struct records *records_ref(struct records *records);
void records_unref(struct records *records);
static inline void records_auto(struct records **owner)
{
	records_unref(*owner);
}
#define auto_records __attribute__((cleanup(records_auto), unused))

/* Ends a read early. */
struct records_cancel {
	bool (*is_canceled)(void *data);
	void *data;
};

/*
 * Reads lines from a file, which may be compressed. A line that is not a record is skipped and counted; so is a second
 * record of a request, and a line of more than RECORDS_LINE_BYTES_MAX. Lines may come in any order. cancel: NULL: never.
 * Returns -1 with INVALID if the rows take more than about bytes_max in memory, the text has more than
 * RECORDS_TEXT_BYTES_MAX, or there are more than RECORDS_LINES_MAX lines; with INTERRUPTED if it was canceled. *ret is
 * the caller's first reference, after an error, too: it has the requests before it.
 */
#define RECORDS_TEXT_BYTES_MAX ((size_t)1 << 30)
#define RECORDS_LINES_MAX      ((size_t)4 << 20)
#define RECORDS_LINE_BYTES_MAX ((size_t)32 << 20)
int records_read(struct pl_unpack *file, const struct records_cancel *cancel, size_t bytes_max,
		 struct records **ret, struct pl_err *err) PL_MUST_CHECK;

/* The same in pieces of any size. */
struct records_reader;
struct records_reader *records_reader_new(size_t bytes_max);
void records_reader_free(struct records_reader *reader);
static inline void records_reader_auto(struct records_reader **owner)
{
	records_reader_free(*owner);
}
#define auto_records_reader __attribute__((cleanup(records_reader_auto), unused))
int records_reader_add(struct records_reader *reader, const char *text, size_t len,
		       struct pl_err *err) PL_MUST_CHECK;
/* Takes the last line, if it has no end. *ret is set in any case. Only free the reader afterwards. */
int records_reader_end(struct records_reader *reader, struct records **ret,
		       struct pl_err *err) PL_MUST_CHECK;

/* The lists of a file of vLLM's client, as far as they are known. *ret is the caller's first reference. */
int records_of_flat(const struct res_flat *flat, size_t bytes_max, struct records **ret,
		    struct pl_err *err) PL_MUST_CHECK;

size_t records_bytes(const struct records *records);
/* The first start of a request on the clock of the records; false: none is known, or the clock is another one's. */
bool records_first_ns(const struct records *records, int64_t *ret);

/* Returns whether a sample lies beyond the position: a finer percentile of so few samples says nothing. */
bool records_is_supported(size_t position, size_t count);
/* The position in percent. */
double records_percent(size_t position);
/* Computes the curve of the gaps of these rows into ret[RECORDS_POSITIONS], in ms. Returns the number of gaps. */
size_t records_itl(const struct records *records, const uint32_t *rows, size_t count, double *ret,
		   double *ret_median_ms);
