/* What is sent and read alike of results and of the files beside them. */
#pragma once

#include "base/buf.h"
#include "io/fetch.h"

/* Percent-encoded but for letters, digits and `plain`. */
void run_upload_add_word(struct pl_buf *path, const char *word, const char *plain);
/* What an answer that is no success says of itself: the detail of a problem, or its status. free() */
char *run_upload_words_of(const struct io_reply *reply);
