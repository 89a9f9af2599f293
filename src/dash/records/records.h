/*
 * Questions about the requests of one result (records/records.h): a file is read once and cached
 * (dash/parsed/parsed.h), and each question only selects and sorts rows.
 */
#pragma once

#include "base/json.h"
#include "records/records.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a document as uploaded seems to have lists of requests: a cheap test, because most have none. */
bool dash_records_has_lists(const char *document, size_t len);
#define DASH_RECORD_LIMITS_MAX 20
#define DASH_RECORD_LANES_MAX  2000
#define DASH_RECORD_STALLS_MAX 20 /* per request */
/* A gap is a stall if it is this often as long as the median gap of all completed requests. */
#define DASH_RECORD_STALL_MEDIANS 5

struct dash_prepared_kind;
struct dash_request;
struct store_artifact;

extern const struct dash_prepared_kind dash_records_kind;

/*
 * Opens a stored artifact of kind `requests`, fast if it was read before. *ret is a new reference. Returns -1
 * also if two other threads wait already (BUSY), or the client has left.
 */
int dash_records_open(const struct dash_request *request, const struct store_artifact *artifact,
		      struct records **ret, struct pl_err *err) PL_MUST_CHECK;

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
json_t *dash_records_page(const struct records *records,
			  const struct dash_records_question *question);

/* All rows that match, as CSV in pieces. Holds a reference to the records; the question may be freed. */
struct dash_records_csv;
struct dash_records_csv *dash_records_csv_new(struct records *records,
					      const struct dash_records_question *question);
void dash_records_csv_free(struct dash_records_csv *csv);
/* Returns the number of bytes written, at most `room`; 0: the end. */
size_t dash_records_csv_read(struct dash_records_csv *csv, char *bytes, size_t room);
