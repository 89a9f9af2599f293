#include "base/clean.h"

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

bool pl_clean_html(struct pl_buf *buf, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const escaped[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	/*
	 * U+FFFD replaces invalid bytes: otherwise a browser may take a part of the markup for the
	 * rest of a character.
	 */
	auto_free char *clean = pl_clean_line(text);
	bool ok = true;

	for (const char *at = clean; *at != '\0' && ok; at++) {
		const char *found = strchr(special, *at);
		ok = found != NULL ? pl_buf_add_text(buf, escaped[found - special])
				   : pl_buf_add_char(buf, *at);
	}
	return ok;
}
