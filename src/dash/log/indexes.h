/*
 * The indexes of the logs that were read last, and a limit on how many large logs are read at a time, so that other
 * requests keep threads of the queue. For any thread.
 */
#pragma once

#include "dash/log/log.h"

struct dash_log_indexes;

struct dash_log_indexes *dash_log_indexes_new(void);
void dash_log_indexes_free(struct dash_log_indexes *indexes);
PL_AUTO_DEFINE(struct dash_log_indexes, dash_log_indexes_free);
#define auto_log_indexes PL_AUTO(dash_log_indexes_free)

/* Copies the index of the file with this SHA-256 and this cause (NULL: unknown). Returns false if it is not kept. */
bool dash_log_indexes_find(struct dash_log_indexes *indexes, const char *sha256, const char *cause,
			   struct dash_log_index *ret);
void dash_log_indexes_add(struct dash_log_indexes *indexes, const char *sha256, const char *cause,
			  const struct dash_log_index *index);

/*
 * Waits while another thread makes the index of this file, so that only one does. The caller then looks for the index
 * again; after it has added one or failed, it calls _end(). sha256 is borrowed until then.
 */
void dash_log_indexes_begin(struct dash_log_indexes *indexes, const char *sha256);
void dash_log_indexes_end(struct dash_log_indexes *indexes, const char *sha256);

/* Call it before a log of `bytes` is read. Returns false if too many are being read; else call _leave(). */
bool dash_log_indexes_enter(struct dash_log_indexes *indexes, int64_t bytes);
void dash_log_indexes_leave(struct dash_log_indexes *indexes, int64_t bytes);
