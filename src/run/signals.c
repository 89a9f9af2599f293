#include "run/signals.h"

#include <signal.h>
#include <stdbool.h>

#include "base/mem.h"

static const int taken[] = { SIGINT, SIGTERM, SIGHUP };

/* Handlers can only use static data. Set only while the handlers are the default ones. */
static struct run_stop *stop;
static size_t sent_count;

static void on_signal(int number)
{
	for (size_t i = 0; i < sent_count; i++)
		run_stop_by_signal(&stop[i], number);
}

/* Signals that nohup ignores stay ignored. */
static bool is_ignored(int number)
{
	struct sigaction now;

	return number == SIGHUP && sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void set_all(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < PL_ARRAY_SIZE(taken); i++) {
		if (!is_ignored(taken[i]))
			sigaction(taken[i], &action, NULL);
	}
}

void run_signals_take(struct run_stop *stops, size_t count)
{
	stop = stops;
	sent_count = count;
	signal(SIGPIPE, SIG_IGN);
	/* the parent may have set it to be ignored, and then no child could be waited for */
	signal(SIGCHLD, SIG_DFL);
	set_all(on_signal);
}

void run_signals_release(void)
{
	set_all(SIG_DFL);
}
