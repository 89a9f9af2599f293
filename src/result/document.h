/*
 * The result file (api/result.schema.json, docs/reference/result-file.md): finished parts in, one
 * document out. What the parts hold is their makers' business; which keys there are, in which
 * order, and that status, results and error fit together is decided here.
 *
 * A number that does not exist is null, never zero.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "option/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* 2: config.experiment, environment.repeat_of. */
#define RES_SCHEMA_VERSION 2

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
/* "a run that timed out" */
const char *res_status_run(enum res_status status);
/* -1: no such status. */
int res_status_find(const char *name, enum res_status *ret) PL_MUST_CHECK;
/* Did the run come to the end of all that it was asked for? */
bool res_status_is_whole(enum res_status status);
const char *res_stage_name(enum res_stage stage);
int res_stage_find(const char *name, enum res_stage *ret) PL_MUST_CHECK;

/* Everything is borrowed; NULL is written as null, or as an empty section (tags, artifacts:
 * empty). */
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

/* -1 when a part is missing or does not fit the status; see tbl/states.h. New reference. */
int res_document_build(const struct res_document_parts *parts, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;

/* "exp_20260102_030405_0a1b2c": UTC and six random digits. */
#define RES_RUN_ID_BYTES 27
void res_run_id_make(int64_t real_ns, char run_id[RES_RUN_ID_BYTES]);

/* A section of tbl/result_fields.h with every key but its notes, and no value. NULL: no such section. New
 * reference. */
json_t *res_document_empty(const char *section);

/* Of environment.engine: "vLLM 0.32.0", the version alone where it says the name itself; NULL: not
 * known. The caller's (free()). */
char *res_engine_text(const json_t *engine);

/* RES_CAUSE_UNKNOWN where there is no such cause. */
enum res_cause res_cause_find(const char *name);

/* {stage, code, message, cause, hint, log_line, log_tail}; cause RES_CAUSE_COUNT (and its hint) and
 * log_tail (an array of lines) NULL are null, log_line is the caller's to set; `hint` NULL: that of the
 * cause. It names options as `voice` does, and `pid`, the process that it is about (0: not known).
 * New reference. */
json_t *res_error(enum res_stage stage, const struct pl_err *why, enum res_cause cause,
		  const char *hint, enum option_voice voice, int64_t pid, json_t *log_tail);

/* Appends {kind, name, size, sha256} of a file that is whole. */
int res_artifact_add(json_t *artifacts, const char *path, enum res_artifact_kind kind,
		     struct pl_err *err) PL_MUST_CHECK;

enum res_fail_on { RES_FAIL_ON_NOTHING, RES_FAIL_ON_CLIENT_LIMITED, RES_FAIL_ON_DEGRADED };
/* "degraded" or "client_limited". */
int res_fail_on_parse(const char *text, enum res_fail_on *ret, struct pl_err *err) PL_MUST_CHECK;

/* Of `run`. verdict: NULL where there is none; signal: the one that interrupted, 0: not known. */
int res_exit_status(enum res_status status, const char *verdict, enum res_fail_on fail_on,
		    int signal);
/* The same of a result document; one without a status could not be read. */
int res_exit_status_of(const json_t *result, enum res_fail_on fail_on, int signal);
