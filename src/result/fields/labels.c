#include "result/fields/labels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "result/fields/fields_priv.h"

#define LABEL_BYTES_MAX 1024

struct label {
	const char *id, *label;
};

static const struct label labels[] = {
#define LABEL(id, label) { id, label },
#include "tbl/field_labels.h"
};

static const struct label check_labels[] = {
#define CHECK_LABEL(id, label) { id, label },
#include "tbl/field_labels.h"
};

static const struct label failure_labels[] = {
#define FAILURE_LABEL(name, label) { name, label },
#include "tbl/field_labels.h"
};

static const struct label short_labels[] = {
#define SHORT_LABEL(id, label) { id, label },
#include "tbl/field_labels.h"
};

static const char *find(const struct label *list, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].id, id) == 0)
			return list[i].label;
	}
	return NULL;
}

const char *res_label_listed(const char *id)
{
	return find(labels, PL_ARRAY_SIZE(labels), id);
}

const char *res_label_short(const char *id)
{
	return find(short_labels, PL_ARRAY_SIZE(short_labels), id);
}

/* The end of a key that its unit repeats: "_s", "_mhz". */
static char *unit_ending(const char *unit)
{
	static const struct {
		const char *unit, *ending;
	} others[] = { { "B", "_bytes" }, { "°C", "_c" }, { "J/tok", "_j" } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		if (strcmp(unit, others[i].unit) == 0)
			return pl_strdup(others[i].ending);
	}
	char *ending = pl_asprintf("_%s", unit);
	for (char *at = ending; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	return ending;
}

/* Adds "gpu_memory" as "GPU memory"; only the first word of a label begins with a capital. */
static void add_label_words(struct pl_buf *label, const char *key, size_t len)
{
	static const char *const names[] = { "GPU",     "GPUs",   "CPU",    "CPUs", "KV",   "ID",
					     "URL",     "UUID",   "OS",     "CUDA", "NUMA", "SM",
					     "PCIe",    "NVLink", "ECC",    "E2EL", "API",  "RTFx",
					     "profllm", "vLLM",   "PyTorch" };
	const char *end = key + len;

	while (key < end) {
		size_t word = strcspn(key, "_");
		word = word < (size_t)(end - key) ? word : (size_t)(end - key);
		const char *name = NULL;
		for (size_t i = 0; i < PL_ARRAY_SIZE(names) && name == NULL; i++) {
			if (strlen(names[i]) == word && strncasecmp(key, names[i], word) == 0)
				name = names[i];
		}
		pl_buf_add_text(label, label->len > 0 ? " " : "");
		if (name != NULL) {
			pl_buf_add_text(label, name);
		} else {
			bool is_first = label->len == 0;
			pl_buf_add_char(label,
					(char)(is_first ? toupper((unsigned char)*key) : *key));
			pl_buf_add(label, key + 1, word - 1);
		}
		key += word + (key + word < end);
	}
}

/* Returns the subject of a section whose keys other sections have, too; NULL: no such section. */
static const char *subject_of(const char *id)
{
	static const struct {
		const char *section, *subject;
	} sections[] = {
		{ "system.gpus.", "GPUs" },
		{ "system.host.", "host" },
		{ "system.server.", "server" },
		{ "system.client.", "client" },
		{ "system.telemetry.", "telemetry" },
		{ "launch.gpus.", "reserved GPUs" },
		{ "launch.phases.", "startup" },
		{ "launch.facts.", "server log" },
		{ "launch.exit.", "server exit" },
		{ "launch.target.", "target release" },
		{ "environment.client.", "client" },
		{ "environment.container.", "container" },
		{ "environment.repeat_of.", "first run" },
		{ "results.steady.", "steady" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++) {
		if (pl_text_starts(id, sections[i].section))
			return sections[i].subject;
	}
	return NULL;
}

char *res_label_of_id(const char *id, const char *unit)
{
	static const struct {
		const char *ending, *word;
	} statistics_of[] = {
		{ "_mean", "Mean" },
		{ "_max", "Maximum" },
		{ "_min", "Minimum" },
		{ "_peak", "Peak" },
	};
	const char *dot = strrchr(id, '.'), *key = dot != NULL ? dot + 1 : id;
	const char *load = res_field_below(id, "quality.load.");
	auto_free char *ending = unit_ending(unit);
	const char *subject = subject_of(id);
	auto_buf label = PL_BUF(LABEL_BYTES_MAX);
	size_t len = strlen(key);

	if (load != NULL) {
		add_label_words(&label, load, strcspn(load, "."));
		pl_buf_add_text(&label, strcmp(key, "limit") == 0 ? ", load limit" : ", load");
		return pl_buf_take(&label);
	}
	if (unit[0] != '\0' && len > strlen(ending) && pl_text_ends(key, ending))
		len -= strlen(ending);
	for (size_t i = 0; i < PL_ARRAY_SIZE(statistics_of) && label.len == 0; i++) {
		size_t end = strlen(statistics_of[i].ending);
		if (len <= end || strncmp(key + len - end, statistics_of[i].ending, end) != 0)
			continue;
		pl_buf_add_text(&label, statistics_of[i].word);
		len -= end;
	}
	add_label_words(&label, key, len);
	if (subject != NULL)
		pl_buf_addf(&label, ", %s", subject);
	return pl_buf_take(&label);
}

/* "client_error" as "Client error", or the label in the table. */
static void add_name(struct pl_buf *label, const struct label *list, size_t count, const char *name)
{
	const char *listed = find(list, count, name);

	if (listed != NULL)
		pl_buf_add_text(label, listed);
	else
		add_label_words(label, name, strlen(name));
}

char *res_label_of_check(const char *check, const char *key)
{
	auto_buf label = PL_BUF(LABEL_BYTES_MAX);

	add_name(&label, check_labels, PL_ARRAY_SIZE(check_labels), check);
	if (key != NULL)
		pl_buf_addf(&label, ", %s", key);
	return pl_buf_take(&label);
}

char *res_label_of_failure(const char *name, bool is_retried)
{
	auto_buf label = PL_BUF(LABEL_BYTES_MAX);

	add_name(&label, failure_labels, PL_ARRAY_SIZE(failure_labels), name);
	pl_buf_add_text(&label, is_retried ? ", retried" : "");
	return pl_buf_take(&label);
}

/* "Client" as "client", but "TTFT" as it is. */
static void add_family_word(struct pl_buf *label, const char *word, size_t len)
{
	bool is_capitalized = true;

	for (size_t i = 1; i < len; i++)
		is_capitalized = is_capitalized && !isupper((unsigned char)word[i]);
	pl_buf_add_char(label, is_capitalized ? (char)tolower((unsigned char)word[0]) : word[0]);
	pl_buf_add(label, word + 1, len - 1);
}

char *res_label_of_statistic(const char *statistic, const char *family)
{
	auto_buf label = PL_BUF(LABEL_BYTES_MAX);

	pl_buf_addf(&label, "%c%s", toupper((unsigned char)statistic[0]), statistic + 1);
	for (const char *word = family; *word != '\0';) {
		size_t len = strcspn(word, " ");
		pl_buf_add_char(&label, ' ');
		if (len > 0)
			add_family_word(&label, word, len);
		word += len + (word[len] == ' ');
	}
	return pl_buf_take(&label);
}
