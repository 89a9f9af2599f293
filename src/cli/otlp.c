#include "cli/otlp.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"
#include "cli/dashboard.h"
#include "result/otlp.h"
#include "run/target.h"

#define PATH              "/v1/metrics"
#define VARIABLE          "OTEL_EXPORTER_OTLP_HEADERS"
#define TIMEOUT_NS        (10 * PL_NS_PER_S)
#define HEADERS_BYTES_MAX 16384
#define REPLY_BYTES_MAX   ((size_t)1 << 20)
#define REQUEST_BYTES_MAX ((size_t)16 << 20)

/* ---- headers --------------------------------------------------------------------------------- */

/* RFC 9110, 5.6.2 */
static bool is_name(const char *text)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"!#$%&'*+-.^_`|~";

	return text[0] != '\0' && strspn(text, allowed) == strlen(text);
}

/* Those that the exchange itself sets. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = { "host", "content-length", "content-type",
					     "transfer-encoding", "connection" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (strcasecmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static bool is_value(const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return false;
	}
	return true;
}

/* Appends one header. Its value is a secret from here on. */
static int add_header(const char *source, size_t number, char *text, char separator,
		      struct pl_buf *headers, struct pl_err *err)
{
	char *at = strchr(text, separator);

	if (at == NULL)
		return pl_err_invalid(err, "%s: item %zu: expected NAME%c VALUE", source, number,
				      separator);
	*at = '\0';
	const char *name = pl_text_trim(text), *value = pl_text_trim(at + 1);
	pl_redact_add(value);
	/* "Bearer TOKEN": the token alone is one, too */
	const char *space = strchr(value, ' ');
	if (space != NULL)
		pl_redact_add(space + 1);
	if (!is_name(name) || is_reserved(name) || !is_value(value))
		return pl_err_invalid(err,
				      "%s: item %zu: found a name or a value that no header may "
				      "have",
				      source, number);
	pl_buf_addf(headers, "%s: %s\r\n", name, value);
	return 0;
}

/* Decodes %XX in place, as in W3C Baggage. Returns false if it is malformed. */
static bool decode(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; at++) {
		char c = *at;
		if (c == '%') {
			int high = pl_hex_value(at[1]);
			int low = high >= 0 ? pl_hex_value(at[2]) : -1;
			if (low < 0 || (high == 0 && low == 0))
				return false;
			c = (char)(high * 16 + low);
			at += 2;
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* "name=value,name=value" */
static int read_variable(const char *text, struct pl_buf *headers, struct pl_err *err)
{
	auto_free char *copy = pl_strdup(text);
	size_t number = 0;
	char *rest = copy;

	for (char *item; (item = strsep(&rest, ",")) != NULL;) {
		number++;
		if (pl_text_trim(item)[0] == '\0')
			continue;
		if (!decode(item))
			return pl_err_invalid(err, VARIABLE ": item %zu: expected %%XX after '%%'",
					      number);
		if (add_header(VARIABLE, number, item, '=', headers, err) < 0)
			return -1;
	}
	return 0;
}

static int read_file(const char *path, struct pl_buf *headers, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len, number = 0;

	if (pl_file_read(path, HEADERS_BYTES_MAX, &text, &len, err) < 0)
		return pl_err_wrap(err, "--otlp-headers-file");
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		number++;
		line = pl_text_trim(line);
		if (line[0] == '\0' || line[0] == '#')
			continue;
		if (add_header("--otlp-headers-file", number, line, ':', headers, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* *ret: run_target_done(). Its path is `prefix` and *ret_path. */
static int open_target(const struct cli_otlp *otlp, struct run_target *ret, const char **ret_path,
		       struct pl_err *err)
{
	const char *variable = getenv(VARIABLE);
	auto_buf headers = PL_BUF(4 * HEADERS_BYTES_MAX);

	if (run_target_from_url(otlp->url, ret, err) < 0)
		return pl_err_wrap(err, "--otlp");
	*ret_path = pl_text_ends(ret->prefix, PATH) ? "" : PATH;
	if (otlp->headers_file != NULL
		    ? read_file(otlp->headers_file, &headers, err) < 0
		    : variable != NULL && read_variable(variable, &headers, err) < 0)
		return -1;
	free(ret->headers);
	ret->headers = headers.len > 0 ? pl_buf_take(&headers) : NULL;
	if (otlp->ca_file != NULL && !ret->https)
		return pl_err_invalid(err, "--otlp-ca-file works only with an https:// address");
	const struct io_tls_trust trust = {
		.ca_file = otlp->ca_file,
		.issuer_remedy = "; use --otlp-ca-file to trust its issuer",
		.name_remedy = "",
	};
	if (ret->https && run_target_use_tls(ret, &trust, err) < 0)
		return pl_err_wrap(err, otlp->ca_file != NULL ? "--otlp-ca-file" : "--otlp");
	return 0;
}

int cli_otlp_check(const struct cli_otlp *otlp, struct pl_err *err)
{
	struct run_target target = { 0 };
	const char *path;

	if (otlp->url == NULL && (otlp->headers_file != NULL || otlp->ca_file != NULL))
		return pl_err_invalid(err, "%s works only with --otlp; add --otlp URL",
				      otlp->headers_file != NULL ? "--otlp-headers-file"
								 : "--otlp-ca-file");
	if (otlp->url == NULL)
		return 0;
	int rc = open_target(otlp, &target, &path, err);
	run_target_done(&target);
	return rc;
}

/* A collector may accept only a part: ExportMetricsServiceResponse. */
static int check_reply(const struct io_reply *reply, struct pl_err *err)
{
	auto_json json_t *json = NULL;

	if (reply->status < 200 || reply->status > 299)
		return pl_err_set(err, PL_ERR_NETWORK, "found status %d, expected 200",
				  reply->status);
	if (reply->body_len == 0 ||
	    pl_json_parse(reply->body, reply->body_len, "response", &json, PL_ERR_IGNORED) < 0)
		return 0;
	const json_t *part = json_object_get(json, "partialSuccess");
	const json_t *count = json_object_get(part, "rejectedDataPoints");
	const char *message = pl_json_get_text(part, "errorMessage");
	long long rejected = json_is_string(count) ? atoll(json_string_value(count))
						   : json_integer_value(count);
	if (rejected <= 0)
		return 0;
	auto_free char *shown = pl_clean_shown(message != NULL ? message : "no reason");
	return pl_err_set(err, PL_ERR_NETWORK, "the collector rejected %lld metrics: %.300s",
			  rejected, shown);
}

/* Headers often have a secret, as a token does. */
static void warn_once(const struct run_target *target)
{
	static atomic_bool has_warned;

	if (target->headers != NULL && !target->https && target->unknown == NULL &&
	    !cli_stays_here(target) && !atomic_exchange(&has_warned, true))
		pl_log(PL_LOG_WARNING,
		       "the headers of --otlp are sent unencrypted to %s; use https", target->host);
}

static int exchange(const struct run_target *target, const char *path, const char *body, size_t len,
		    struct pl_err *err)
{
	auto_free char *whole = pl_asprintf("%s%s", target->prefix, path);
	auto_reply reply = { 0 };

	if (target->unknown != NULL)
		return pl_err_set(err, PL_ERR_NETWORK, "%s", target->unknown);
	if (io_fetch(&(struct io_fetch){ .addr = &target->addr,
					 .host = target->host,
					 .method = "POST",
					 .path = whole,
					 .headers = target->headers,
					 .body = body,
					 .body_len = len,
					 .timeout_ns = TIMEOUT_NS,
					 .reply_bytes_max = REPLY_BYTES_MAX },
		     &reply, err) < 0)
		return -1;
	return check_reply(&reply, err);
}

static int send_result(const struct cli_otlp *otlp, const json_t *result, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_buf body = PL_BUF(REQUEST_BYTES_MAX);
	struct run_target target = { 0 };
	const char *path;
	size_t count;
	auto_json json_t *request = res_otlp_request(fields, result, PROFLLM_VERSION,
						     pl_clock_real_ns(), &count);

	if (!pl_json_write(request, PL_JSON_COMPACT, &body))
		return pl_err_set(err, PL_ERR_INTERNAL, "the metrics are too large");
	int rc = open_target(otlp, &target, &path, err);
	if (rc == 0)
		warn_once(&target);
	if (rc == 0)
		rc = exchange(&target, path, pl_buf_text(&body), body.len, err);
	run_target_done(&target);
	if (rc == 0)
		pl_log(PL_LOG_DEBUG, "%zu metrics sent to --otlp", count);
	return rc;
}

void cli_otlp_send(const struct cli_otlp *otlp, const json_t *result)
{
	struct pl_err err = PL_ERR_INIT;

	if (otlp->url == NULL || result == NULL)
		return;
	if (send_result(otlp, result, &err) < 0)
		pl_log(PL_LOG_WARNING, "could not send the metrics to --otlp: %s", err.text);
}
