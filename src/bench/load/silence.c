#include "bench/load/silence.h"

#include "base/clock.h"
#include "base/thread.h"

enum { IDLE, ASKING, HUNG };

void bench_silence_init(struct bench_silence *silence, const struct bench_load *load)
{
	*silence = (struct bench_silence){ .load = load, .excused_ns = INT64_MIN };
}

static void join(struct bench_silence *silence)
{
	if (silence->has_thread)
		pthread_join(silence->thread, NULL);
	silence->has_thread = false;
}

void bench_silence_done(struct bench_silence *silence)
{
	atomic_store(&silence->stop, 1);
	join(silence);
}

static void *ask(void *data)
{
	struct bench_silence *silence = data;
	const struct bench_load *load = silence->load;

	if (!load->is_at_work(load->is_at_work_data, silence->last_open, &silence->stop)) {
		atomic_store(&silence->state, HUNG);
		return NULL;
	}
	atomic_store(&silence->excused_ns, pl_clock_now_ns());
	atomic_store(&silence->state, IDLE);
	return NULL;
}

bool bench_silence_ends(struct bench_silence *silence, struct bench_open open)
{
	int state = IDLE;

	if (silence->load->is_at_work == NULL)
		return true;
	if (!atomic_compare_exchange_strong(&silence->state, &state, ASKING))
		return state == HUNG;
	/* the thread of an earlier silence set IDLE last of all */
	join(silence);
	silence->last_open = open;
	silence->has_thread = pl_thread_start(&silence->thread, ask, silence, PL_ERR_IGNORED) == 0;
	return !silence->has_thread;
}

void bench_silence_broken(struct bench_silence *silence)
{
	int state = HUNG;

	atomic_compare_exchange_strong(&silence->state, &state, IDLE);
}

int64_t bench_silence_excused_ns(const struct bench_silence *silence)
{
	return atomic_load(&silence->excused_ns);
}
