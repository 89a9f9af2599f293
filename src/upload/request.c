#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/http_text.h"
#include "run/target.h"
#include "upload/upload_priv.h"

static const int64_t pauses_ns[] = { PL_NS_PER_S / 2, PL_NS_PER_S, 2 * PL_NS_PER_S, 4 * PL_NS_PER_S,
				     8 * PL_NS_PER_S };

void upload_add_word(struct pl_buf *path, const char *word, const char *plain)
{
	for (const char *c = word; *c != '\0'; c++) {
		bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
				(*c >= 'a' && *c <= 'z') || strchr(plain, *c) != NULL;
		pl_buf_addf(path, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
	}
}

char *upload_words_of(const struct io_reply *reply)
{
	struct pl_err ignored = PL_ERR_INIT;
	auto_json json_t *problem = NULL;
	const char *detail = NULL;

	if (pl_json_parse(reply->body, reply->body_len, "answer", &problem, &ignored) == 0)
		detail = json_string_value(json_object_get(problem, "detail"));
	const char *remedy = reply->status == 401 ? "; set the token with --token-file" : "";
	return detail != NULL ? pl_asprintf("HTTP %d: %s%s", reply->status, detail, remedy)
			      : pl_asprintf("HTTP %d %s%s", reply->status,
					    io_http_reason(reply->status), remedy);
}

bool upload_is_passing(int status)
{
	return status == 429 || (status >= 502 && status <= 504) || status == 507;
}

bool upload_rest(struct upload *upload, const char *why)
{
	int64_t limit_ns = upload->is_reached ? upload->wait_ns : upload->wait_first_ns;
	int64_t now_ns = pl_clock_now_ns();

	if (upload->away_ns == 0) {
		upload->away_ns = now_ns;
		if (limit_ns > 0 && upload->on_away != NULL)
			upload->on_away(upload, why, limit_ns);
	}
	int64_t left_ns = limit_ns - (now_ns - upload->away_ns);
	if (left_ns <= 0) {
		upload->is_lost = true;
		return false;
	}
	size_t last = PL_ARRAY_SIZE(pauses_ns) - 1;
	int64_t pause_ns = pauses_ns[upload->failures < last ? upload->failures : last];
	upload->failures++;
	pl_clock_sleep_until(now_ns + (pause_ns < left_ns ? pause_ns : left_ns));
	return true;
}

void upload_back(struct upload *upload)
{
	upload->is_reached = true;
	upload->away_ns = 0;
	upload->failures = 0;
}

/* Returns whether the dashboard is unreachable or does not respond, as opposed to a request that can never be sent. */
static bool is_away(const struct pl_err *err)
{
	return err->code == PL_ERR_NETWORK || err->code == PL_ERR_TIMEOUT;
}

int upload_request(struct upload *upload, const struct io_fetch *fetch, struct io_reply *ret,
		   struct pl_err *err)
{
	struct io_fetch limited = *fetch;

	if (upload->answer_first_ns > 0 && !upload->is_reached)
		limited.timeout_ns = upload->answer_first_ns;
	while (!upload->is_lost) {
		auto_reply reply = { 0 };
		if (io_fetch(&limited, &reply, err) < 0) {
			if (!is_away(err)) {
				/* such as a certificate: a failure of the connection, whatever is sent */
				err->code = err->code == PL_ERR_INVALID ? PL_ERR_NETWORK
									: err->code;
				return -1;
			}
		} else if (!upload_is_passing(reply.status)) {
			upload_back(upload);
			*ret = reply;
			reply = (struct io_reply){ 0 };
			return 0;
		} else {
			auto_free char *words = upload_words_of(&reply);
			upload->is_reached = true;
			pl_err_set(err, PL_ERR_NETWORK, "%s", words);
		}
		if (!upload_rest(upload, err->text))
			return -1;
	}
	return pl_err_set(err, PL_ERR_NETWORK, "the dashboard is unreachable");
}

struct io_fetch upload_fetch(const struct upload *upload, const char *method, const char *path)
{
	return (struct io_fetch){ .addr = &upload->target->addr,
				  .host = upload->target->host,
				  .method = method,
				  .path = path,
				  .headers = upload->target->headers,
				  .timeout_ns = UPLOAD_REQUEST_NS };
}

char *upload_headers(const struct run_target *target, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *lines = pl_vasprintf(format, args);
	va_end(args);
	return pl_asprintf("%s%s", target->headers != NULL ? target->headers : "", lines);
}

char *upload_path(const struct upload *upload, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *path = pl_vasprintf(format, args);
	va_end(args);
	return pl_asprintf("%s%s", upload->target->prefix, path);
}

char *upload_page(const struct upload *upload)
{
	const struct run_target *target = upload->target;

	if (upload->job_id != NULL && target->addr.u.any.sa_family == AF_UNIX)
		return pl_asprintf("/upload/%s at unix:%s", upload->job_id,
				   target->addr.u.local.sun_path);
	return upload->job_id == NULL
		       ? NULL
		       : pl_asprintf("%s://%s%s/upload/%s", target->https ? "https" : "http",
				     target->host, target->prefix, upload->job_id);
}

int upload_request_json(struct upload *upload, const char *method, const char *path,
			const json_t *body, int status, json_t **ret, struct pl_err *err)
{
	auto_free char *whole = upload_path(upload, "%s", path);
	auto_free char *text = body != NULL ? pl_json_to_text(body, PL_JSON_COMPACT) : NULL;
	auto_reply reply = { 0 };
	struct io_fetch fetch = upload_fetch(upload, method, whole);

	fetch.body = text;
	fetch.body_len = text != NULL ? strlen(text) : 0;
	if (upload_request(upload, &fetch, &reply, err) < 0)
		return -1;
	if (reply.status != status) {
		auto_free char *words = upload_words_of(&reply);
		return pl_err_invalid(err, "%s", words);
	}
	if (pl_json_parse(reply.body, reply.body_len, "answer", ret, err) == 0)
		return 0;
	return pl_err_invalid(err,
			      "unexpected response; check that the URL is a ProfLLM dashboard");
}
