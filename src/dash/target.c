#include "dash/target.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Returns a decoded copy; `from` is the offset of the bytes in the target, for messages. */
static int decode(const char *text, size_t len, size_t from, bool is_query, char **ret,
		  struct pl_err *err)
{
	auto_free char *decoded = pl_alloc(len + 1);
	size_t used = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (c == '%') {
			int high = i + 1 < len ? pl_hex_value(text[i + 1]) : -1;
			int low = i + 2 < len ? pl_hex_value(text[i + 2]) : -1;
			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return pl_err_set(err, PL_ERR_INVALID,
						  "request target, byte %zu: found '%.*s', "
						  "expected %%01 to %%FF",
						  from + i + 1, (int)(len - i < 3 ? len - i : 3),
						  text + i);
			c = (char)(high * 16 + low);
			i += 2;
		} else if (c == '+' && is_query) {
			c = ' ';
		}
		decoded[used++] = c;
	}
	if (!pl_text_is_utf8(decoded))
		return pl_err_set(err, PL_ERR_INVALID,
				  "request target: invalid UTF-8 from byte %zu", from + 1);
	*ret = pl_take(decoded);
	return 0;
}

static int read_members(const char *text, size_t from, struct dash_target *target,
			struct pl_err *err)
{
	for (const char *at = text; *at != '\0';) {
		size_t len = strcspn(at, "&");
		size_t name_len = strcspn(at, "=&");
		size_t value_at = name_len < len ? name_len + 1 : len;
		size_t position = from + (size_t)(at - text);
		struct dash_member *member;
		if (target->count == DASH_MEMBERS_MAX)
			return pl_err_set(err, PL_ERR_INVALID,
					  "request target: found more than %d query parameters",
					  DASH_MEMBERS_MAX);
		if (len > 0) {
			member = PL_PUSH(target->members, target->count, target->room);
			*member = (struct dash_member){ 0 };
			if (decode(at, name_len, position, true, &member->name, err) < 0 ||
			    decode(at + value_at, len - value_at, position + value_at, true,
				   &member->value, err) < 0)
				return -1;
		}
		at += len + (at[len] == '&');
	}
	return 0;
}

int dash_target_read(const char *text, struct dash_target *ret, struct pl_err *err)
{
	auto_target target = { 0 };
	size_t len = strcspn(text, "?");

	if (text[0] != '/')
		return pl_err_set(err, PL_ERR_INVALID,
				  "request target: found '%.*s', expected a path", 100, text);
	if (decode(text, len, 0, false, &target.path, err) < 0 ||
	    (text[len] == '?' && read_members(text + len + 1, len + 1, &target, err) < 0))
		return -1;
	*ret = target;
	target = (struct dash_target){ 0 };
	return 0;
}

void dash_target_done(struct dash_target *target)
{
	free(target->path);
	for (size_t i = 0; i < target->count; i++) {
		free(target->members[i].name);
		free(target->members[i].value);
	}
	free(target->members);
	*target = (struct dash_target){ 0 };
}
