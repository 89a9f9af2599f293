/*
 * Files that the project may not contain, because others hold their licenses: recorded responses, logs and
 * results of real servers (data/), and vLLM's arguments by release (spec/). PROFLLM_TEST_DATA names the
 * folder. CONTRIBUTING.md says what it holds.
 *
 * A test of such files begins with skip_without_test_data(), before it allocates anything: cmocka's skip()
 * leaves the function without running its cleanups.
 */
#pragma once

#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Borrowed; NULL: there is none. */
static inline const char *test_data_folder(void)
{
	const char *folder = getenv("PROFLLM_TEST_DATA");

	return folder != NULL && folder[0] == '/' && access(folder, R_OK | X_OK) == 0 ? folder
										      : NULL;
}

/* The path of a file in it, as of "data/real/http/chat.txt"; the caller's to free. */
static inline char *test_data_path(const char *name)
{
	return pl_asprintf("%s/%s", test_data_folder(), name);
}

/* tools/run-tests counts the message. */
#define skip_without_test_data()                               \
	do {                                                   \
		if (test_data_folder() == NULL) {              \
			printf("without PROFLLM_TEST_DATA\n"); \
			skip();                                \
		}                                              \
	} while (0)
