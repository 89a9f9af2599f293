/*
 * What a peer says of a failure, made fit to be kept and shown: whatever bytes it sent, what comes
 * out is UTF-8 without control bytes (line ends and tabs stay), cut between characters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Trimmed; a byte that is no UTF-8 becomes U+FFFD, a control byte a blank. Returns the length. */
size_t bench_peer_text(const char *bytes, size_t len, char *out, size_t room);

/*
 * The message in the JSON text of an error, as vLLM, older releases, other servers and the
 * frameworks below them write it: {"error": {"message": …}}, {"error": …}, {"message": …},
 * {"detail": …}, {"detail": [{"msg": …}]}, {"errors": […]}; also as an event of a stream, and also
 * where the end is missing. False: none there.
 */
bool bench_peer_message(const char *bytes, size_t len, char *out, size_t room);

/* The message if there is one, else the text. Returns the length. */
size_t bench_peer_words(const char *bytes, size_t len, char *out, size_t room);
