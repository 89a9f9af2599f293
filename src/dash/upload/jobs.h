/* Shared by the upload routes: parsing the id of a job in a path, and the response that names it. */
#pragma once

#include "dash/answer.h"

#include <stdint.h>

/* Returns 0 if the word is not the number of a job. */
int64_t dash_job_id(const char *word);
/* Responds {job_id, status_url}, with Location. */
void dash_job_accepted(int64_t id, int status, struct dash_answer *answer);
