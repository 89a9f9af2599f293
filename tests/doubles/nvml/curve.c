#include "nvml/curve.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "nvml/words.h"

bool pretend_curve_parse(const char *text, struct pretend_curve *ret)
{
	static const struct {
		const char *name;
		enum pretend_shape shape;
	} shapes[] = {
		{ "const:", PRETEND_CONST },
		{ "sine:", PRETEND_SINE },
		{ "square:", PRETEND_SQUARE },
		{ "ramp:", PRETEND_RAMP },
	};
	struct pretend_curve curve = { 0 };
	size_t i = 0;

	while (i < sizeof(shapes) / sizeof(shapes[0]) &&
	       strncmp(text, shapes[i].name, strlen(shapes[i].name)) != 0)
		i++;
	if (i == sizeof(shapes) / sizeof(shapes[0]))
		return false;
	curve.shape = shapes[i].shape;
	text += strlen(shapes[i].name);
	if (!pretend_number(&text, &curve.low_w) || curve.low_w < 0)
		return false;
	if (curve.shape != PRETEND_CONST &&
	    (!pretend_skip(&text, ':') || !pretend_number(&text, &curve.high_w) ||
	     curve.high_w < curve.low_w || !pretend_skip(&text, ':') ||
	     !pretend_seconds(&text, &curve.period_s) || !(curve.period_s > 0)))
		return false;
	if (*text != '\0')
		return false;
	*ret = curve;
	return true;
}

double pretend_curve_power_w(const struct pretend_curve *curve, double t_s)
{
	double low = curve->low_w;
	double span = curve->high_w - low;

	if (curve->shape == PRETEND_CONST)
		return low;
	double share = t_s / curve->period_s - floor(t_s / curve->period_s);
	if (curve->shape == PRETEND_SINE)
		return low + span / 2 * (1 + sin(2 * M_PI * share));
	if (curve->shape == PRETEND_SQUARE)
		return share < 0.5 ? low + span : low;
	return low + span * share;
}

double pretend_curve_energy_j(const struct pretend_curve *curve, double t_s)
{
	double period = curve->period_s;
	double span = curve->high_w - curve->low_w;
	double energy = curve->low_w * t_s;

	if (curve->shape == PRETEND_CONST)
		return energy;
	double whole = floor(t_s / period);
	double share = t_s / period - whole;
	/* the part above `low`: half of the span in each whole period, then that of the current
	 * period */
	energy += span * whole * period / 2;
	if (curve->shape == PRETEND_SINE)
		return energy +
		       span * period / 2 * (share + (1 - cos(2 * M_PI * share)) / (2 * M_PI));
	if (curve->shape == PRETEND_SQUARE)
		return energy + span * period * fmin(share, 0.5);
	return energy + span * period * share * share / 2;
}
