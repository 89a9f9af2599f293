/*
 * api/openapi.yaml, which is embedded in the program: the server reads the input of each route from it at startup, so
 * requests are checked against the published contract.
 *
 * These parts of an operation are used: its query parameters (name, schema, required; content: application/json for a
 * parameter in JSON; an array is comma-separated), the media types of its body, the schema of application/json, and
 * these extensions: x-role, the role that the user needs (tbl/roles.h; default: read for GET, otherwise write);
 * x-audited: false, requests that the audit log omits; x-bytes-max, a limit that applies while the body arrives; and x-unpacked: the body may be compressed. A route that
 * supports 304 lists it among its responses.
 *
 * A contract never changes after it was opened; any thread may use it. It compiles a schema when a request first needs
 * it: a server has a hundred operations, and most users need a few.
 */
#pragma once

#include "dash/access/user.h"
#include "dash/target.h"
#include "schema/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dash_contract;
struct dash_operation;

/* Returns the bytes of the file. */
const char *dash_contract_text(size_t *ret_len);
/* Opens the embedded contract. An error is a fault in the file; the build's tests find one in a schema. */
int dash_contract_open(struct dash_contract **ret, struct pl_err *err) PL_MUST_CHECK;
/* Opens another text, for tests, and compiles its schemas. */
int dash_contract_read(const char *text, size_t len, struct dash_contract **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Compiles all schemas now. An error is a fault in one. */
int dash_contract_compile(const struct dash_contract *contract, struct pl_err *err) PL_MUST_CHECK;
void dash_contract_free(struct dash_contract *contract);
PL_AUTO_DEFINE(struct dash_contract, dash_contract_free);
#define auto_contract PL_AUTO(dash_contract_free)

/* The number of operations, and each by index: its method ("GET") and path. */
size_t dash_contract_count(const struct dash_contract *contract);
const struct dash_operation *dash_contract_at(const struct dash_contract *contract, size_t i,
					      const char **ret_method, const char **ret_path);
/* Returns NULL if there is no such operation. */
const struct dash_operation *dash_contract_find(const struct dash_contract *contract,
						const char *method, const char *path);

/* Checks a filter with the schema for requests. Returns false if faults were added. */
bool dash_contract_check_filter(const struct dash_contract *contract, const json_t *filter,
				struct schema_faults *faults) PL_MUST_CHECK;

enum dash_role dash_operation_role(const struct dash_operation *operation);
/* Returns whether the audit log has its requests: changes, except those with x-audited: false. */
bool dash_operation_is_audited(const struct dash_operation *operation);
/* Returns whether the query, or the JSON body, may name the author of a change. */
bool dash_operation_has_query_author(const struct dash_operation *operation);
bool dash_operation_has_body_author(const struct dash_operation *operation);
/* Returns whether its body may be compressed (Content-Encoding). */
bool dash_operation_unpacks(const struct dash_operation *operation);
bool dash_operation_can_be_304(const struct dash_operation *operation);
/* Returns the limit of its body; 0: it accepts no body. */
uint64_t dash_operation_bytes_max(const struct dash_operation *operation);
/* Returns whether it accepts a body of this type ("application/json; charset=utf-8"). NULL: a body without a type. */
bool dash_operation_takes(const struct dash_operation *operation, const char *media);
/* Returns the accepted types, separated by commas, for messages. */
const char *dash_operation_media(const struct dash_operation *operation);
/* Returns the schema with which dash_operation_query() checks the parameters. */
const struct schema *dash_operation_members(const struct dash_operation *operation);
/* Returns the schema of a JSON body of this type; NULL: it is not checked here. */
const struct schema *dash_operation_schema(const struct dash_operation *operation,
					   const char *media);

/*
 * Returns the parameters as one object: numbers, lists and JSON by their schemas, all else text. *ret: a new reference.
 * Returns -1 if faults were added, with pointers into this object. If there are none, the query is malformed and err
 * gives the reason.
 */
int dash_operation_query(const struct dash_operation *operation, const struct dash_target *target,
			 json_t **ret, struct schema_faults *faults,
			 struct pl_err *err) PL_MUST_CHECK;

/* Returns whether a Content-Type is of this type, ignoring case and parameters. */
bool dash_media_is(const char *media, const char *type);
