#include "run/upload/sweep.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "run/sweep/summary.h"
#include "run/upload/upload.h"
#include "run/upload/upload_priv.h"

#define SEND_NS        (20 * PL_NS_PER_S)
#define PATH_BYTES_MAX 65536

/* The sweep's id; NULL: it is no summary of one. Borrowed from it. */
static const char *id_of(const json_t *summary)
{
	return json_is_array(json_object_get(summary, "runs")) ? pl_json_get_text(summary, "sweep")
							       : NULL;
}

bool run_upload_is_sweep(const char *path)
{
	auto_free char *name = pl_file_name(path);
	auto_json json_t *summary = NULL;

	return strcmp(name, RUN_SWEEP_SUMMARY_NAME) == 0 &&
	       pl_json_read_file(path, &summary, PL_ERR_IGNORED) == 0 && id_of(summary) != NULL;
}

int run_upload_sweep(const struct run_target *target, const char *path, struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_json json_t *summary = NULL;
	auto_reply reply = { 0 };
	auto_buf to = PL_BUF(PATH_BYTES_MAX);
	size_t len;

	if (pl_file_read(path, RUN_UPLOAD_BYTES_MAX, &text, &len, err) < 0 ||
	    pl_json_parse(text, len, path, &summary, err) < 0)
		return -1;
	if (id_of(summary) == NULL)
		return pl_err_invalid(err, "'%s' is no summary of a sweep", path);
	pl_buf_addf(&to, "%s/api/data/sweeps/", target->prefix);
	run_upload_add_word(&to, id_of(summary), "-._~");
	const struct io_fetch fetch = {
		.addr = &target->addr,
		.host = target->host,
		.method = "PUT",
		.path = pl_buf_text(&to),
		.body = text,
		.body_len = len,
		.timeout_ns = SEND_NS,
	};
	if (io_fetch(&fetch, &reply, err) < 0)
		return -1;
	if (reply.status == 204)
		return 0;
	auto_free char *words = run_upload_words_of(&reply);
	return pl_err_set(err, PL_ERR_NETWORK, "%s", words);
}
