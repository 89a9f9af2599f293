/*
 * The result file (api/result.schema.json, docs/reference/result-file.md), built from finished
 * parts. The content of the parts is defined by their makers. This file defines the keys, their
 * order, and that status, results and error are consistent.
 *
 * A missing number is null, never zero.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "option/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* 2: config.experiment, environment.repeat_of. */
#define RES_SCHEMA_VERSION 3

enum res_status {
#define STATUS(id, name, exit, results, error, run, text) RES_STATUS_##id,
#include "tbl/states.h"
	RES_STATUS_COUNT
};

enum res_stage {
#define STAGE(id, name, text) RES_STAGE_##id,
#include "tbl/states.h"
	RES_STAGE_COUNT
};

enum res_cause {
#define CAUSE(id, name, text, hint) RES_CAUSE_##id,
#include "tbl/states.h"
	RES_CAUSE_COUNT /* also: not known */
};

enum res_artifact_kind {
#define ARTIFACT(id, name, text) RES_ARTIFACT_##id,
#include "tbl/states.h"
	RES_ARTIFACT_COUNT
};

const char *res_status_name(enum res_status status);
/* Returns "a run that timed out". */
const char *res_status_run(enum res_status status);
/* Returns -1 if there is no such status. */
int res_status_find(const char *name, enum res_status *ret) PL_MUST_CHECK;
/* Returns whether the run did everything that was requested. */
bool res_status_is_whole(enum res_status status);
const char *res_stage_name(enum res_stage stage);
int res_stage_find(const char *name, enum res_stage *ret) PL_MUST_CHECK;

/*
 * Everything is borrowed. NULL is written as null or as an empty section (tags, artifacts: empty).
 */
struct res_document_parts {
	const char *run_id;
	const char *suite;
	const char *name;
	json_t *tags;            /* object of texts */
	int64_t started_real_ns; /* `timestamp` */
	double duration_s;       /* the whole experiment */
	json_t *config;  /* {server, server_source, server_explicit, params_overlay, benchmark,
			  * experiment} */
	json_t *results; /* res_metrics_compute(); NULL: nothing was measured */
	json_t *system;
	json_t *profiling;
	enum res_status status;
	json_t *launch;
	json_t *environment;
	json_t *quality;   /* res_quality_evaluate() */
	json_t *error;     /* res_error() */
	json_t *artifacts; /* array; res_artifact_add() */
	json_t *series;
};

/* Returns -1 if a part is missing or does not match the status; see tbl/states.h. New reference. */
int res_document_build(const struct res_document_parts *parts, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;

/* Makes "exp_20260102_030405_0a1b2c": UTC and six random digits. */
#define RES_RUN_ID_BYTES 27
void res_run_id_make(int64_t real_ns, char run_id[RES_RUN_ID_BYTES]);

/*
 * Returns a section of tbl/result_fields.h with every key except its notes, without values. NULL:
 * no such section. New reference.
 */
json_t *res_document_empty(const char *section);

/*
 * Formats environment.engine: "vLLM 0.32.0", or the version alone if it contains the name; NULL:
 * unknown. The caller frees it with free().
 */
char *res_engine_text(const json_t *engine);

/* Returns RES_CAUSE_UNKNOWN if there is no such cause. */
enum res_cause res_cause_find(const char *name);
/* Returns the definition of a cause, a lowercase sentence; "unknown cause" if this version has no such
 * name. */
const char *res_cause_text(const char *name);

/*
 * Returns {stage, code, message, cause, hint, log_line, log_tail}. Cause RES_CAUSE_COUNT (and its
 * hint) and log_tail NULL (an array of lines) become null; the caller sets log_line. `hint` NULL:
 * the hint of the cause. The hint names options in the form of `voice`, and the process `pid` (0:
 * unknown). New reference.
 */
json_t *res_error(enum res_stage stage, const struct pl_err *why, enum res_cause cause,
		  const char *hint, enum option_voice voice, int64_t pid, json_t *log_tail);

/* Appends {kind, name, size, sha256} of a complete file. */
int res_artifact_add(json_t *artifacts, const char *path, enum res_artifact_kind kind,
		     struct pl_err *err) PL_MUST_CHECK;

/* "POINTER: found VALUE, expected …" of a value in a file. Always -1. */
int res_refuse_value(const json_t *value, const char *expected, struct pl_err *err,
		     const char *pointer, ...) PL_MUST_CHECK PL_PRINTF(4, 5);

enum res_fail_on { RES_FAIL_ON_NOTHING, RES_FAIL_ON_CLIENT_LIMITED, RES_FAIL_ON_DEGRADED };
/* Parses "degraded" or "client_limited". */
int res_fail_on_parse(const char *text, enum res_fail_on *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns the exit status of `run`. verdict: NULL if there is none; signal: the one that
 * interrupted the run, 0: unknown.
 */
int res_exit_status(enum res_status status, const char *verdict, enum res_fail_on fail_on,
		    int signal);
/* The same for a result document; without a status it counts as unreadable. */
int res_exit_status_of(const json_t *result, enum res_fail_on fail_on, int signal);
