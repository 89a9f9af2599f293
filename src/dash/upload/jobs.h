/* What the routes of uploads share: the id of a job as a word of a path, and the answer that names it. */
#pragma once

#include "dash/answer.h"

#include <stdint.h>

/* 0: it is no number of a job. */
int64_t dash_job_id(const char *word);
/* {job_id, status_url}, with its Location. */
void dash_job_accepted(int64_t id, int status, struct dash_answer *answer);
