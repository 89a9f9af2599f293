#include "cli/dashboard.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"

#define TOKEN_BYTES_MAX 4096

/* Visible ASCII, which a header can carry. */
static bool is_token(const char *text, size_t len)
{
	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	}
	return true;
}

/*
 * A file is read for each connection, because its token may be replaced during a sweep. A pipe, such as bash's <(command),
 * has its content only once: the text is kept from the check, which runs before any thread.
 */
static int read_token(const char *path, char **ret, size_t *ret_len, struct pl_err *err)
{
	static char *kept, *kept_path;
	struct stat st;

	if (!pl_text_equal(kept_path, path)) {
		bool is_file = stat(path, &st) < 0 || S_ISREG(st.st_mode);
		if (pl_file_read(path, TOKEN_BYTES_MAX, ret, ret_len, err) < 0)
			return pl_err_wrap(err, "--token-file");
		if (is_file || *ret_len == 0)
			return 0;
		kept = pl_strndup(*ret, *ret_len);
		kept_path = pl_strdup(path);
		return 0;
	}
	*ret = pl_strdup(kept);
	*ret_len = strlen(kept);
	return 0;
}

/* Sets the header that carries the token. From here on the process redacts the token. */
static int use_token(const char *path, struct run_target *target, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (read_token(path, &text, &len, err) < 0)
		return -1;
	/* Cuts the line end that editors add. */
	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		text[--len] = '\0';
	if (!is_token(text, len))
		return pl_err_invalid(err, "--token-file: '%s': found %s, expected one token", path,
				      len == 0 ? "an empty file" : "spaces or control characters");
	pl_redact_add(text);
	return run_target_set_headers(target, text, NULL, err);
}

static int read(const struct cli_dashboard *dashboard, struct run_target *ret, struct pl_err *err)
{
	if (run_target_from_dashboard(dashboard->url, ret, err) < 0)
		return pl_err_wrap(err, "%s", dashboard->option);
	return dashboard->token_file != NULL ? use_token(dashboard->token_file, ret, err) : 0;
}

static struct io_tls_trust trust_of(const struct cli_dashboard *dashboard)
{
	return (struct io_tls_trust){
		.insecure = dashboard->insecure,
		.ca_file = dashboard->ca_file,
		.issuer_remedy = dashboard->takes_insecure ? CLI_DASHBOARD_REMEDY
							   : "; use --ca-file to trust its issuer",
		.name_remedy = dashboard->takes_insecure ? NULL : "",
	};
}

static int use_tls(const struct cli_dashboard *dashboard, struct run_target *target,
		   struct pl_err *err)
{
	const struct io_tls_trust trust = trust_of(dashboard);
	int rc = run_target_use_tls(target, &trust, err);

	return rc < 0 && dashboard->ca_file != NULL ? pl_err_wrap(err, "--ca-file") : rc;
}

static int use_ca_file(const struct cli_dashboard *dashboard, struct run_target *target,
		       struct pl_err *err)
{
	if (dashboard->insecure)
		return pl_err_invalid(err, "--ca-file, --insecure: found both, expected one");
	if (!target->https)
		return pl_err_invalid(err, "--ca-file works only with an https:// address");
	return use_tls(dashboard, target, err);
}

int cli_dashboard_check(const struct cli_dashboard *dashboard, struct pl_err *err)
{
	struct run_target target = { 0 };
	struct pl_err why = PL_ERR_INIT;
	int result = 0;

	if (read(dashboard, &target, &why) < 0 ||
	    (dashboard->ca_file != NULL && use_ca_file(dashboard, &target, &why) < 0))
		result = pl_err_invalid(err, "%s", why.text);
	run_target_done(&target);
	return result;
}

bool cli_stays_here(const struct run_target *target)
{
	const struct io_addr *addr = &target->addr;

	if (addr->u.any.sa_family == AF_INET)
		return ntohl(addr->u.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return addr->u.any.sa_family == AF_UNIX || IN6_IS_ADDR_LOOPBACK(&addr->u.v6.sin6_addr);
}

int cli_dashboard_open(struct cli_dashboard *dashboard, struct run_target *ret, struct pl_err *err)
{
	if (read(dashboard, ret, err) < 0)
		return -1;
	if (ret->unknown != NULL)
		return pl_err_set(err, PL_ERR_NETWORK, "%s: %s", dashboard->option, ret->unknown);
	if (dashboard->token_file != NULL && !ret->https && !cli_stays_here(ret) &&
	    !dashboard->has_warned) {
		pl_log(PL_LOG_WARNING, "the token is sent unencrypted to %s; use https", ret->host);
		dashboard->has_warned = true;
	}
	if (dashboard->ca_file != NULL)
		return use_ca_file(dashboard, ret, err);
	return ret->https ? use_tls(dashboard, ret, err) : 0;
}
