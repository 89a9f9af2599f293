/*
 * Reads any bytes of a peer: the kept text fits its room, and a message is found within the bytes
 * or not at all. The first byte sets the room.
 */
#include "bench/load/peer_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *out, size_t len, size_t room)
{
	if (len >= room || strlen(out) != len || !pl_text_is_utf8(out))
		abort();
	for (size_t i = 0; i < len; i++) {
		if (((unsigned char)out[i] < ' ' && out[i] != '\n' && out[i] != '\t') ||
		    out[i] == 0x7f)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	size_t room = data[0] + 1u;
	const char *bytes = (const char *)data + 1;
	char *out = malloc(room);

	check(out, bench_peer_text(bytes, size - 1, out, room), room);
	if (bench_peer_message(bytes, size - 1, out, room))
		check(out, strlen(out), room);
	check(out, bench_peer_words(bytes, size - 1, out, room), room);
	free(out);
	return 0;
}
