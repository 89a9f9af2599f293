#include "run/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

static const int taken[] = { SIGINT, SIGTERM, SIGHUP };

static atomic_int stop_flag;
static atomic_int hurry_flag;

void run_stop_ask(int reason)
{
	int none = 0;

	atomic_compare_exchange_strong(&stop_flag, &none, reason);
}

static void on_signal(int number)
{
	int before = atomic_load(&stop_flag);

	if (before > 0)
		atomic_store(&hurry_flag, number);
	/* a person's wish counts more than the server's death */
	else
		atomic_store(&stop_flag, number);
}

/* What nohup had us ignore stays ignored. */
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

void run_signals_take(void)
{
	atomic_store(&stop_flag, 0);
	atomic_store(&hurry_flag, 0);
	signal(SIGPIPE, SIG_IGN);
	/* who started us may have had it ignored, and then no child could be waited for */
	signal(SIGCHLD, SIG_DFL);
	set_all(on_signal);
}

void run_signals_release(void)
{
	set_all(SIG_DFL);
}

const atomic_int *run_stop_flag(void)
{
	return &stop_flag;
}

const atomic_int *run_hurry_flag(void)
{
	return &hurry_flag;
}

int run_stop_signal(void)
{
	int reason = atomic_load(&stop_flag);

	return reason > 0 ? reason : 0;
}
