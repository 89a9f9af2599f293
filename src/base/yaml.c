#include "base/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml_build.h"

/*
 * Files written by hand are about a thousandth of this size. A larger file comes from a program or
 * an attacker.
 */
enum {
	YAML_BYTES_MAX = 8 << 20,
	ARENA_BLOCK_BYTES = 16384,
	SHOWN_BYTES_MAX = 60,
};

static bool is_plain(const struct pl_yaml *node)
{
	return node != NULL && node->kind == PL_YAML_SCALAR && node->plain;
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (strcasecmp(text, *words) == 0)
			return true;
	}
	return false;
}

/* Not isdigit(): numbers must not depend on a locale. */
static const char *skip_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* A sign and digits without a leading zero, which YAML 1.1 takes for octal and people for
 * decimal. */
static const char *skip_whole(const char *at)
{
	at += *at == '-' || *at == '+';
	return at[0] == '0' ? at + 1 : skip_digits(at);
}

static bool looks_whole(const char *text)
{
	const char *end = skip_whole(text);

	return end > text && end[-1] >= '0' && end[-1] <= '9' && *end == '\0';
}

bool pl_yaml_is_null(const struct pl_yaml *node)
{
	static const char *const words[] = { "", "~", "null", NULL };

	return is_plain(node) && is_one_of(node->text, words);
}

bool pl_yaml_to_bool(const struct pl_yaml *node, bool *ret)
{
	/*
	 * More than the core schema allows, for keys that require a bool: users write the words of
	 * YAML 1.1. In pl_yaml_to_json(), where the expected type is unknown, only true and false
	 * are booleans.
	 */
	static const char *const yes[] = { "true", "yes", "on", NULL };
	static const char *const no[] = { "false", "no", "off", NULL };

	if (!is_plain(node) || (!is_one_of(node->text, yes) && !is_one_of(node->text, no)))
		return false;
	*ret = is_one_of(node->text, yes);
	return true;
}

bool pl_yaml_to_i64(const struct pl_yaml *node, int64_t *ret)
{
	return is_plain(node) && looks_whole(node->text) && pl_text_to_i64(node->text, ret);
}

bool pl_yaml_to_f64(const struct pl_yaml *node, double *ret)
{
	/* ".inf" as YAML writes it, "inf" as vLLM's options do. */
	static const char *const infinities[] = { ".inf", "inf", NULL };
	static const char *const nans[] = { ".nan", "nan", NULL };

	if (!is_plain(node))
		return false;
	if (is_one_of(node->text + (*node->text == '-' || *node->text == '+'), infinities)) {
		*ret = node->text[0] == '-' ? -INFINITY : INFINITY;
		return true;
	}
	if (is_one_of(node->text, nans)) {
		*ret = NAN;
		return true;
	}
	/* "1.5", ".5", "5.", "1e3", "-2.5e-3" */
	const char *text = node->text;
	const char *digits = text + (*text == '-' || *text == '+');
	const char *at = skip_whole(text);
	size_t count = (size_t)(at - digits);
	if (*at == '.') {
		const char *end = skip_digits(at + 1);
		count += (size_t)(end - at - 1);
		at = end;
	}
	if (count > 0 && (*at == 'e' || *at == 'E')) {
		at += 1 + (at[1] == '-' || at[1] == '+');
		const char *end = skip_digits(at);
		count = (size_t)(end - at);
		at = end;
	}
	return (count > 0 && *at == '\0') && pl_text_to_f64(node->text, ret);
}

/* Only true and false: "country: no" is a text in YAML 1.2. */
static bool is_core_bool(const struct pl_yaml *node, bool *ret)
{
	return pl_yaml_to_bool(node, ret) &&
	       (strcasecmp(node->text, "true") == 0 || strcasecmp(node->text, "false") == 0);
}

json_t *pl_yaml_to_json(const struct pl_yaml *node)
{
	if (node->kind == PL_YAML_SCALAR) {
		int64_t whole;
		double number;
		bool truth;
		if (pl_yaml_is_null(node))
			return json_null();
		if (is_core_bool(node, &truth))
			return json_boolean(truth);
		if (pl_yaml_to_i64(node, &whole))
			return json_integer(whole);
		/*
		 * Beyond int64 a whole number becomes a double, as in vLLM's own JSON; beyond that too, it
		 * stays the text that it is.
		 */
		if (!pl_yaml_to_f64(node, &number))
			return json_string(node->text);
		if (isfinite(number))
			return json_real(number);
		return json_string(isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
	}
	json_t *json = node->kind == PL_YAML_LIST ? json_array() : json_object();
	for (size_t i = 0; i < node->count; i++) {
		json_t *item = pl_yaml_to_json(node->items[i]);
		if (node->kind == PL_YAML_LIST)
			json_array_append_new(json, item);
		else
			json_object_set_new(json, node->keys[i]->text, item);
	}
	return json;
}

/* At most SHOWN_BYTES_MAX bytes of a text, cut between characters, without control characters. */
static void shorten(const char *text, char shown[SHOWN_BYTES_MAX + 4])
{
	size_t len = strlen(text);
	bool cut = len > SHOWN_BYTES_MAX;

	if (cut)
		len = SHOWN_BYTES_MAX;
	while (cut && len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	for (size_t i = 0; i < len; i++)
		shown[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? ' ' : text[i];
	strcpy(shown + len, cut ? "..." : "");
}

void pl_yaml_describe(const struct pl_yaml *node, char *text, size_t room)
{
	char shown[SHOWN_BYTES_MAX + 4];
	double number;
	bool truth;

	shorten(node->text, shown);
	if (node->kind != PL_YAML_SCALAR)
		snprintf(text, room, "%s", node->kind == PL_YAML_LIST ? "a list" : "a mapping");
	else if (pl_yaml_is_null(node))
		snprintf(text, room, "null");
	else if (is_core_bool(node, &truth))
		snprintf(text, room, "%s", truth ? "true" : "false");
	else if (pl_yaml_to_f64(node, &number))
		snprintf(text, room, "number %s", shown);
	else
		snprintf(text, room, "text '%s'", shown);
}

const struct pl_yaml *pl_yaml_get(const struct pl_yaml *map, const char *key)
{
	if (map == NULL || map->kind != PL_YAML_MAP)
		return NULL;
	for (size_t i = 0; i < map->count; i++) {
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->items[i];
	}
	return NULL;
}

static bool read_hex4(const char *text, unsigned *ret)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = pl_hex_value(text[i]);
		if (digit < 0)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	*ret = value;
	return true;
}

/*
 * JSON writes characters beyond U+FFFF as two \u escapes, YAML as one \U escape, and libyaml
 * rejects the former. Returns a copy (free()) with each "\uD83D\uDE00" as "\U0001F600", or NULL if
 * there is none.
 */
static char *join_surrogates(const char *text, size_t len, size_t *ret_len)
{
	auto_free char *copy = pl_alloc(len + 1);
	size_t used = 0;
	bool found = false;

	for (size_t i = 0; i < len;) {
		unsigned high;
		unsigned low;
		if (len - i >= 12 && memcmp(text + i, "\\u", 2) == 0 &&
		    read_hex4(text + i + 2, &high) && high >= 0xD800 && high < 0xDC00 &&
		    memcmp(text + i + 6, "\\u", 2) == 0 && read_hex4(text + i + 8, &low) &&
		    low >= 0xDC00 && low < 0xE000) {
			unsigned code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
			used += (size_t)snprintf(copy + used, 11, "\\U%08X", code);
			found = true;
			i += 12;
		} else if (text[i] == '\\' && len - i >= 2) {
			/* two bytes at once: a backslash that is escaped begins no escape */
			copy[used++] = text[i++];
			copy[used++] = text[i++];
		} else {
			copy[used++] = text[i++];
		}
	}
	*ret_len = used;
	return found ? pl_take(copy) : NULL;
}

static struct pl_yaml_doc *new_doc(const char *source)
{
	struct pl_yaml_doc *doc = pl_alloc(sizeof(*doc));

	doc->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	doc->source = pl_strdup(source);
	return doc;
}

int pl_yaml_parse(const char *text, size_t len, const char *source, struct pl_yaml_doc **ret,
		  struct pl_err *err)
{
	if (len > YAML_BYTES_MAX)
		return pl_err_invalid(
			err, "'%s' is larger than %s", source,
			pl_text_from_bytes(YAML_BYTES_MAX, (char[PL_BYTES_TEXT_BYTES]){ 0 }));
	auto_yaml struct pl_yaml_doc *doc = new_doc(source);
	/*
	 * Only if libyaml rejects the text: such escapes come from JSON written by other programs.
	 */
	int result = pl_yaml_build(doc, text, len, err);
	if (result < 0 && strstr(err->text, "invalid Unicode character escape") != NULL) {
		size_t joined_len;
		auto_free char *joined = join_surrogates(text, len, &joined_len);
		if (joined != NULL) {
			pl_yaml_free(doc);
			doc = new_doc(source);
			result = pl_yaml_build(doc, joined, joined_len, err);
		}
	}
	if (result < 0)
		return -1;
	*ret = pl_take(doc);
	return 0;
}

int pl_yaml_read_file(const char *path, struct pl_yaml_doc **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, YAML_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return pl_yaml_parse(text, len, path, ret, err);
}

void pl_yaml_free(struct pl_yaml_doc *doc)
{
	if (doc == NULL)
		return;
	pl_arena_free(doc->arena);
	free(doc->source);
	free(doc);
}

const struct pl_yaml *pl_yaml_root(const struct pl_yaml_doc *doc)
{
	return doc->root;
}
