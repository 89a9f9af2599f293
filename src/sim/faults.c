#include "sim/faults.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const char *const sim_failure_words[] = { "none",
#define FAILURE(id, name, stage, who, text) name,
#include "tbl/sim_failures.h"
					  NULL };

const char *const sim_metrics_words[] = { "none", "gone", "garbage", "reset_counters", NULL };
_Static_assert(PL_ARRAY_SIZE(sim_metrics_words) == SIM_METRICS_COUNT + 1, "each has a name");

const char *const sim_form_words[] = { "plain", "comments", "crlf", "no_space",
				       "lines", "fields",   NULL };
_Static_assert(PL_ARRAY_SIZE(sim_form_words) == SIM_FORM_COUNT + 1, "each has a name");

void sim_faults_init(struct sim_faults *faults)
{
	*faults = (struct sim_faults){ 0 };
#define FAULT(kind, type, field, otherwise, option, arg, min, max, help) faults->field = otherwise;
#include "tbl/sim_faults.h"
}

/*
 * Bresenham's way of spreading: after n requests exactly floor(share·n) were hit, with no generator
 * and no seed.
 */
enum sim_fault sim_faults_next(const struct sim_faults *faults, struct sim_fault_count *count)
{
	count->requests++;
	for (int kind = SIM_FAULT_NONE + 1; kind < SIM_FAULT_COUNT; kind++) {
		/* a hair more: 0.29 x 100 is 28.999… in binary */
		double due = floor(faults->rates[kind] * (double)count->requests + 1e-9);

		if ((double)count->hit[kind] >= due)
			continue;
		count->hit[kind]++;
		return (enum sim_fault)kind;
	}
	return SIM_FAULT_NONE;
}

int64_t sim_word_find(const char *const *words, const char *word)
{
	for (int64_t i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

int64_t sim_signal_find(const char *name)
{
	int64_t number = 0;

	if (pl_text_to_i64(name, &number))
		return number > 0 && number < NSIG ? number : -1;
	if (pl_text_starts(name, "SIG"))
		name += strlen("SIG");
	for (int i = 1; i < NSIG; i++) {
		if (pl_text_equal(sigabbrev_np(i), name))
			return i;
	}
	return -1;
}
