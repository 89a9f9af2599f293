/*
 * The result file (api/result.schema.json, docs/reference/result-file.md): finished parts in, one
 * document out. What the parts hold is their makers' business; which keys there are, in which
 * order, and that status, results and error fit together is decided here.
 *
 * A number that does not exist is null, never zero.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "base/err.h"
#include "base/json.h"

#include <stdint.h>

#define MD_RESULT_SCHEMA_VERSION 1

enum md_status {
#define STATUS(id, name, exit, results, error, text) MD_STATUS_##id,
#include "tbl/states.h"
	MD_STATUS_COUNT
};

enum md_stage {
#define STAGE(id, name, text) MD_STAGE_##id,
#include "tbl/states.h"
	MD_STAGE_COUNT
};

enum md_cause {
#define CAUSE(id, name, text, hint) MD_CAUSE_##id,
#include "tbl/states.h"
	MD_CAUSE_COUNT /* also: not known */
};

enum md_artifact_kind {
#define ARTIFACT(id, name, text) MD_ARTIFACT_##id,
#include "tbl/states.h"
	MD_ARTIFACT_COUNT
};

const char *md_status_name(enum md_status status);
/* -1: no such status. */
int md_status_find(const char *name, enum md_status *ret) PL_MUST_CHECK;
const char *md_stage_name(enum md_stage stage);
int md_stage_find(const char *name, enum md_stage *ret) PL_MUST_CHECK;

/* Everything is borrowed; NULL is written as null, or as an empty section (tags, artifacts:
 * empty). */
struct md_result_parts {
	const char *run_id;
	const char *suite;
	const char *name;
	json_t *tags;            /* object of texts */
	int64_t started_real_ns; /* `timestamp` */
	double duration_s;       /* the whole experiment */
	json_t *config;  /* {server, server_source, server_explicit, params_overlay, benchmark} */
	json_t *results; /* bench_metrics_compute(); NULL: nothing was measured */
	json_t *system;
	json_t *profiling;
	enum md_status status;
	json_t *launch;
	json_t *environment;
	json_t *quality;   /* md_quality_evaluate() */
	json_t *error;     /* md_result_error() */
	json_t *artifacts; /* array of md_result_artifact() */
	json_t *series;
};

/* -1 when a part is missing or does not fit the status; see tbl/states.h. New reference. */
int md_result_build(const struct md_result_parts *parts, json_t **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* Atomically: the old file or the whole new one. */
int md_result_write(const json_t *result, const char *path, struct pl_err *err) PL_MUST_CHECK;

/* "exp_20260102_030405_0a1b2c": UTC and six random digits. */
#define MD_RUN_ID_BYTES 27
void md_run_id_make(int64_t real_ns, char run_id[MD_RUN_ID_BYTES]);

/* A section of tbl/result_fields.h with every key and no value. NULL: no such section. New
 * reference. */
json_t *md_result_empty(const char *section);

/* MD_CAUSE_UNKNOWN where there is no such cause. */
enum md_cause md_cause_find(const char *name);

/* {stage, code, message, cause, hint, log_line, log_tail}; cause MD_CAUSE_COUNT (and its hint) and
 * log_tail (an array of lines) NULL are null, log_line is the caller's to set. New reference. */
json_t *md_result_error(enum md_stage stage, const struct pl_err *why, enum md_cause cause,
			json_t *log_tail);

/* {kind, name, size, sha256} of a file that is whole. New reference. */
int md_result_artifact(const char *path, enum md_artifact_kind kind, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;

enum md_fail_on { MD_FAIL_ON_NOTHING, MD_FAIL_ON_CLIENT_LIMITED, MD_FAIL_ON_DEGRADED };
/* "degraded" or "client_limited". */
int md_fail_on_parse(const char *text, enum md_fail_on *ret, struct pl_err *err) PL_MUST_CHECK;

/* Of `run`. verdict: NULL where there is none; signal: the one that interrupted, 0: not known. */
int md_result_exit_status(enum md_status status, const char *verdict, enum md_fail_on fail_on,
			  int signal);

#endif
