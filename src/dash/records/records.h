/*
 * The requests of one result: the lines of RESULT.requests.jsonl (api/requests.schema.json), or the lists of a file of
 * vLLM's client, as rows in memory. Their times and metrics are those of the metrics of a result (result/timing.h). A
 * file has up to millions of events: it is read once and cached (dash/parsed/parsed.h), and each question only selects
 * and sorts rows.
 */
#pragma once

#include "base/json.h"
#include "dash/parsed/parsed.h"

#include <stdbool.h>
#include <stdint.h>

struct res_flat;

/* Never changes after it was read; shared by reference counts, which any thread may change. */
struct dash_records;

extern const struct dash_parsed_kind dash_records_kind;
struct dash_records *dash_records_ref(struct dash_records *records);
void dash_records_unref(struct dash_records *records);
static inline void dash_records_auto(struct dash_records **owner)
{
	dash_records_unref(*owner);
}
#define auto_records __attribute__((cleanup(dash_records_auto), unused))

/*
 * Reads lines in pieces of any size. A line that is not a record is skipped and counted; so is a second record of a
 * request. Lines may come in any order. Returns -1 (INVALID) if the rows take more than about bytes_max in memory, or
 * there are more than DASH_RECORD_LINES_MAX lines; a line of more than DASH_RECORD_LINE_BYTES_MAX is skipped.
 */
#define DASH_RECORD_LINES_MAX      ((size_t)4 << 20)
#define DASH_RECORD_LINE_BYTES_MAX ((size_t)32 << 20)
struct dash_records_reader;
struct dash_records_reader *dash_records_reader_new(size_t bytes_max);
void dash_records_reader_free(struct dash_records_reader *reader);
static inline void dash_records_reader_auto(struct dash_records_reader **owner)
{
	dash_records_reader_free(*owner);
}
#define auto_records_reader __attribute__((cleanup(dash_records_reader_auto), unused))
int dash_records_reader_add(struct dash_records_reader *reader, const char *text, size_t len,
			    struct pl_err *err) PL_MUST_CHECK;
/* *ret is the caller's first reference. Only free the reader afterwards. */
int dash_records_reader_end(struct dash_records_reader *reader, struct dash_records **ret,
			    struct pl_err *err) PL_MUST_CHECK;

/* Whether a document as uploaded seems to have lists of requests: a cheap test, because most have none. */
bool dash_records_has_lists(const char *document, size_t len);
/* The lists of a file of vLLM's client, as far as they are known. *ret is the caller's first reference. */
int dash_records_of_flat(const struct res_flat *flat, size_t bytes_max, struct dash_records **ret,
			 struct pl_err *err) PL_MUST_CHECK;

size_t dash_records_bytes(const struct dash_records *records);
size_t dash_records_count(const struct dash_records *records);
/* The first start of a request on the clock of the records; false: none is known, or the clock is another one's. */
bool dash_records_first_ns(const struct dash_records *records, int64_t *ret);

#define DASH_RECORD_LIMITS_MAX 20
#define DASH_RECORD_LANES_MAX  2000
#define DASH_RECORD_STALLS_MAX 20 /* per request */
/* A gap is a stall if it is this often as long as the median gap of all completed requests. */
#define DASH_RECORD_STALL_MEDIANS 5

struct dash_records_question;

/*
 * Reads the members of the query of GET …/requests (api/openapi.yaml), which fit the contract. origin_ns: the start of
 * the run on the clock of the records. The question refers to `query`. Returns -1 (INVALID) for an unknown column.
 */
int dash_records_question_new(const json_t *query, int64_t origin_ns,
			      struct dash_records_question **ret, struct pl_err *err) PL_MUST_CHECK;
void dash_records_question_free(struct dash_records_question *question);
static inline void dash_records_question_auto(struct dash_records_question **owner)
{
	dash_records_question_free(*owner);
}
#define auto_records_question __attribute__((cleanup(dash_records_question_auto), unused))

/* New reference: RequestPage of api/openapi.yaml, except recorded, origin_ns and clock. */
json_t *dash_records_page(const struct dash_records *records,
			  const struct dash_records_question *question);

/* All rows that match, as CSV in pieces. Holds a reference to the records; the question may be freed. */
struct dash_records_csv;
struct dash_records_csv *dash_records_csv_new(struct dash_records *records,
					      const struct dash_records_question *question);
void dash_records_csv_free(struct dash_records_csv *csv);
/* Returns the number of bytes written, at most `room`; 0: the end. */
size_t dash_records_csv_read(struct dash_records_csv *csv, char *bytes, size_t room);
