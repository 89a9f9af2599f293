/*
 * Serves the files of the web UI (dash/page_files.h). A path that is neither in the API nor a file is a route of the
 * web UI: it gets index.html, which reads its own address.
 */
#pragma once

#include "dash/request.h"

void dash_page_answer(const char *path, const char *accept_coding, struct dash_answer *answer);
