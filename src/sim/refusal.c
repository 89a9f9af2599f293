#include "sim/refusal.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

void sim_refusal_done(struct sim_refusal *refusal)
{
	pl_buf_done(&refusal->message);
}

static void set_head(struct sim_refusal *refusal, int status, const char *type, const char *param)
{
	refusal->status = status;
	snprintf(refusal->type, sizeof(refusal->type), "%s", type);
	snprintf(refusal->param, sizeof(refusal->param), "%s", param != NULL ? param : "");
	pl_buf_clear(&refusal->message);
}

static void add_formatted(struct pl_buf *buf, const char *format, va_list args) PL_PRINTF(2, 0);
static void add_formatted(struct pl_buf *buf, const char *format, va_list args)
{
	auto_free char *text = pl_vasprintf(format, args);

	pl_buf_add_text(buf, text);
}

int sim_refuse(struct sim_refusal *refusal, int status, const char *type, const char *param,
	       const char *format, ...)
{
	va_list args;

	set_head(refusal, status, type, param);
	va_start(args, format);
	add_formatted(&refusal->message, format, args);
	va_end(args);
	return -1;
}

int sim_refuse_value(struct sim_refusal *refusal, const char *param, const char *value,
		     const char *format, ...)
{
	va_list args;

	set_head(refusal, 400, "BadRequestError", param);
	va_start(args, format);
	add_formatted(&refusal->message, format, args);
	va_end(args);
	/* vLLM's own suffix: clients that parse it can be tried here. */
	pl_buf_addf(&refusal->message, " (parameter=%s, value=%s)", param, value);
	return -1;
}

/*
 * As FastAPI writes pydantic's list of errors into one text, and vLLM hands it on: Python's quotes,
 * not JSON's.
 */
int sim_refuse_form(struct sim_refusal *refusal, const char *kind, const char *field,
		    const char *text, const char *input, const char *further)
{
	char param[64];

	snprintf(param, sizeof(param), "body.%s", field);
	set_head(refusal, 400, "Bad Request", param);
	pl_buf_addf(&refusal->message,
		    "1 validation error:\n  {'type': '%s', 'loc': '%s', 'msg': '%s', "
		    "'input': %s%s}",
		    kind, param, text, input, further);
	return -1;
}

int sim_refuse_absent(struct sim_refusal *refusal, const json_t *value, const char *field,
		      const char *kind)
{
	auto_free char *form = pl_asprintf("%s_type", kind);
	auto_free char *text = pl_asprintf("Input should be a valid %s", kind);

	return sim_refuse_form(refusal, value == NULL ? "missing" : form, field,
			       value == NULL ? "Field required" : text, "{}", "");
}

void sim_refusal_write(const struct sim_refusal *refusal, struct pl_buf *body)
{
	pl_buf_add_text(body, "{\"error\":{\"message\":");
	pl_text_add_json(body, pl_buf_text(&refusal->message), refusal->message.len, false);
	pl_buf_addf(body, ",\"type\":\"%s\",\"param\":", refusal->type);
	if (refusal->param[0] == '\0')
		pl_buf_add_text(body, "null");
	else
		pl_text_add_json(body, refusal->param, strlen(refusal->param), false);
	pl_buf_addf(body, ",\"code\":%d}}", refusal->status);
}
