/*
 * When bytes came, by the kernel: its receive stamps as monotonic time. A worker's own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernel stamps (CLOCK_REALTIME) as monotonic time, and how late reads are. */
struct bench_stamps {
	int64_t offset_ns; /* realtime - monotonic, as last sampled */
	int64_t first_offset_ns;
	int64_t step_ns; /* largest change seen, with its sign */
	double *queueing_ms;
	size_t queueing_count;
	size_t queueing_room;
	size_t stride; /* of every `stride` reads one is kept */
	size_t skip;
};

/*
 * Linux stamps packets only while some socket wants it, and begins a moment after the first one
 * does: the first answers of a run would go without. Returns a socket to be held open (-1: none)
 * once stamps come.
 */
int bench_stamps_switch_on(void);
void bench_stamps_init(struct bench_stamps *stamps, size_t queueing_room);
void bench_stamps_done(struct bench_stamps *stamps);
void bench_stamps_sample(struct bench_stamps *stamps);
/* The monotonic time of a stamp. */
int64_t bench_stamps_monotonic(const struct bench_stamps *stamps, int64_t real_ns);
/*
 * The monotonic time of a read that ended at user_ns: the kernel's stamp where there is one that
 * can be true (*ret_kernel), else user_ns. Keeps the difference.
 */
int64_t bench_stamps_of(struct bench_stamps *stamps, int64_t stamp_real_ns, int64_t user_ns,
			bool *ret_kernel);
