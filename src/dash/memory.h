/*
 * The memory of all request bodies while they are decoded: decompressed bytes, and JSON as values, which takes up to 50
 * times the bytes of its text. So a few small requests cannot fill the memory of the host. Thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct dash_answer;

/* More than any single body may take (PL_JSON_MEMORY_BYTES_MAX and the largest limit of a route). */
#define DASH_MEMORY_BYTES_MAX ((size_t)1 << 30)
/* A body that takes less is neither counted nor refused, so that large uploads do not delay other requests. */
#define DASH_MEMORY_BYTES_MIN ((size_t)1 << 20)

/* Reserves memory; give the same number of bytes back. Returns false if refused (503). */
bool dash_memory_take(size_t bytes, struct dash_answer *answer);
void dash_memory_give(size_t bytes);
