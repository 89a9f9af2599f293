#include "vllm/flag_sense.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

/* Words that begin a name. Several may follow each other: "no-disable-x". */
static const struct {
	const char *word;
	bool negates;
} prefixes[] = {
	{ "no-", true },      { "not-", true },  { "non-", true },  { "disable-", true },
	{ "without-", true }, { "skip-", true }, { "dont-", true }, { "enable-", false },
	{ "with-", false },   { "use-", false },
};

static char plain(char c)
{
	return c == '_' ? '-' : c;
}

static bool starts(const char *text, const char *word)
{
	for (; *word != '\0'; text++, word++) {
		if (plain(*text) != *word)
			return false;
	}
	return *text != '\0';
}

/* The name without such words; *ret_negated: their number that negate is odd. */
static const char *stem_of(const char *flag, bool *ret_negated)
{
	const char *name = flag + strspn(flag, "-");

	*ret_negated = false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(prefixes);) {
		if (!starts(name, prefixes[i].word)) {
			i++;
			continue;
		}
		name += strlen(prefixes[i].word);
		*ret_negated ^= prefixes[i].negates;
		i = 0;
	}
	return name;
}

static bool same_name(const char *a, const char *b)
{
	while (*a != '\0' && plain(*a) == plain(*b)) {
		a++;
		b++;
	}
	return *a == '\0' && *b == '\0';
}

enum vllm_sense vllm_flag_sense(const char *flag, const char *other)
{
	bool negated, other_negated;
	const char *stem = stem_of(flag, &negated);
	const char *other_stem = stem_of(other, &other_negated);

	if (!same_name(stem, other_stem))
		return VLLM_SENSE_UNDECIDED;
	return negated == other_negated ? VLLM_SENSE_SAME : VLLM_SENSE_OPPOSITE;
}
