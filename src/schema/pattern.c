/*
 * Regular expression dialects differ in details ("\v", "[[:alpha:]]", "{,3}", "(?i)"), and editors
 * and browsers read a schema, too: syntax whose meaning differs is rejected when the schema is
 * compiled, so that all readers agree about a document. PCRE2 counts its steps and uses no stack
 * for them: a pattern that would backtrack forever is stopped. If the system allows it, PCRE2
 * compiles patterns to machine code, which is several times as fast and counts differently: if that
 * reaches its limit, the match is repeated without it, so that results do not depend on it.
 */
#include "schema/pattern.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define PATTERN_BYTES_MAX 65536
#define STEPS_MAX         100000
#define HEAP_KIB_MAX      4096
#define NESTED_MAX        100

struct res_pattern {
	pcre2_code *code;
	pcre2_match_context *context;
};

/* Text after "(?": groups and lookarounds that all three support. */
static bool is_shared_group(const char *at, size_t left)
{
	static const char *const forms[] = { ":", "=", "!", "<=", "<!" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(forms); i++) {
		if (left >= strlen(forms[i]) && strncmp(at, forms[i], strlen(forms[i])) == 0)
			return true;
	}
	return false;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Returns a description of syntax at `at` whose meaning differs between the three, or NULL. */
static const char *not_shared(const char *at, size_t left, bool in_class)
{
	char next = left > 1 ? at[1] : '\0';

	if (*at == '\\' && is_alnum(next) && strchr("dDsSwWbBnrtf", next) == NULL)
		return "an escape that is not one of \\d \\s \\w \\b (and their opposites), \\n "
		       "\\r \\t \\f";
	if (in_class)
		return *at == '[' && (next == ':' || next == '.' || next == '=') ? "a named class"
										 : NULL;
	if (*at == '(' && next == '*')
		return "a verb";
	if (*at == '(' && next == '?' && !is_shared_group(at + 2, left - 2))
		return "a group that is not one of (?: (?= (?! (?<= (?<!";
	if (*at == '{' && next == ',')
		return "a repeat without a minimum";
	return NULL;
}

static int check_shared(const char *text, size_t len, struct pl_err *err)
{
	bool in_class = false;

	for (size_t i = 0; i < len; i++) {
		const char *fault = not_shared(text + i, len - i, in_class);
		if (fault != NULL)
			return pl_err_set(
				err, PL_ERR_INVALID,
				"at %zu: %s, which regular expression engines read differently", i,
				fault);
		if (text[i] == '\\') {
			i++;
		} else if (text[i] == '[' && !in_class) {
			in_class = true;
			/* a leading bracket is an item */
			i += i + 1 < len && text[i + 1] == '^';
			i += i + 1 < len && text[i + 1] == ']';
		} else if (text[i] == ']') {
			in_class = false;
		}
	}
	return 0;
}

static pcre2_code *compile(const char *text, size_t len, struct pl_err *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	int fault;
	size_t at;

	pcre2_set_max_pattern_length(context, PATTERN_BYTES_MAX);
	pcre2_set_parens_nest_limit(context, NESTED_MAX);
	/*
	 * as in Python: "." is any character except "\n", and "$" also matches before a final one
	 */
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, len,
					 PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &fault,
					 &at, context);
	pcre2_compile_context_free(context);
	if (code == NULL) {
		PCRE2_UCHAR message[256];
		pcre2_get_error_message(fault, message, sizeof(message));
		pl_err_set(err, PL_ERR_INVALID, "at %zu: %s", at, (const char *)message);
	}
	return code;
}

int schema_pattern_new(const char *text, size_t len, struct res_pattern **ret, struct pl_err *err)
{
	if (check_shared(text, len, err) < 0)
		return -1;
	pcre2_code *code = compile(text, len, err);
	if (code == NULL)
		return -1;
	struct res_pattern *pattern = pl_alloc(sizeof(*pattern));
	pattern->code = code;
	/* optional: matching works without it */
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	pattern->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(pattern->context, STEPS_MAX);
	pcre2_set_heap_limit(pattern->context, HEAP_KIB_MAX);
	*ret = pattern;
	return 0;
}

void schema_pattern_free(struct res_pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_match_context_free(pattern->context);
	pcre2_code_free(pattern->code);
	free(pattern);
}

/*
 * Memory for a match's steps, which costs more to allocate than most matches: each thread keeps its
 * own.
 */
static pthread_key_t data_key;
static pthread_once_t data_once = PTHREAD_ONCE_INIT;

static void free_data(void *data)
{
	pcre2_match_data_free(data);
}

static void make_data_key(void)
{
	if (pthread_key_create(&data_key, free_data) != 0)
		pl_must(NULL);
}

static int match(const struct res_pattern *pattern, const char *text, size_t len, uint32_t options)
{
	pthread_once(&data_once, make_data_key);
	pcre2_match_data *data = pthread_getspecific(data_key);
	if (data == NULL) {
		/* the position is not needed: one pair is enough */
		data = pcre2_match_data_create(1, NULL);
		if (data == NULL || pthread_setspecific(data_key, data) != 0)
			pl_must(NULL);
	}
	return pcre2_match(pattern->code, (PCRE2_SPTR)text, len, 0, options, data,
			   pattern->context);
}

bool schema_pattern_matches(const struct res_pattern *pattern, const char *text, size_t len)
{
	int found = match(pattern, text, len, 0);

	if (found == PCRE2_ERROR_JIT_STACKLIMIT || found == PCRE2_ERROR_MATCHLIMIT)
		found = match(pattern, text, len, PCRE2_NO_JIT);
	/* 0: it has groups, and more pairs than there is room for */
	return found >= 0;
}
