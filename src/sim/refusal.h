/* The reason for refusing a request, in the wording and form of vLLM's responses. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

struct sim_refusal {
	int status; /* 400, 401, 404 …; 0: not refused */
	char type[32];
	char param[64]; /* "": null */
	struct pl_buf message;
};

/* auto_refusal refusal = SIM_REFUSAL_INIT; */
#define SIM_REFUSAL_INIT                  \
	{                                 \
		.message = PL_BUF(65536), \
	}
void sim_refusal_done(struct sim_refusal *refusal);
#define auto_refusal __attribute__((cleanup(sim_refusal_done), unused)) struct sim_refusal
/* All return -1. param NULL: none. */
int sim_refuse(struct sim_refusal *refusal, int status, const char *type, const char *param,
	       const char *format, ...) PL_PRINTF(5, 6);
/* Refuses a field's value: 400, with "(parameter=…, value=…)" after the text. */
int sim_refuse_value(struct sim_refusal *refusal, const char *param, const char *value,
		     const char *format, ...) PL_PRINTF(4, 5);
/*
 * Refuses a field's form: 400 and a list of one validation error. `input` is the value as Python writes it; further is
 * more members (", 'ctx': {…}") or "".
 */
int sim_refuse_form(struct sim_refusal *refusal, const char *kind, const char *field,
		    const char *text, const char *input, const char *further);
/* Refuses a field that should contain a text or a list; NULL: it is missing. kind: "string", "list" */
int sim_refuse_absent(struct sim_refusal *refusal, const json_t *value, const char *field,
		      const char *kind);
/* {"error":{…}} */
void sim_refusal_write(const struct sim_refusal *refusal, struct pl_buf *body);
