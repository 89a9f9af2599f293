/*
 * The result document, made from the rows of src/tbl: the sections and fields, the form of an empty
 * section, and the requirements of each status. Every field of a section is always present, null if
 * unknown, so readers need not handle missing keys.
 */
#include "result/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/unique.h"

#define SIGNAL_EXIT_BASE 128
#define FOUND_BYTES_MAX  60

enum presence { NEVER, MAYBE, ALWAYS };

static const struct status_row {
	const char *name;
	int exit;
	enum presence results;
	enum presence error;
	const char *run;
} status_rows[] = {
#define STATUS(id, name, exit, results, error, run, text) { #name, exit, results, error, run },
#include "tbl/states.h"
};

static const char *const stage_names[] = {
#define STAGE(id, name, text) #name,
#include "tbl/states.h"
};

static const char *const cause_names[] = {
#define CAUSE(id, name, text, hint) #name,
#include "tbl/states.h"
	NULL
};

#define HINT_BYTES_MAX 4096
#define HINT_PID       "PID"

static const char *const cause_hints[] = {
#define CAUSE(id, name, text, hint) hint,
#include "tbl/states.h"
	NULL
};

static const char *const artifact_names[] = {
#define ARTIFACT(id, name, text) #name,
#include "tbl/states.h"
};

enum field_type {
	FIELD_NUMBER,
	FIELD_COUNT,
	FIELD_YES,
	FIELD_REQUIRED_YES,
	FIELD_TEXT,
	FIELD_TEXTS,
	FIELD_MAP,
	FIELD_ANY,
	FIELD_DETAIL,
	FIELD_LATER_COUNT,
	FIELD_LATER_TEXT,
	FIELD_NOTE,
	FIELD_OBJECT,
	FIELD_LIST,
	FIELD_MAYBE,
	FIELD_MAYBE_LIST,
};

static const struct field {
	const char *section;
	const char *key;
	enum field_type type;
	const char *of;
} fields[] = {
#define FIELD(section, key, type, of, ...) { #section, #key, FIELD_##type, of },
#include "tbl/result_fields.h"
};

const char *res_status_name(enum res_status status)
{
	return status_rows[status].name;
}

const char *res_status_run(enum res_status status)
{
	return status_rows[status].run;
}

int res_status_find(const char *name, enum res_status *ret)
{
	const struct status_row *row = PL_ROW_FIND(status_rows, name, name);

	if (row == NULL)
		return -1;
	*ret = (enum res_status)(row - status_rows);
	return 0;
}

bool res_status_is_whole(enum res_status status)
{
	return status_rows[status].results == ALWAYS;
}

const char *res_stage_name(enum res_stage stage)
{
	return stage_names[stage];
}

int res_stage_find(const char *name, enum res_stage *ret)
{
	size_t stage = pl_text_index(name, stage_names, PL_ARRAY_SIZE(stage_names));

	if (stage == PL_ARRAY_SIZE(stage_names))
		return -1;
	*ret = (enum res_stage)stage;
	return 0;
}

const char *res_cause_text(const char *name)
{
	static const char *const texts[] = {
#define CAUSE(id, name, text, hint) text,
#include "tbl/states.h"
		"unknown cause",
	};

	return texts[pl_text_index(name, cause_names, RES_CAUSE_COUNT)];
}

enum res_cause res_cause_find(const char *name)
{
	size_t cause = pl_text_index(name, cause_names, RES_CAUSE_COUNT);

	return cause < RES_CAUSE_COUNT ? (enum res_cause)cause : RES_CAUSE_UNKNOWN;
}

static json_t *empty_field(const struct field *field)
{
	switch (field->type) {
	case FIELD_OBJECT:
		return res_document_empty(field->of);
	case FIELD_LIST:
	case FIELD_MAYBE_LIST:
		return json_array();
	case FIELD_REQUIRED_YES:
		return json_false();
	default:
		return json_null();
	}
}

json_t *res_document_empty(const char *section)
{
	json_t *json = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(fields); i++) {
		if (pl_text_equal(fields[i].section, section) && fields[i].type != FIELD_NOTE)
			json_object_set_new(json, fields[i].key, empty_field(&fields[i]));
	}
	if (json_object_size(json) == 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

/* A status defines whether results and error are forbidden, required or optional. */
static bool fits(enum presence presence, const json_t *part)
{
	bool there = part != NULL && !json_is_null(part);

	return presence == MAYBE || there == (presence == ALWAYS);
}

static void set_part(json_t *result, const char *key, json_t *part)
{
	if (part != NULL)
		json_object_set(result, key, part);
	else
		json_object_set_new(result, key, json_null());
}

static void set_section(json_t *result, const char *key, json_t *part)
{
	if (part != NULL)
		json_object_set(result, key, part);
	else
		json_object_set_new(result, key, res_document_empty(key));
}

int res_document_build(const struct res_document_parts *parts, json_t **ret, struct pl_err *err)
{
	char timestamp[32];

	/* A violation is a bug of this program: no result is better than one that violates the schema. */
	if ((unsigned)parts->status >= RES_STATUS_COUNT)
		return pl_err_set(err, PL_ERR_INTERNAL, "result: unknown status %d",
				  (int)parts->status);
	const struct status_row *row = &status_rows[parts->status];
	if (parts->run_id == NULL || !json_is_object(parts->config) ||
	    !json_is_object(parts->quality))
		return pl_err_set(err, PL_ERR_INTERNAL,
				  "result: run_id, config or quality is missing");
	if (!fits(row->results, parts->results))
		return pl_err_set(err, PL_ERR_INTERNAL, "result: status '%s' %s results", row->name,
				  row->results == ALWAYS ? "needs" : "excludes");
	if (!fits(row->error, parts->error))
		return pl_err_set(err, PL_ERR_INTERNAL, "result: status '%s' %s an error",
				  row->name, row->error == ALWAYS ? "needs" : "excludes");
	if (!isfinite(parts->duration_s) || parts->duration_s < 0)
		return pl_err_set(err, PL_ERR_INTERNAL, "result: duration is not a time");
	pl_clock_rfc3339(parts->started_real_ns, timestamp);
	json_t *result = json_object();
	json_object_set_new(result, "schema_version", json_integer(RES_SCHEMA_VERSION));
	json_object_set_new(result, "run_id", json_string(parts->run_id));
	json_object_set_new(result, "suite", pl_json_text(parts->suite));
	json_object_set_new(result, "name", pl_json_text(parts->name));
	json_object_set_new(result, "tags",
			    parts->tags != NULL ? json_incref(parts->tags) : json_object());
	json_object_set_new(result, "timestamp", json_string(timestamp));
	json_object_set_new(result, "duration", json_real(parts->duration_s));
	json_object_set(result, "config", parts->config);
	set_part(result, "results", parts->results);
	set_section(result, "system", parts->system);
	set_section(result, "profiling", parts->profiling);
	json_object_set_new(result, "status", json_string(res_status_name(parts->status)));
	set_section(result, "launch", parts->launch);
	set_section(result, "environment", parts->environment);
	json_object_set(result, "quality", parts->quality);
	set_part(result, "error", parts->error);
	json_object_set_new(result, "artifacts",
			    parts->artifacts != NULL ? json_incref(parts->artifacts)
						     : json_array());
	set_part(result, "series", parts->series);
	*ret = result;
	return 0;
}

/* Makes "exp_20260101_120000_a1b2c3": names sort by time, and two in one second still differ. */
void res_run_id_make(int64_t real_ns, char run_id[RES_RUN_ID_BYTES])
{
	char date[16];

	pl_clock_format(real_ns, "%Y%m%d_%H%M%S", 1, date, sizeof(date));
	snprintf(run_id, RES_RUN_ID_BYTES, "exp_%s_%06x", date, pl_unique_u32() & 0xffffff);
}

/* "vllm 0.32.0", but "profllm-sim/1.0" where the version has the name in it. */
char *res_engine_text(const json_t *engine)
{
	const char *name = pl_json_get_text(engine, "name");
	const char *version = pl_json_get_text(engine, "version");

	if (name == NULL || version == NULL)
		return name != NULL ? pl_strdup(name) : NULL;
	return pl_text_starts(version, name) ? pl_strdup(version)
					     : pl_asprintf("%s %s", name, version);
}

/* The hint with the number of the process, or without the parenthesis that would hold it. */
static char *hint_about(const char *hint, int64_t pid)
{
	const char *at = strstr(hint, HINT_PID);
	const char *open = at;

	if (at == NULL)
		return pl_strdup(hint);
	if (pid > 0)
		return pl_asprintf("%.*s%lld%s", (int)(at - hint), hint, (long long)pid,
				   at + strlen(HINT_PID));
	while (*open != '(')
		open--;
	return pl_asprintf("%.*s%s", (int)(open - 1 - hint), hint, strchr(at, ')') + 1);
}

json_t *res_error(enum res_stage stage, const struct pl_err *why, enum res_cause cause,
		  const char *hint, enum option_voice voice, int64_t pid, json_t *log_tail)
{
	json_t *error = json_object();
	auto_buf words = PL_BUF(HINT_BYTES_MAX);

	if (hint == NULL)
		hint = cause_hints[cause];
	if (hint != NULL) {
		auto_free char *text = hint_about(hint, pid);
		option_words_add(text, voice, &words);
	}

	json_object_set_new(error, "stage", json_string(stage_names[stage]));
	json_object_set_new(error, "code", json_string(pl_err_name(why->code)));
	json_object_set_new(error, "message", pl_json_text(why->text));
	json_object_set_new(error, "cause", pl_json_text(cause_names[cause]));
	json_object_set_new(error, "hint",
			    words.len > 0 ? pl_json_text(pl_buf_text(&words)) : json_null());
	json_object_set_new(error, "log_line", json_null());
	set_part(error, "log_tail", log_tail);
	return error;
}

int res_artifact_add(json_t *artifacts, const char *path, enum res_artifact_kind kind,
		     struct pl_err *err)
{
	auto_free char *name = pl_file_name(path);
	char sha256[65];

	/* the result must not outlive the bytes that it names */
	if (pl_file_sync(path, err) < 0 || pl_file_sha256(path, sha256, err) < 0)
		return -1;
	json_t *artifact = json_object();
	json_object_set_new(artifact, "kind", json_string(artifact_names[kind]));
	json_object_set_new(artifact, "name", pl_json_text(name));
	json_object_set_new(artifact, "size", json_integer(pl_file_size(path)));
	json_object_set_new(artifact, "sha256", json_string(sha256));
	return json_array_append_new(artifacts, artifact);
}

int res_refuse_value(const json_t *value, const char *expected, struct pl_err *err,
		     const char *pointer, ...)
{
	auto_free char *found = value != NULL ? pl_json_to_text(value, PL_JSON_COMPACT)
					      : pl_strdup("nothing");
	bool is_long = strlen(found) > FOUND_BYTES_MAX;
	auto_free char *at = NULL;
	va_list args;

	va_start(args, pointer);
	at = pl_vasprintf(pointer, args);
	va_end(args);
	return pl_err_invalid(err, "%s: found %s, expected %s", at,
			      !is_long                ? found
			      : json_is_string(value) ? "a longer text"
			      : json_is_array(value)  ? "a list"
						      : "an object",
			      expected);
}

int res_fail_on_parse(const char *text, enum res_fail_on *ret, struct pl_err *err)
{
	if (pl_text_equal(text, "degraded"))
		*ret = RES_FAIL_ON_DEGRADED;
	else if (pl_text_equal(text, "client_limited"))
		*ret = RES_FAIL_ON_CLIENT_LIMITED;
	else
		return pl_err_invalid(
			err, "--fail-on: found '%s', expected degraded or client_limited", text);
	return 0;
}

static bool verdict_accepted(const char *verdict, enum res_fail_on fail_on)
{
	switch (fail_on) {
	case RES_FAIL_ON_DEGRADED:
		return pl_text_equal(verdict, "trusted");
	case RES_FAIL_ON_CLIENT_LIMITED:
		return pl_text_equal(verdict, "trusted") || pl_text_equal(verdict, "degraded");
	default:
		return true;
	}
}

/* A signal's number counts before the status; a verdict only where the run itself is fine. */
int res_exit_status(enum res_status status, const char *verdict, enum res_fail_on fail_on,
		    int signal)
{
	int exit_status = status_rows[status].exit;

	if (status == RES_STATUS_INTERRUPTED && signal > 0)
		return SIGNAL_EXIT_BASE + signal;
	if (exit_status == 0 && !verdict_accepted(verdict, fail_on))
		return pl_err_exit_status(PL_ERR_VERDICT);
	return exit_status;
}

int res_exit_status_of(const json_t *result, enum res_fail_on fail_on, int signal)
{
	enum res_status status;

	if (res_status_find(pl_json_get_text(result, "status"), &status) < 0)
		return pl_err_exit_status(PL_ERR_IO);
	return res_exit_status(status, pl_json_path_text(result, "quality.verdict"), fail_on,
			       signal);
}
