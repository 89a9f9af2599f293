#include "dash/problem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/log.h"
#include "io/http_text.h"

static const char problem_type[] = "application/problem+json";

/* The maximum length of user text in a message; longer text is cut. */
static void set_text(json_t *object, const char *key, const char *text)
{
	if (text == NULL)
		return;
	auto_free char *clean = pl_clean_line(text);
	json_object_set_new(object, key, json_string(clean));
}

static void set_place(json_t *object, const char *key, int number)
{
	if (number > 0)
		json_object_set_new(object, key, json_integer(number));
}

void dash_problem_answer(struct dash_answer *answer, const struct dash_problem *problem)
{
	json_t *object = json_object();

	json_object_set_new(object, "type", json_string("about:blank"));
	json_object_set_new(object, "title", json_string(io_http_reason(problem->status)));
	json_object_set_new(object, "status", json_integer(problem->status));
	set_text(object, "detail", problem->detail);
	set_text(object, "instance", answer->path != NULL ? answer->path : "");
	/* a pointer contains keys of the client, which are returned unchanged */
	if (problem->pointer != NULL)
		json_object_set_new(object, "pointer", pl_json_text(problem->pointer));
	set_place(object, "line", problem->line);
	set_place(object, "column", problem->column);
	set_text(object, "found", problem->found);
	set_text(object, "expected", problem->expected);
	set_text(object, "nearest", problem->nearest);
	if (problem->faults != NULL)
		json_object_set(object, "faults", (json_t *)problem->faults);
	/* small, because all texts are cut and the number of faults is limited */
	char *text = pl_json_to_text(object, PL_JSON_COMPACT);
	answer->status = problem->status;
	/* the response is no longer a file to save */
	free(pl_take(answer->disposition));
	answer->is_inert = false;
	dash_answer_bytes(answer, problem_type, text, strlen(text));
	json_decref(object);
}

void dash_refuse(struct dash_answer *answer, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *detail = pl_vasprintf(format, args);
	va_end(args);
	dash_problem_answer(answer, &(struct dash_problem){ .status = status, .detail = detail });
}

void dash_refuse_error(struct dash_answer *answer, const struct pl_err *err)
{
	dash_problem_answer(answer, &(struct dash_problem){ .status = pl_err_http_status(err->code),
							    .detail = err->text,
							    .line = err->line,
							    .column = err->column });
}

void dash_refuse_stored(struct dash_answer *answer, const struct pl_err *err)
{
	/* a database that is unreachable or locked may recover */
	bool waits = err->code == PL_ERR_BUSY || err->code == PL_ERR_INTERRUPTED ||
		     err->code == PL_ERR_IO;

	if (!waits || err->code == PL_ERR_IO)
		pl_log(PL_LOG_WARNING, "%s: %s", answer->path, err->text);
	dash_refuse(answer, waits ? 503 : err->code == PL_ERR_FULL ? 507 : 500, "%s", err->text);
	answer->retry_s = waits ? 1 : 0;
}

/* Returns the first fault other than "matches none of several forms". */
static const struct schema_fault *first_of(const struct schema_faults *faults)
{
	size_t i = 0;

	while (schema_fault_has_details(faults, i))
		i++;
	return &faults->items[i];
}

void dash_refuse_faults(struct dash_answer *answer, const struct schema_faults *faults)
{
	const struct schema_fault *first = first_of(faults);
	auto_buf detail = PL_BUF(65536);
	auto_json json_t *all = json_array();

	for (size_t i = 0; i < faults->count; i++) {
		const struct schema_fault *fault = &faults->items[i];
		auto_buf message = PL_BUF(65536);
		schema_fault_text(fault, &message);
		json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "pointer",
						     pl_json_text(fault->pointer), "key",
						     pl_json_text(fault->key), "found",
						     pl_json_text(fault->found), "expected",
						     pl_json_text(fault->expected), "nearest",
						     pl_json_text(fault->nearest), "message",
						     pl_json_text(pl_buf_text(&message))));
	}
	schema_fault_text(first, &detail);
	dash_problem_answer(answer,
			    &(struct dash_problem){ .status = 422,
						    .detail = pl_buf_text(&detail),
						    .pointer = first->pointer,
						    .found = first->found,
						    .expected = first->expected,
						    .nearest = first->nearest,
						    .faults = faults->count > 1 ? all : NULL });
}

/* A shared problem gets bytes of its own: other requests have other ids. */
void dash_problem_sign(struct dash_answer *answer)
{
	const char *bytes = answer->shared != NULL ? answer->shared->bytes : answer->bytes;
	size_t len = answer->shared != NULL ? answer->shared->len : answer->len;

	if (answer->type != problem_type || answer->request_id == NULL ||
	    answer->request_id[0] == '\0' || bytes == NULL || len < 2 || bytes[len - 1] != '}')
		return;
	char *text = pl_asprintf("%.*s,\"request_id\":\"%s\"}", (int)len - 1, bytes,
				 answer->request_id);
	dash_answer_bytes(answer, problem_type, text, strlen(text));
}
