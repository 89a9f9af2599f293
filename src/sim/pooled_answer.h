/* The responses to pooled requests, with random numbers that depend on the prompt only. */
#pragma once

#include "base/buf.h"

struct sim_job;

struct sim_pooled_form {
	const char *type; /* Content-Type; static */
	char *headers;    /* more header lines, or NULL; the caller frees it with free() */
};

/* Writes the body. Sets *ret_form unless the body is JSON without more headers. */
void sim_pooled_answer_write(const struct sim_job *job, struct pl_buf *out,
			     struct sim_pooled_form *ret_form);
