#include "base/scan.h"

#include <stddef.h>
#include <string.h>

bool pl_scan_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *pl_scan_blanks(const char *at, const char *end)
{
	while (at < end && pl_scan_is_blank(*at))
		at++;
	return at;
}

const char *pl_scan_string(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '\\')
			at++;
		else if (*at == '"')
			return at + 1;
	}
	return end;
}

const char *pl_scan_value(const char *at, const char *end, const char *stops)
{
	size_t depth = 0;

	while (at < end) {
		if (depth == 0 && stops[0] != '\0' && strchr(stops, *at) != NULL && *at != '\0')
			return at;
		if (*at == '"') {
			at = pl_scan_string(at, end);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && depth > 0 && --depth == 0 &&
			 stops[0] == '\0')
			return at + 1;
		at++;
	}
	return end;
}
