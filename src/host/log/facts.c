#include "host/log/facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/log/line.h"

#define NUMBER_BYTES_MAX 32
#define TEXT_BYTES_MAX   16384
#define BYTES_PER_GB     1e9

enum type { COUNT, NUMBER, BYTES, TEXT, YES, ASIDE };
/*
 * Each worker logs the same facts, and a restarted engine logs them again: the rows define which
 * one is used.
 */
enum keep { FIRST, LAST, LARGEST, SMALLEST };

static const struct {
	const char *name;
	enum type type;
	enum keep keep;
} rows[] = {
#define LOG_FACT(name, type, keep) { #name, type, keep },
#include "tbl/log_lines.h"
};

static const struct read {
	enum host_log_fact fact;
	const char *line;
	const char *after;
	const char *until;
} reads[] = {
#define LOG_READ(fact, line, after, until) { HOST_FACT_##fact, line, after, until },
#include "tbl/log_lines.h"
};

static const char *const executors[][2] = {
#define LOG_EXECUTOR(file, name) { file, name },
#include "tbl/log_lines.h"
};

static const char *const backends[][2] = {
#define LOG_BACKEND(quote, name) { quote, name },
#include "tbl/log_lines.h"
};

/* "2,640,144": commas group digits. */
static bool read_number(const char **at, double *ret)
{
	char digits[NUMBER_BYTES_MAX];
	size_t used = 0;

	for (; **at != '\0' && used + 1 < sizeof(digits); (*at)++) {
		bool groups = **at == ',' && used > 0 && isdigit((unsigned char)(*at)[1]);
		bool splits = **at == '.' && isdigit((unsigned char)(*at)[1]);
		if (groups)
			continue;
		if (!isdigit((unsigned char)**at) && !splits)
			break;
		digits[used++] = **at;
	}
	digits[used] = '\0';
	return pl_text_to_f64(digits, ret);
}

static const struct {
	const char *name;
	double bytes;
} units[] = {
	{ "GiB", 1073741824.0 }, { "MiB", 1048576.0 },
	{ "KiB", 1024.0 },       { "TiB", 1099511627776.0 },
	{ "GB", 1e9 },           { "MB", 1e6 },
	{ "KB", 1e3 },           { "TB", 1e12 },
};

/* "12.02 GiB", "1.0/22.09) GiB": the first of several in one unit */
static bool read_bytes(const char *at, double *ret)
{
	double value;

	if (!read_number(&at, &value))
		return false;
	at += strspn(at, "0123456789./ )");
	for (size_t i = 0; i < PL_ARRAY_SIZE(units); i++) {
		if (pl_text_starts(at, units[i].name)) {
			*ret = value * units[i].bytes / BYTES_PER_GB;
			return true;
		}
	}
	return false;
}

static bool read_yes(const char *at, double *ret)
{
	*ret = pl_text_starts(at, "True") || pl_text_starts(at, "enabled");
	return *ret > 0 || pl_text_starts(at, "False");
}

/* Returns the name in the argument attention_backend; NULL: unknown. */
static const char *find_backend(const char *quote)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(backends); i++) {
		if (pl_text_equal(backends[i][0], quote))
			return backends[i][1];
	}
	return quote[strspn(quote, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0' ? quote : NULL;
}

static void take_text(struct host_log_facts *facts, enum host_log_fact fact, const char *at,
		      const char *until)
{
	/* "\n" stands for the end of the line, which the text no longer contains. */
	const char *end = until[0] != '\0' ? strstr(at, until) : at + strcspn(at, ", )\t");
	size_t len = end != NULL ? (size_t)(end - at) : until[0] == '\n' ? strlen(at) : 0;

	/* Python's repr(), with which vLLM logs its settings. */
	if (len >= 2 && (at[0] == '\'' || at[0] == '"') && at[len - 1] == at[0]) {
		at++;
		len -= 2;
	}
	auto_free char *text = pl_strndup(at, len < TEXT_BYTES_MAX ? len : TEXT_BYTES_MAX);
	const char *value = pl_text_trim(text);
	if (fact == HOST_FACT_attention_backend)
		value = find_backend(value);
	if (value == NULL || value[0] == '\0' || pl_text_equal(value, "None"))
		return;
	if (facts->known[fact] && rows[fact].keep == FIRST)
		return;
	free(facts->text[fact]);
	facts->text[fact] = pl_strdup(value);
	facts->known[fact] = true;
}

static void take_read(struct host_log_facts *facts, const struct read *read, const char *body)
{
	const char *at = strstr(body, read->line);
	double value;
	bool found;

	/* the text before the value may start before the phrase that identifies the line */
	at = at != NULL ? strstr(pl_text_starts(at, read->after) ? at : body, read->after) : NULL;
	if (at == NULL)
		return;
	at += strlen(read->after);
	switch (rows[read->fact].type) {
	case TEXT:
	case ASIDE:
		take_text(facts, read->fact, at, read->until);
		return;
	case YES:
		found = read_yes(at, &value);
		break;
	case BYTES:
		found = read_bytes(at, &value);
		break;
	default:
		found = read_number(&at, &value);
	}
	if (found) {
		enum host_log_fact fact = read->fact;
		double *retained = &facts->number[fact];
		bool known = facts->known[fact];
		facts->known[fact] = true;
		if (!known || rows[fact].keep == LAST ||
		    (rows[fact].keep == LARGEST && value > *retained) ||
		    (rows[fact].keep == SMALLEST && value < *retained))
			*retained = value;
	}
}

void host_log_facts_take(struct host_log_facts *facts, const struct host_log_line *line)
{
	/*
	 * Checks all rows: one line may have several facts, like that of the engine's
	 * configuration.
	 */
	for (size_t i = 0; i < PL_ARRAY_SIZE(reads); i++)
		take_read(facts, &reads[i], line->body);
	for (size_t i = 0; line->source[0] != '\0' && i < PL_ARRAY_SIZE(executors); i++) {
		if (pl_text_equal(executors[i][0], line->source))
			take_text(facts, HOST_FACT_executor, executors[i][1], "");
	}
}

void host_log_facts_done(struct host_log_facts *facts)
{
	for (size_t i = 0; i < HOST_FACT_COUNT; i++)
		free(facts->text[i]);
}

static json_t *fact_json(const struct host_log_facts *facts, enum host_log_fact fact)
{
	if (!facts->known[fact])
		return json_null();
	switch (rows[fact].type) {
	case TEXT:
	case ASIDE:
		return pl_json_text(facts->text[fact]);
	case YES:
		return json_boolean(facts->number[fact] > 0);
	case COUNT:
		/* beyond a double's whole numbers nothing is a count */
		return facts->number[fact] < 0x1p53 ? json_integer((json_int_t)facts->number[fact])
						    : json_null();
	default:
		return pl_json_number(facts->number[fact]);
	}
}

json_t *host_log_facts_json(const struct host_log_facts *facts)
{
	json_t *json = json_object();

	for (size_t i = 0; i < HOST_FACT_COUNT; i++) {
		if (rows[i].type != ASIDE)
			json_object_set_new(json, rows[i].name,
					    fact_json(facts, (enum host_log_fact)i));
	}
	return json;
}
