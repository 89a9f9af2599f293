#include "base/width.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

/* The programs run in the "C" locale, whose characters are bytes; glibc always has this one. */
static locale_t utf8;

static void open_locale(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static locale_t enter_utf8(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_locale);
	return utf8 != (locale_t)0 ? uselocale(utf8) : uselocale((locale_t)0);
}

/* The first character of len > 0 bytes: *ret_len bytes. */
static size_t width_of(const char *text, size_t len, size_t *ret_len)
{
	mbstate_t state = { 0 };
	wchar_t c = 0;
	size_t taken = mbrtowc(&c, text, len, &state);

	*ret_len = 1;
	/* not UTF-8, or cut */
	if (taken == 0 || taken > len)
		return 1;
	*ret_len = taken;
	int columns = wcwidth(c);
	return columns >= 0 ? (size_t)columns : 1;
}

size_t pl_width(const char *text, size_t len)
{
	locale_t before = enter_utf8();
	size_t columns = 0, taken;

	for (size_t at = 0; at < len; at += taken)
		columns += width_of(text + at, len - at, &taken);
	uselocale(before);
	return columns;
}

size_t pl_width_fit(const char *text, size_t columns)
{
	locale_t before = enter_utf8();
	size_t len = strlen(text), at = 0, used = 0;

	while (at < len) {
		size_t taken;
		used += width_of(text + at, len - at, &taken);
		if (used > columns)
			break;
		at += taken;
	}
	uselocale(before);
	return at;
}

size_t pl_width_line(const char *text, size_t columns)
{
	size_t len = pl_width_fit(text, columns), blank = len;

	/* a character that is wider than the line */
	if (len == 0 && *text != '\0') {
		for (len = 1; ((unsigned char)text[len] & 0xc0) == 0x80;)
			len++;
		return len;
	}
	if (text[len] == '\0' || text[len] == ' ')
		return len;
	while (blank > 0 && text[blank - 1] != ' ')
		blank--;
	return blank > 1 ? blank - 1 : len;
}
