/*
 * The files of the page (dash/page_files.h) as answers. A path that is not of the API and names no file
 * is a place within the page: it gets the page itself, which looks at its own address.
 */
#pragma once

#include "dash/request.h"

void dash_page_answer(const char *path, const char *accept_coding, struct dash_answer *answer);
