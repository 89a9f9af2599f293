#include "sim/faults.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const char *const failures[] = {
	"none",
#define FAILURE(id, name, stage, who, text) name,
#include "tbl/sim_failures.h"
};

static const char *const metrics_faults[] = { "none", "gone", "garbage", "reset_counters" };
_Static_assert(PL_ARRAY_SIZE(metrics_faults) == SIM_METRICS_COUNT, "each has a name");

static const char *const forms[] = { "plain", "comments", "crlf", "no_space", "lines", "fields" };
_Static_assert(PL_ARRAY_SIZE(forms) == SIM_FORM_COUNT, "each has a name");

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

static int64_t find(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return (int64_t)i;
	}
	return -1;
}

int64_t sim_failure_find(const char *name)
{
	return find(failures, PL_ARRAY_SIZE(failures), name);
}

int64_t sim_metrics_fault_find(const char *name)
{
	return find(metrics_faults, PL_ARRAY_SIZE(metrics_faults), name);
}

int64_t sim_event_form_find(const char *name)
{
	return find(forms, PL_ARRAY_SIZE(forms), name);
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

const char *sim_failure_name(int64_t failure)
{
	return failure < SIM_FAILURE_COUNT ? failures[failure] : NULL;
}

const char *sim_metrics_fault_name(int64_t fault)
{
	return fault < SIM_METRICS_COUNT ? metrics_faults[fault] : NULL;
}

const char *sim_event_form_name(int64_t form)
{
	return form < SIM_FORM_COUNT ? forms[form] : NULL;
}
