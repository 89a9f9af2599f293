#include "base/clean.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

char *pl_clean_line(const char *text)
{
	/* a JSON string is valid UTF-8 whatever it was made of */
	auto_json json_t *string = pl_json_text(text);
	char *clean = pl_strdup(json_string_value(string));

	/* external names and messages must not move a terminal's cursor or set its title */
	pl_text_to_line(clean);
	return clean;
}

/* Bytes of the first character if its property Bidi_Control is set: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069. 0: it is not. */
static size_t direction_len(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (at[0] == 0xd8)
		return at[1] == 0x9c ? 2 : 0;
	if (at[0] != 0xe2)
		return 0;
	return (at[1] == 0x80 &&
		(at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xaa && at[2] <= 0xae))) ||
			       (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9)
		       ? 3
		       : 0;
}

/* Replaces each by U+FFFD. */
static void drop_directions(char **text)
{
	size_t len, at = 0;

	while ((*text)[at] != '\0' && direction_len(*text + at) == 0)
		at++;
	if ((*text)[at] == '\0')
		return;
	auto_buf buf = PL_BUF(SIZE_MAX / 2);
	pl_buf_add(&buf, *text, at);
	for (; (*text)[at] != '\0'; at += len > 0 ? len : 1) {
		len = direction_len(*text + at);
		if (len > 0)
			pl_buf_add_text(&buf, "\xef\xbf\xbd");
		else
			pl_buf_add_char(&buf, (*text)[at]);
	}
	free(*text);
	*text = pl_buf_take(&buf);
}

char *pl_clean_shown(const char *text)
{
	char *clean = pl_clean_line(text);

	drop_directions(&clean);
	return clean;
}

bool pl_clean_html(struct pl_buf *buf, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const escaped[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	/*
	 * U+FFFD replaces invalid bytes: otherwise a browser may take a part of the markup for the
	 * rest of a character.
	 */
	auto_free char *clean = pl_clean_shown(text);
	bool ok = true;

	for (const char *at = clean; *at != '\0' && ok; at++) {
		const char *found = strchr(special, *at);
		ok = found != NULL ? pl_buf_add_text(buf, escaped[found - special])
				   : pl_buf_add_char(buf, *at);
	}
	return ok;
}
