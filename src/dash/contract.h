/*
 * api/openapi.yaml, which is put into the program as it is: what each route takes, read when the server
 * starts, so that what is written there is what is checked.
 *
 * Of an operation these count: its query parameters (name, schema, required; or content:
 * application/json for a member that is JSON; an array has commas between its items), and of its body the media types, the schema of
 * application/json, and x-bytes-max, an extension: more is refused while it comes; x-unpacked: it may come packed. A route that can be
 * 304 lists that among its answers.
 *
 * A contract never changes after it was opened; any thread may use it.
 */
#pragma once

#include "dash/target.h"
#include "schema/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dash_contract;
struct dash_operation;

/* The file's bytes. */
const char *dash_contract_text(size_t *ret_len);
/* The program's own; an error is one of the file. */
int dash_contract_open(struct dash_contract **ret, struct pl_err *err) PL_MUST_CHECK;
/* Another text in its place, for tests. */
int dash_contract_read(const char *text, size_t len, struct dash_contract **ret,
		       struct pl_err *err) PL_MUST_CHECK;
void dash_contract_free(struct dash_contract *contract);
PL_AUTO_DEFINE(struct dash_contract, dash_contract_free);
#define auto_contract PL_AUTO(dash_contract_free)

/* How many operations there are, and each in turn: its method ("GET") and path. */
size_t dash_contract_count(const struct dash_contract *contract);
const struct dash_operation *dash_contract_at(const struct dash_contract *contract, size_t i,
					      const char **ret_method, const char **ret_path);
/* NULL: it says nothing of that. */
const struct dash_operation *dash_contract_find(const struct dash_contract *contract,
						const char *method, const char *path);

/* Checks a filter by the schema that requests are checked by. False: faults were added. */
bool dash_contract_check_filter(const struct dash_contract *contract, const json_t *filter,
				struct schema_faults *faults) PL_MUST_CHECK;

/* May its body come packed (Content-Encoding)? */
bool dash_operation_unpacks(const struct dash_operation *operation);
bool dash_operation_can_be_304(const struct dash_operation *operation);
/* Of its body; 0: it takes none. */
uint64_t dash_operation_bytes_max(const struct dash_operation *operation);
/* Does it take a body of that type ("application/json; charset=utf-8")? NULL: one without a type. */
bool dash_operation_takes(const struct dash_operation *operation, const char *media);
/* What it takes, with commas, for messages. */
const char *dash_operation_media(const struct dash_operation *operation);
/* The schema that dash_operation_query() checks the members with. */
const struct schema *dash_operation_members(const struct dash_operation *operation);
/* Of a body of that type that is JSON; NULL: it is not checked here. */
const struct schema *dash_operation_schema(const struct dash_operation *operation,
					   const char *media);

/*
 * The members as one object: numbers, lists and JSON by their schemas, all else text. *ret: a new reference.
 * -1: faults were added, whose pointers are of that object; where there are none it cannot even be read,
 * and err says why.
 */
int dash_operation_query(const struct dash_operation *operation, const struct dash_target *target,
			 json_t **ret, struct schema_faults *faults,
			 struct pl_err *err) PL_MUST_CHECK;

/* Is a Content-Type of that type? Whatever its case and parameters. */
bool dash_media_is(const char *media, const char *type);
