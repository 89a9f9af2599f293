#include "host/telemetry/lines.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/zst.h"

#define LINE_BYTES_MAX 16384
/* Counts below this are written as integers: they are exact. */
#define WHOLE_MAX 9007199254740992.0
/* Shares and rates need no more; energy in mJ does. */
#define DIGITS 12

/*
 * Written directly and not through a JSON document, because sampling must not affect the
 * measurement.
 */
struct host_lines {
	struct pl_zst *zst;
	pthread_mutex_t lock; /* over all of the below */
	struct pl_buf line;
	int64_t count;
	struct pl_err failure;
};

struct host_lines *host_lines_new(struct pl_zst *zst)
{
	struct host_lines *lines = pl_alloc(sizeof(*lines));

	lines->zst = zst;
	lines->failure = (struct pl_err)PL_ERR_INIT;
	pthread_mutex_init(&lines->lock, NULL);
	pl_buf_init(&lines->line, LINE_BYTES_MAX);
	return lines;
}

void host_lines_free(struct host_lines *lines)
{
	if (lines == NULL)
		return;
	pthread_mutex_destroy(&lines->lock);
	pl_buf_done(&lines->line);
	free(lines);
}

void host_lines_add(struct host_lines *lines, int64_t t_ns, const char *source, const char *id,
		    const char *const *names, const double *values, size_t count)
{
	pthread_mutex_lock(&lines->lock);
	/* One gap at the end is honest; lines with some missing in between are not. */
	if (lines->zst != NULL && lines->failure.code == PL_ERR_NONE) {
		pl_buf_clear(&lines->line);
		pl_buf_addf(&lines->line,
			    "{\"t_ns\":%lld,\"source\":\"%s\",\"id\":", (long long)t_ns, source);
		if (id == NULL)
			pl_buf_add_text(&lines->line, "null");
		else
			pl_text_add_json(&lines->line, id, strlen(id), true);
		pl_buf_add_text(&lines->line, ",\"values\":{");
		for (size_t i = 0; i < count; i++) {
			pl_buf_addf(&lines->line, "%s\"%s\":", i > 0 ? "," : "", names[i]);
			double value = values[i];
			if (!isfinite(value))
				pl_buf_add_text(&lines->line, "null");
			else if (value == floor(value) && fabs(value) < WHOLE_MAX)
				pl_buf_addf(&lines->line, "%lld", (long long)value);
			else
				pl_buf_addf(&lines->line, "%.*g", DIGITS, value);
		}
		pl_buf_add_text(&lines->line, "}}\n");
		if (pl_zst_write(lines->zst, lines->line.data, lines->line.len, &lines->failure) ==
		    0)
			lines->count++;
	}
	pthread_mutex_unlock(&lines->lock);
}

int64_t host_lines_count(const struct host_lines *lines)
{
	return lines->count;
}

int host_lines_check(const struct host_lines *lines, struct pl_err *err)
{
	if (lines->failure.code == PL_ERR_NONE)
		return 0;
	*err = lines->failure;
	return -1;
}
