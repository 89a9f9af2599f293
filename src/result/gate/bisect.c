#include "result/gate/bisect.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

const char *res_bisect_state_name(enum res_bisect_state state)
{
	static const char *const names[] = {
		[RES_BISECT_RUNNING] = "running",
		[RES_BISECT_FOUND] = "found",
		[RES_BISECT_NOTHING] = "no_regression",
		[RES_BISECT_UNDECIDED] = "undecided",
	};

	return names[state];
}

void res_bisect_init(size_t count, struct res_bisect *ret)
{
	*ret = (struct res_bisect){ .bad = count - 1,
				    .count = count,
				    .is_skipped = pl_alloc_array(count, sizeof(bool)) };
}

void res_bisect_done(struct res_bisect *bisect)
{
	free(bisect->is_skipped);
}

/* Returns the release between good and bad that is nearest to the middle and not skipped. */
static bool find_middle(const struct res_bisect *bisect, size_t *ret)
{
	size_t middle = (bisect->good + bisect->bad) / 2;

	for (size_t distance = 0; distance < bisect->count; distance++) {
		if (middle >= bisect->good + 1 + distance &&
		    !bisect->is_skipped[middle - distance]) {
			*ret = middle - distance;
			return true;
		}
		if (middle + distance < bisect->bad && middle + distance > bisect->good &&
		    !bisect->is_skipped[middle + distance]) {
			*ret = middle + distance;
			return true;
		}
	}
	return false;
}

bool res_bisect_next(const struct res_bisect *bisect, size_t *ret)
{
	if (bisect->state != RES_BISECT_RUNNING)
		return false;
	if (!bisect->is_confirmed) {
		*ret = bisect->bad;
		return true;
	}
	return find_middle(bisect, ret);
}

void res_bisect_take(struct res_bisect *bisect, size_t at, enum res_gate_state outcome)
{
	bool is_first = !bisect->is_confirmed, is_bad = outcome == RES_GATE_REGRESSION;
	bool is_decided = is_bad || outcome == RES_GATE_PASS;
	size_t next;

	bisect->decided += is_decided;
	if (is_first) {
		bisect->is_confirmed = is_bad;
		if (!is_bad)
			bisect->state = is_decided ? RES_BISECT_NOTHING : RES_BISECT_UNDECIDED;
	} else if (!is_decided) {
		bisect->is_skipped[at] = true;
	} else if (is_bad) {
		bisect->bad = at;
	} else {
		bisect->good = at;
	}
	if (bisect->state != RES_BISECT_RUNNING)
		return;
	if (bisect->bad == bisect->good + 1)
		bisect->state = RES_BISECT_FOUND;
	else if (!find_middle(bisect, &next))
		bisect->state = RES_BISECT_UNDECIDED;
}

double res_bisect_share(size_t count, double error)
{
	double steps = 1 + ceil(log2((double)(count > 2 ? count - 1 : 2)));

	return error / steps;
}
