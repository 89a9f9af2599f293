/*
 * Releases as Python orders them (PEP 440): 0.11.1.dev3 < 0.11.1rc2 < 0.11.1 < 0.11.1.post1.
 * `stage` puts them in these four steps, so that a comparison goes from the left to the right and
 * stops at the first difference.
 *
 *   stage  -2 dev alone   -1 a, b, rc   0 the release   1 post
 */
#include "vllm/version.h"

#include <limits.h>
#include <string.h>

#include "base/text.h"

#define DIGITS_MAX 9

/* Reads digits into *ret; 0 if there are none and they are `optional`. False: none, or too many. */
static bool take_number(const char **at, bool optional, int *ret)
{
	size_t len = strspn(*at, "0123456789");
	int number = 0;

	if (len > DIGITS_MAX || (len == 0 && !optional))
		return false;
	for (size_t i = 0; i < len; i++)
		number = number * 10 + ((*at)[i] - '0');
	*at += len;
	*ret = number;
	return true;
}

/* Parts that are not given are 0: 0.11 is 0.11.0. */
static bool take_release(const char **at, struct vllm_version *version)
{
	for (size_t i = 0; i < VLLM_VERSION_PARTS; i++) {
		if (!take_number(at, false, &version->release[i]))
			return false;
		if ((*at)[0] != '.' || (*at)[1] < '0' || (*at)[1] > '9')
			return true;
		(*at)++;
	}
	return false;
}

/* Reads the word after an optional '.', '-' or '_'; its number may follow another separator. */
static bool take_word(const char **at, const char *word, int *ret_number, bool *ret_bad)
{
	const char *from = *at + (strchr("._-", **at) != NULL && **at != '\0');

	if (!pl_text_starts(from, word))
		return false;
	from += strlen(word);
	if (strchr("._-", *from) != NULL && from[0] != '\0' && from[1] >= '0' && from[1] <= '9')
		from++;
	*ret_bad = !take_number(&from, true, ret_number);
	*at = from;
	return true;
}

static bool take_suffixes(const char **at, struct vllm_version *version)
{
	/* longer spellings first: "alpha" also starts with "a" */
	static const struct {
		const char *word;
		char pre;
	} stages[] = { { "alpha", 'a' }, { "beta", 'b' }, { "preview", 'r' }, { "pre", 'r' },
		       { "rc", 'r' },    { "a", 'a' },    { "b", 'b' },       { "c", 'r' } };
	bool bad = false;

	for (size_t i = 0; i < PL_ARRAY_SIZE(stages) && version->pre == 0; i++) {
		if (take_word(at, stages[i].word, &version->pre_number, &bad))
			version->pre = stages[i].pre;
	}
	if (!bad && take_word(at, "post", &version->post, &bad))
		version->post++;
	if (!bad)
		take_word(at, "dev", &version->dev, &bad);
	return !bad;
}

/* A local part: letters and digits between '.', '-' and '_'. */
static bool is_local_or_end(const char *at)
{
	if (*at == '\0')
		return true;
	return at[0] == '+' && at[1] != '\0' &&
	       at[1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789.-_")] == '\0';
}

/* dev INT_MAX: not a development build, which sorts after all development builds. */
int vllm_version_parse(const char *text, struct vllm_version *ret, struct pl_err *err)
{
	struct vllm_version version = { .dev = INT_MAX };
	const char *at = text + (text[0] == 'v' || text[0] == 'V');

	if (!take_release(&at, &version) || !take_suffixes(&at, &version) || !is_local_or_end(at))
		return pl_err_invalid(err, "'%.100s' is not a release such as 0.32.0 or 0.11.1rc2",
				      text);
	if (version.pre != 0)
		version.stage = -1;
	else if (version.post != 0)
		version.stage = 1;
	else if (version.dev != INT_MAX)
		version.stage = -2;
	*ret = version;
	return 0;
}

static int sign(int a, int b)
{
	return (a > b) - (a < b);
}

int vllm_version_compare(const struct vllm_version *a, const struct vllm_version *b)
{
	int order = 0;

	for (size_t i = 0; order == 0 && i < VLLM_VERSION_PARTS; i++)
		order = sign(a->release[i], b->release[i]);
	if (order == 0)
		order = sign(a->stage, b->stage);
	if (order == 0)
		order = sign(a->pre, b->pre);
	if (order == 0)
		order = sign(a->pre_number, b->pre_number);
	if (order == 0)
		order = sign(a->post, b->post);
	return order != 0 ? order : sign(a->dev, b->dev);
}

/* setuptools_scm gives this version to a build from a checkout without tags: 0.1.dev1+gabc. */
bool vllm_version_is_untagged(const struct vllm_version *version)
{
	static const struct vllm_version untagged = { .release = { 0, 1 } };

	return version->stage == -2 &&
	       memcmp(version->release, untagged.release, sizeof(untagged.release)) == 0;
}

int vllm_release_compare(const struct vllm_version *release, const char *text, bool *ret_known)
{
	struct vllm_version other;

	*ret_known = text != NULL && vllm_version_parse(text, &other, PL_ERR_IGNORED) == 0;
	return *ret_known ? vllm_version_compare(release, &other) : 0;
}
