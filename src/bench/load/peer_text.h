/*
 * Text that a peer sent about an error, cleaned for storage and display: whatever its bytes, the
 * output is UTF-8 without control bytes (except line ends and tabs), truncated between characters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Trims the text, replaces bytes that are not UTF-8 with U+FFFD and control bytes with blanks.
 * Returns the length.
 */
size_t bench_peer_text(const char *bytes, size_t len, char *out, size_t room);

/*
 * Extracts the message from the JSON text of an error in the formats of vLLM, older releases, other
 * servers and their frameworks: {"error": {"message": …}}, {"error": …}, {"message": …}, {"detail":
 * …}, {"detail": [{"msg": …}]}, {"errors": […]}; also as an event of a stream, and also if the end
 * is missing. Returns false if there is none.
 */
bool bench_peer_message(const char *bytes, size_t len, char *out, size_t room);

/* Extracts the message, or the text if there is none. Returns the length. */
size_t bench_peer_words(const char *bytes, size_t len, char *out, size_t room);
