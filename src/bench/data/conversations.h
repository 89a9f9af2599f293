/*
 * Files of conversations: a JSON array of them, or one per line.
 *
 *	{"conversations": [{"from": "human", "value": "…"}, …]}      ShareGPT's
 *	{"messages": [{"role": "user", "content": "…"}, …]}          of chat clients; system messages at the start are skipped
 *
 * - `conversation` and `items` name the list too, and keys of both forms may be mixed. `content` may be a list of parts.
 * - The file is read part by part: a conversation at a time is in memory, and the first two turns of each are kept.
 * - What Python writes and JSON does not have is replaced, and counted: NaN and infinities by null, half a surrogate pair and
 *   bytes that are not UTF-8 by U+FFFD.
 */
#pragma once

#include "bench/data/dataset_priv.h"

/* Reads an open file from its start. */
int bench_conversations_read(const char *path, int fd, struct bench_entries *into,
			     struct pl_err *err) PL_MUST_CHECK;
/*
 * Works like bench_conversations_read(), with parts of `bytes`, at least 3 (a byte order mark);
 * doubled for a longer conversation. Tests use it to move the ends of the parts.
 */
int bench_conversations_read_by(const char *path, int fd, size_t bytes, struct bench_entries *into,
				struct pl_err *err) PL_MUST_CHECK;
/* Parses a text, which is borrowed. */
int bench_conversations_parse(const char *path, const char *text, size_t len,
			      struct bench_entries *into, struct pl_err *err) PL_MUST_CHECK;
