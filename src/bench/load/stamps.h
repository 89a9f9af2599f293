/* The kernel's receive timestamps, converted to monotonic time. One object per worker. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Conversion of kernel timestamps (CLOCK_REALTIME) to monotonic time, and the delay of reads. */
struct bench_stamps {
	int64_t offset_ns; /* realtime - monotonic, at the last sample */
	int64_t first_offset_ns;
	int64_t step_ns; /* largest change so far, signed */
	double *queueing_ms;
	size_t queueing_count;
	size_t queueing_room;
	size_t stride; /* one of `stride` reads is stored */
	size_t skip;
};

/*
 * Linux timestamps packets only while some socket requests it, starting a moment after the first
 * request: the first responses of a run would have no timestamp. Returns a socket to keep open (-1:
 * none) once timestamps arrive.
 */
int bench_stamps_switch_on(void);
void bench_stamps_init(struct bench_stamps *stamps, size_t queueing_room);
void bench_stamps_done(struct bench_stamps *stamps);
void bench_stamps_sample(struct bench_stamps *stamps);
/* Returns the monotonic time of a timestamp. */
int64_t bench_stamps_monotonic(const struct bench_stamps *stamps, int64_t real_ns);
/*
 * Returns the monotonic time of a read that ended at user_ns: the kernel's timestamp if there is a
 * plausible one (*ret_kernel), otherwise user_ns. Stores the difference.
 */
int64_t bench_stamps_of(struct bench_stamps *stamps, int64_t stamp_real_ns, int64_t user_ns,
			bool *ret_kernel);
