#include "result/change/change.h"

#include <stdlib.h>
#include <string.h>

#define RATE_EFFECT   0.03 /* also of other metrics that are better if higher */
#define MIDDLE_EFFECT 0.05
#define TAIL_EFFECT   0.08 /* from the 90th percentile */
#define FAR_EFFECT    0.15 /* from the 99th percentile, which few requests decide */

/* Returns N of "….pN_…", including 99.9; 0: the id has no such part. */
static double percentile_of(const char *id)
{
	for (const char *dot = strchr(id, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
		if (dot[1] == 'p' && dot[2] >= '0' && dot[2] <= '9')
			return strtod(dot + 2, NULL);
	}
	return 0;
}

double res_change_effect_default(const struct res_field *field)
{
	double percentile = percentile_of(field->id);

	if (field->direction == RES_FIELD_HIGHER)
		return RATE_EFFECT;
	if (percentile >= 99 || strstr(field->id, ".std_") != NULL)
		return FAR_EFFECT;
	return percentile >= 90 ? TAIL_EFFECT : MIDDLE_EFFECT;
}
