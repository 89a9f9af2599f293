#include "upload/sweep.h"

#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "result/files.h"
#include "upload/upload.h"
#include "upload/upload_priv.h"

#define PATH_BYTES_MAX 65536

bool upload_is_sweep(const char *path)
{
	auto_json json_t *summary = NULL;

	return res_may_be_sweep(path) && pl_json_read_file(path, &summary, PL_ERR_IGNORED) == 0 &&
	       res_sweep_id(summary) != NULL;
}

int upload_sweep(const struct run_target *target, const char *path, int64_t wait_ns,
		 struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_json json_t *summary = NULL;
	auto_reply reply = { 0 };
	auto_buf to = PL_BUF(PATH_BYTES_MAX);
	size_t len;

	if (pl_file_read(path, UPLOAD_BYTES_MAX, &text, &len, err) < 0 ||
	    pl_json_parse(text, len, path, &summary, err) < 0)
		return -1;
	if (res_sweep_id(summary) == NULL)
		return pl_err_invalid(err, "'%s' is not the summary of a sweep", path);
	pl_buf_addf(&to, "%s/api/data/sweeps/", target->prefix);
	upload_add_word(&to, res_sweep_id(summary), "-._~");
	const struct io_fetch fetch = {
		.addr = &target->addr,
		.host = target->host,
		.method = "PUT",
		.path = pl_buf_text(&to),
		.headers = target->headers,
		.body = text,
		.body_len = len,
		.timeout_ns = wait_ns,
	};
	if (io_fetch(&fetch, &reply, err) < 0)
		return -1;
	if (reply.status == 204)
		return 0;
	auto_free char *words = upload_words_of(&reply);
	return pl_err_set(err, PL_ERR_NETWORK, "%s", words);
}
