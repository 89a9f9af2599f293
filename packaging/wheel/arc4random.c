/*
 * The random numbers with which libexpat seeds its hash tables. glibc has this function since 2.36; with this one,
 * the libexpat.so.1 of the wheel also runs with older ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

void arc4random_buf(void *bytes, size_t len);

/* hidden, so that no other library uses it */
__attribute__((visibility("hidden"))) void arc4random_buf(void *bytes, size_t len)
{
	for (char *at = bytes; len > 0;) {
		ssize_t got = getrandom(at, len, 0);
		if (got < 0 && errno != EINTR)
			abort();
		if (got > 0) {
			at += got;
			len -= (size_t)got;
		}
	}
}
