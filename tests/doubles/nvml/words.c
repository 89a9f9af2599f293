#include "nvml/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

bool pretend_skip(const char **text, char c)
{
	if (**text != c)
		return false;
	(*text)++;
	return true;
}

bool pretend_number(const char **text, double *ret)
{
	char *end;

	if (!isdigit((unsigned char)**text) && **text != '.')
		return false;
	double value = strtod(*text, &end);
	if (end == *text)
		return false;
	*ret = value;
	*text = end;
	return true;
}

static bool number_with_unit(const char **text, const struct unit *units, double *ret)
{
	const char *at = *text;
	double value;

	if (!pretend_number(&at, &value))
		return false;
	for (; units->name != NULL; units++) {
		size_t len = strlen(units->name);
		if (strncmp(at, units->name, len) != 0)
			continue;
		at += len;
		value *= units->factor;
		break;
	}
	*ret = value;
	*text = at;
	return true;
}

bool pretend_seconds(const char **text, double *ret)
{
	static const struct unit units[] = { { "ms", 1e-3 }, { "s", 1 }, { NULL, 0 } };

	return number_with_unit(text, units, ret);
}

bool pretend_bytes(const char **text, double *ret)
{
	static const struct unit units[] = {
		{ "KiB", 1024.0 },          { "MiB", 1048576.0 }, { "GiB", 1073741824.0 },
		{ "TiB", 1099511627776.0 }, { NULL, 0 },
	};

	return number_with_unit(text, units, ret);
}

void pretend_word(const char **text, const char *ends, char *ret, size_t room)
{
	size_t len = strcspn(*text, ends);
	size_t retained = len < room ? len : room - 1;

	memcpy(ret, *text, retained);
	ret[retained] = '\0';
	*text += len;
}
