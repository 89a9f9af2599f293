/*
 * JSON text into jansson's values, several times as fast as jansson's own reader, which takes bytes one by
 * one and looks each key up twice.
 */
#pragma once

#include <jansson.h>

/*
 * Of sound text of the usual kind: what json_loadb() makes of it with JSON_REJECT_DUPLICATES and
 * JSON_DECODE_ANY. NULL: it may be sound or not, that is for jansson to say, which also knows the words for
 * it. So it is with every fault, but also with whole numbers beyond 18 digits, U+0000, and great depth.
 */
json_t *pl_json_read(const char *text, size_t len);
