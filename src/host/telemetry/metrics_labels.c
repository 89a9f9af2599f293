#include "host/telemetry/metrics_labels.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "host/telemetry/metrics_page.h"

#define VALUE_BYTES_MAX 65536

struct wanted {
	const char *name;
	json_t *labels;
};

/* Reads up to the closing quote; the text format has three escapes. */
static const char *add_value(const char *at, const char *end, struct pl_buf *value)
{
	for (; at < end && *at != '"'; at++) {
		bool escaped = *at == '\\' && at + 1 < end;
		at += escaped;
		pl_buf_add_char(value, escaped && *at == 'n' ? '\n' : *at);
	}
	return at < end ? at + 1 : end;
}

/* `a="x",b="y"`, which host_metrics_walk() has checked. */
static json_t *read_labels(const char *at, size_t len)
{
	json_t *labels = json_object();
	const char *end = at + len;

	while (at < end) {
		at += *at == ',' || *at == ' ';
		const char *equals = at < end ? memchr(at, '=', (size_t)(end - at)) : NULL;
		if (equals == NULL)
			break;
		auto_free char *name = pl_strndup(at, (size_t)(equals - at));
		auto_buf value = PL_BUF(VALUE_BYTES_MAX);
		at = add_value(equals + 2, end, &value);
		json_object_set_new(labels, name, json_string(pl_buf_text(&value)));
	}
	return labels;
}

static void take(void *data, const struct host_sample *sample)
{
	struct wanted *wanted = data;

	if (wanted->labels == NULL && sample->labels != NULL &&
	    sample->name_len == strlen(wanted->name) &&
	    memcmp(sample->name, wanted->name, sample->name_len) == 0)
		wanted->labels = read_labels(sample->labels, sample->labels_len);
}

json_t *host_metrics_labels(const char *text, size_t len, const char *name)
{
	struct wanted wanted = { .name = name };

	/* samples before a malformed line are used */
	(void)!host_metrics_walk(text, len, take, &wanted, PL_ERR_IGNORED);
	return wanted.labels;
}
