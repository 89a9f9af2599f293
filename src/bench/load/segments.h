/*
 * Whether the bytes of a read arrived in one segment. The kernel reports one timestamp per read:
 * for several segments that of the last one; for a single segment it is exact for every byte, even
 * if the thread read late.
 *
 * Detected by counting: each read takes at least one segment, so if there are no more segments than
 * reads, each read took one. One object per connection, which must be informed of all its reads.
 *
 * Also decides how much to read if several events are pending, so that each gets its own timestamp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bench_segments {
	uint64_t bytes;   /* number of bytes read */
	uint32_t counted; /* data segments at the last kernel query */
	uint32_t reads;   /* since that query */
	bool unknown;     /* it is unknown how many of them were read */
};

/* Notes a read of len bytes; `cut`: it filled its buffer, perhaps with a part of a segment. */
void bench_segments_read(struct bench_segments *segments, size_t len, bool cut);
/*
 * Returns how many of the pending bytes of a TCP socket, at most `room`, to read so that the first
 * of them keep their timestamp. They end where both an event (or the data before the first one) and
 * a segment end; `room` if no such end is found or nothing follows. Returns 0, or -1 with errno, if
 * peeking found what the read would have returned, including the socket's error, which it clears.
 * `bytes`: buffer for peeking, of the same size.
 *
 * The kernel may have merged segments under the later timestamp: on loopback after they are
 * acknowledged, from a network at any time. Such ends are not found, and the data shares a read
 * with what follows.
 */
ssize_t bench_segments_first(int fd, char *bytes, size_t room);
/* Returns the answer for the last noted read. Queries the kernel; false if it is unknown. */
bool bench_segments_was_one(struct bench_segments *segments, int fd);
