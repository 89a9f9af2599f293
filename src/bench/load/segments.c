#include "bench/load/segments.h"

#include <string.h>

#include "io/sock.h"

/* Peeking at more bytes costs more than it gains. */
#define LOOK_BYTES 8192

/*
 * Returns the position after the next blank line and the line end of a chunk that follows it: the
 * end of an event or of a head. len: none.
 */
static size_t find_end(const char *bytes, size_t len, size_t at)
{
	const char *end = bytes + len, *line = bytes + at;

	while ((line = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		line++;
		const char *next = line + (line < end && *line == '\r');
		if (next == end || *next != '\n')
			continue;
		next++;
		if (end - next >= 2 && next[0] == '\r' && next[1] == '\n')
			next += 2;
		return (size_t)(next - bytes);
	}
	return len;
}

ssize_t bench_segments_first(int fd, char *bytes, size_t room)
{
	int64_t last_ns;
	ssize_t len = io_sock_peek(fd, bytes, room < LOOK_BYTES ? room : LOOK_BYTES, &last_ns);

	if (len <= 0)
		return len;
	for (size_t at = find_end(bytes, (size_t)len, 0); at < (size_t)len;
	     at = find_end(bytes, (size_t)len, at)) {
		/*
		 * in this order: the timestamp changes if a new segment is merged into the pending
		 * one
		 */
		int64_t next_ns = io_sock_stamp_at(fd, bytes, at + 1);
		int64_t stamp_ns = io_sock_stamp_at(fd, bytes, at);
		if (stamp_ns < next_ns)
			return (ssize_t)at;
		if (stamp_ns >= last_ns)
			break; /* already the last one, or there are no timestamps */
	}
	return (ssize_t)room;
}

void bench_segments_read(struct bench_segments *segments, size_t len, bool cut)
{
	segments->bytes += len;
	segments->reads++;
	segments->unknown |= cut;
}

/*
 * The count also includes segments that arrived but were not yet read: the next reads take segments
 * that are already counted, so nothing is known until a count and the reads cover the same bytes
 * again.
 */
bool bench_segments_was_one(struct bench_segments *segments, int fd)
{
	struct io_segments now;

	if (!io_sock_segments(fd, &now)) {
		segments->unknown = true;
		return false;
	}
	bool all_read = now.bytes_received == segments->bytes;
	bool one = all_read && !segments->unknown &&
		   now.data_received - segments->counted == segments->reads;
	segments->counted = now.data_received;
	segments->reads = 0;
	segments->unknown = !all_read;
	return one;
}
