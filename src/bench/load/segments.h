/*
 * Did the bytes of a read come in one segment? The kernel keeps one stamp of all that a read takes:
 * of several segments that of the last, of one alone it is right for every byte, though the thread
 * was late to read.
 *
 * By counting: each read takes a segment at least, so that no more segments than reads means one
 * each. One per connection, told of each of its reads, from the first on.
 *
 * And how much to read, where several wait, for each event to have its own stamp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bench_segments {
	uint64_t bytes;   /* that were read */
	uint32_t counted; /* segments of data, when the kernel was asked last */
	uint32_t reads;   /* since then */
	bool unknown;     /* how many of them were read is not known */
};

/* A read of len bytes; `cut`: it took what it had room for, perhaps a part of a segment. */
void bench_segments_read(struct bench_segments *segments, size_t len, bool cut);
/*
 * Of the bytes that wait on a socket of TCP: how many, at most `room`, to read for the first of them to
 * keep their stamp. They end where an event (or what is before the first) and a segment both do; `room`
 * where none such is seen, or nothing follows. 0, or -1 with errno: the look, which takes a socket's
 * error with it, found what the read would have. `bytes`: for a look at them, as large.
 *
 * The kernel may have put segments into one, with the stamp of the later: on loopback once they are
 * acknowledged, from a network any time. What ends there is not seen then, and shares a read with what
 * follows.
 */
ssize_t bench_segments_first(int fd, char *bytes, size_t room);
/* Of the read that was told last. Asks the kernel; false where that cannot tell. */
bool bench_segments_was_one(struct bench_segments *segments, int fd);
