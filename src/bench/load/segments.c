#include "bench/load/segments.h"

#include "io/sock.h"

void bench_segments_read(struct bench_segments *segments, size_t len, bool cut)
{
	segments->bytes += len;
	segments->reads++;
	segments->unknown |= cut;
}

/*
 * What has come and was not read yet is counted too: the next reads take segments that this count
 * holds already, and nothing follows until a count and the reads are of the same bytes again.
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
