/*
 * `profllm-dashboard serve`: runs the store, the thread that processes uploads, and the server, and waits for a signal.
 * The first signal stops it cleanly: current requests are answered, the current document is stored, and the remaining
 * uploads wait in the store for the next start. The second one does not wait for clients.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/program.h"
#include "base/unique.h"
#include "dash/access/access.h"
#include "dash/access/certificate.h"
#include "dash/access/proxies.h"
#include "dash/analysis/watches.h"
#include "dash/contract.h"
#include "dash/dash.h"
#include "dash/guard.h"
#include "dash/import/watching.h"
#include "dash/live/live.h"
#include "dash/log/indexes.h"
#include "dash/observe/counters.h"
#include "dash/observe/monitor.h"
#include "dash/observe/notify.h"
#include "dash/parsed/prepared.h"
#include "dash/routes.h"
#include "dash/serve.h"
#include "dash/server.h"
#include "dash/upload/ingest.h"
#include "query/series/cache.h"
#include "store/store.h"

#define SERIES_BYTES_MAX ((size_t)64 << 20) /* 50,000 analyses with a change, or more */
#define PARSED_BYTES_MAX \
	((size_t)256     \
	 << 20) /* of artifacts that were read: telemetry of five hours of eight GPUs at 100 ms */

/* Longer than any response takes; a client that sends slowly does not delay the stop. */
#define PATIENCE_NS (5 * PL_NS_PER_S)
/* The monitor looks every second, so its last look may be a little older than that. */
#define SLACK_NS (3 * PL_NS_PER_S / 2)
/* How long to wait for other writers; then the client is told to retry. */
#define WRITE_NS (5 * PL_NS_PER_S)

#define AT(field) offsetof(struct dash_serve_options, field)

static const char *const log_formats[] = { "text", "json", NULL };
static const char *const log_levels[] = { "error", "warning", "info", "debug", NULL };

static const struct pl_opt serve_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "FILE",
	       "use this database: a file, created if missing, or postgres://… (default: "
	       "profllm.db in $XDG_DATA_HOME/profllm, ~/.local/share/profllm)"),
	PL_OPT(TEXT, 0, "data", data, "DIR",
	       "store artifacts in DIR, created with the first one (default: next to the "
	       "database, FILE.files)"),
	PL_OPT(FLAG, 0, "no-column-snapshot", no_column_snapshot, NULL,
	       "at the start, read all results from the database, and write no column snapshot"),
	PL_OPT(LIST, 0, "watch", watch, "DIR",
	       "import results from DIR and its subdirectories as they appear, as import "
	       "--watch does; may be repeated"),
	PL_OPT(TEXT, 0, "watch-webhook", watch_webhook, "URL",
	       "POST each new state of a watch for regressions to this address as JSON"),
	PL_OPT(TEXT, 0, "token-file", token_file, "FILE",
	       "demand a token of FILE for every request, as profllm-dashboard token makes them"),
	PL_OPT(TEXT, 0, "host", host, "ADDRESS",
	       "listen on this address; others than the loopback require --token-file",
	       .def = DASH_HOST_DEFAULT),
	PL_OPT(LIST, 0, "allow-host", allow_host, "NAME",
	       "accept requests to this host name, as behind a proxy; may be repeated"),
	PL_OPT(TEXT, 0, "tls-cert", tls_cert, "FILE",
	       "serve https with the certificate and its chain in FILE, as PEM"),
	PL_OPT(TEXT, 0, "tls-key", tls_key, "FILE",
	       "use the private key in FILE, as PEM with mode 0600, for --tls-cert"),
	PL_OPT(LIST, 0, "trusted-proxy", trusted_proxy, "ADDRESS",
	       "trust the headers X-Forwarded-For and -Proto, and --auth-header, of this address "
	       "or "
	       "network, such as 10.0.0.0/8; may be repeated"),
	PL_OPT(TEXT, 0, "auth-header", auth_header, "NAME",
	       "take the user from this header of a trusted proxy, such as X-Forwarded-User"),
	PL_OPT(TEXT, 0, "auth-groups-header", auth_groups_header, "NAME",
	       "take the groups of the user from this header, such as X-Forwarded-Groups"),
	PL_OPT(LIST, 0, "role-of", role_of, "GROUP=ROLE",
	       "give users of this group the role read, write or admin; '*' is every user; may be "
	       "repeated"),
	PL_OPT(FLAG, 0, "insecure-listen", insecure_listen, NULL,
	       "listen on any address without tokens: every host that reaches it can read, add and "
	       "delete results"),
	PL_OPT(INT, 'p', "port", port, "PORT", "listen on this port; 0 takes a free one",
	       .def = DASH_PORT_TEXT),
	PL_OPT(TEXT, 0, "socket", socket, "PATH",
	       "listen on this Unix socket instead, which only you can reach"),
	PL_OPT(DURATION, 0, "drain", drain_ns, "TIME",
	       "at the first signal, report that the server is not ready, and serve for TIME "
	       "before "
	       "it stops",
	       .def = "0s"),
	PL_OPT(TEXT, 0, "log-format", log_format, "FORMAT",
	       "write the lines on standard error as this: text or json", .choices = log_formats,
	       .def = "text"),
	PL_OPT(TEXT, 0, "log-level", log_level, "LEVEL",
	       "write lines of this level and above; debug has one per request, as --verbose",
	       .choices = log_levels, .def = "info"),
	PL_OPT(FLAG, 'v', "verbose", verbose, NULL, "print one line per request to standard error"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print the first line as a JSON object with the address and the database"),
	{ .name = NULL },
};

const struct pl_opt_command dash_serve_command = {
	.name = "profllm-dashboard serve",
	.usage = "[--db DB] [--data DIR] [--watch DIR] [--watch-webhook URL] [--token-file FILE] "
		 "[--tls-cert FILE --tls-key FILE] [--host ADDRESS] [--port PORT] [--socket PATH] "
		 "[--drain TIME] [--log-format FORMAT] [--log-level LEVEL] [--verbose] [--json]",
	.summary = "Serve the web UI and accept uploads.",
	.details =
		"The first line on standard output is 'listening on http://ADDRESS:PORT'; open "
		"this "
		"address in a browser. profllm upload --to sends results to it. "
		"/api/openapi.yaml describes the API.\n\n"
		"Without --token-file, every user of this host can read, add and delete results "
		"through the port. The server then accepts only loopback addresses, and warns on "
		"standard error. To connect from another machine, run "
		"ssh -L 8421:localhost:8421 HOST.\n\n"
		"With --token-file FILE, every request needs a token, and changes need one with "
		"the role write or admin. profllm-dashboard token adds and revokes tokens; the "
		"server notices it at once. Standard error has one line per change, with its "
		"user.\n\n"
		"With --tls-cert and --tls-key, the server speaks only https, with TLS 1.2 and "
		"1.3, "
		"and the first line has https://. It uses a renewed certificate for new "
		"connections a few seconds after the files have changed, or at once on SIGHUP. "
		"Instead, a proxy with TLS can forward requests. In both cases, name the host "
		"with --allow-host.\n\n"
		"With --auth-header NAME, a proxy such as oauth2-proxy or Authelia authenticates "
		"users, and names them in a header. The server believes only the addresses of "
		"--trusted-proxy. --role-of gives a role to each group of --auth-groups-header. "
		"Tokens work as well, if there is a --token-file.\n\n"
		"With --socket PATH, only you and root can connect. profllm upload --to "
		"unix:PATH sends results, and ssh -L 8421:PATH HOST connects a browser. "
		"The first line is then 'listening on unix:PATH'.\n\n"
		"^C or SIGTERM stops the server after the requests in progress. Unfinished "
		"uploads resume at the next start, as after kill -9. With --drain TIME, the server "
		"first responds to GET /api/health/ready with status 503 for TIME, so that load "
		"balancers send requests to others; a second signal ends this.\n\n"
		"GET /metrics has the metrics of the server for Prometheus. The server reports to "
		"the "
		"service manager that sets NOTIFY_SOCKET when it is ready and stopping, and with "
		"WATCHDOG_USEC, "
		"that it works (systemd: Type=notify, WatchdogSec=).\n\n"
		"Exit status: 0 ended by a signal, 2 invalid usage, or an unusable address or "
		"database, "
		"5 another program uses the port or processes the uploads of the database.",
	.options = serve_rows,
};

/* Where the server listens, and how. */
struct endpoint {
	struct io_addr addr;
	struct dash_certificate *certificate; /* NULL: no TLS */
};

/* Returns whether each request must name its user. */
static bool is_guarded(const struct dash_serve_options *options)
{
	return options->token_file != NULL || options->auth_header != NULL;
}

static int read_address(const struct dash_serve_options *options, struct io_addr *ret,
			struct pl_err *err)
{
	if (options->socket != NULL)
		return io_addr_unix(options->socket, ret, err) < 0 ? pl_err_wrap(err, "--socket")
								   : 0;
	if (options->port < 0 || options->port > UINT16_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "--port: found %lld, expected 0 to 65535",
				  (long long)options->port);
	if (io_addr_resolve(options->host, (uint16_t)options->port, ret, err) < 0)
		return pl_err_wrap(err, "--host");
	if (dash_guard_is_loopback(&ret->u.any) || is_guarded(options) || options->insecure_listen)
		return 0;
	return pl_err_set(err, PL_ERR_INVALID,
			  "--host: found '%s', expected a loopback address (127.0.0.1, ::1, "
			  "localhost); use --token-file to listen on others",
			  options->host);
}

static int read_hosts(const struct dash_serve_options *options, const struct io_addr *addr,
		      struct dash_hosts *ret, struct pl_err *err)
{
	for (size_t i = 0; i < options->allow_host.count; i++) {
		if (!dash_guard_is_name(options->allow_host.items[i]))
			return pl_err_invalid(err,
					      "--allow-host: found '%s', expected a host name "
					      "without a port",
					      options->allow_host.items[i]);
	}
	*ret = (struct dash_hosts){ .names = options->allow_host.items,
				    .count = options->allow_host.count,
				    .takes_addresses = options->socket == NULL &&
						       !dash_guard_is_loopback(&addr->u.any) };
	return 0;
}

static int open_proxies(const struct dash_serve_options *options, struct dash_proxies **ret,
			struct pl_err *err)
{
	if (options->trusted_proxy.count > 0 && options->socket != NULL)
		return pl_err_invalid(err, "--socket, --trusted-proxy: found both, expected one: a "
					   "Unix socket has no addresses");
	return dash_proxies_open(
		&(struct dash_proxies_options){ .networks = &options->trusted_proxy,
						.user_header = options->auth_header,
						.groups_header = options->auth_groups_header,
						.roles = &options->role_of },
		ret, err);
}

static int open_access(const struct dash_serve_options *options, const struct dash_proxies *proxies,
		       struct dash_access **ret, struct pl_err *err)
{
	const struct dash_access_options access = { .token_file = options->token_file,
						    .proxies = proxies };

	if (!is_guarded(options))
		return 0;
	/* the memory of the process has tokens: no core file, and no debugger of the same user */
	(void)prctl(PR_SET_DUMPABLE, 0);
	return dash_access_open(&access, ret, err);
}

static int open_certificate(const struct dash_serve_options *options, struct dash_certificate **ret,
			    struct pl_err *err)
{
	if (options->tls_cert == NULL && options->tls_key == NULL)
		return 0;
	if (options->tls_cert == NULL || options->tls_key == NULL)
		return pl_err_invalid(err, "%s is missing; TLS requires a certificate and its key",
				      options->tls_cert == NULL ? "--tls-cert" : "--tls-key");
	if (options->socket != NULL)
		return pl_err_invalid(err, "--socket, --tls-cert: found both, expected one: a Unix "
					   "socket does not need TLS");
	/* the memory of the process has the key */
	(void)prctl(PR_SET_DUMPABLE, 0);
	return dash_certificate_open(options->tls_cert, options->tls_key, ret, err);
}

static int open_store(const struct dash_serve_options *options, const struct res_fields *fields,
		      struct store **ret, struct pl_err *err)
{
	return store_open(
		&(struct store_options){ .path = options->db,
					 .data = options->data,
					 .fields = fields,
					 .with_columns = true,
					 .with_column_snapshot = !options->no_column_snapshot,
					 .with_jobs = true,
					 .patience_ns = WRITE_NS },
		ret, err);
}

/*
 * Blocks the signals, so that only sigwait() takes them and no handler interrupts other code. Call it before starting
 * threads.
 */
static void block_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ret, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static bool is_requested_twice(void)
{
	sigset_t waiting;

	return sigpending(&waiting) == 0 &&
	       (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1);
}

/* Logs who has access. */
static void log_reach(const struct dash_serve_options *options, const struct dash_proxies *proxies,
		      const struct io_addr *addr)
{
	bool is_local = addr->u.any.sa_family == AF_UNIX;
	bool is_remote = !is_local && !dash_guard_is_loopback(&addr->u.any);

	if (is_remote && !is_guarded(options)) {
		pl_log(PL_LOG_WARNING, "every host that reaches this address can read, add and "
				       "delete results; use --token-file");
		return;
	}
	if (is_remote && options->tls_cert == NULL)
		pl_log(PL_LOG_WARNING, "tokens and results are sent to other hosts unencrypted; "
				       "use --tls-cert, or a proxy with TLS");
	if (options->auth_header != NULL)
		pl_log(PL_LOG_INFO, "every request needs %s of a trusted proxy%s%s",
		       options->auth_header,
		       options->token_file != NULL ? ", or a token of the token file" : "",
		       dash_proxies_trust_loopback(proxies)
			       ? "; every user of this host can claim to be any user, because the "
				 "loopback is trusted"
			       : "");
	else if (options->token_file != NULL)
		pl_log(PL_LOG_INFO, "every request needs a token of '%s'", options->token_file);
	else
		pl_log(PL_LOG_INFO, "%s",
		       is_local ? "only you and root can reach this dashboard"
				: "every user of this host can read, add and delete results here; "
				  "--socket PATH restricts access to you");
}

/* One line, so that a program can read it while the server runs. */
static bool print_first_line(const struct dash_serve_options *options, const char *url)
{
	if (!options->json)
		return printf("listening on %s\n", url) >= 0 && fflush(stdout) == 0;
	auto_free char *database = store_path_shown(options->db);
	auto_json json_t *line = json_pack("{s:s, s:o}", "url", url, "database",
					   pl_json_text(database));
	auto_free char *text = pl_json_to_text(line, PL_JSON_COMPACT);
	return printf("%s\n", text) >= 0 && fflush(stdout) == 0;
}

/* Returns false if the output cannot be written, so that no client could know the address. */
static bool print_address(const struct dash_serve_options *options,
			  const struct dash_proxies *proxies, const struct dash_server *server)
{
	char text[128];

	bool is_local = dash_server_addr(server)->u.any.sa_family == AF_UNIX;
	io_addr_text(dash_server_addr(server), text, sizeof(text));
	auto_free char *url = pl_asprintf("%s%s",
					  is_local                    ? ""
					  : options->tls_cert != NULL ? "https://"
								      : "http://",
					  text);
	if (!print_first_line(options, url))
		return false;
	log_reach(options, proxies, dash_server_addr(server));
	return true;
}

/*
 * Waits for a signal until end_ns, and reports to the service manager at intervals that the server works. Returns whether
 * there was a signal that stops the server. SIGHUP, with a certificate, only reads it; from a service manager it is a
 * reload, and otherwise the end of a terminal.
 */
static bool await_signal(struct dash_monitor *monitor, const sigset_t *signals,
			 struct dash_certificate *certificate, int64_t end_ns)
{
	int64_t watchdog_ns = dash_notify_watchdog_ns();
	/* twice per interval, as systemd recommends */
	int64_t tick_ns = watchdog_ns > 0 ? watchdog_ns / 2 : PL_NS_PER_S * 3600;

	for (;;) {
		int64_t now_ns = pl_clock_now_ns();
		if (now_ns >= end_ns)
			return false;
		if (watchdog_ns > 0 && dash_monitor_works(monitor, watchdog_ns / 2 + SLACK_NS))
			dash_notify("WATCHDOG=1");
		int64_t left_ns = end_ns - pl_clock_now_ns();
		if (left_ns > tick_ns)
			left_ns = tick_ns;
		const struct timespec wait = pl_clock_timespec(left_ns > 0 ? left_ns : 0);
		int number = sigtimedwait(signals, NULL, &wait);
		if (number == SIGHUP && certificate != NULL)
			dash_certificate_reload(certificate);
		else if (number > 0 && !(number == SIGHUP && dash_notify_is_managed()))
			return true;
	}
}

/* Serves until a signal arrives, drains, and stops. */
static int serve(const struct dash_serve_options *options, const struct dash_context *context,
		 const struct endpoint *endpoint, const sigset_t *signals, struct pl_err *err)
{
	struct dash_server *server;
	int rc = 0;

	if (dash_server_start(&(struct dash_server_options){ .addr = endpoint->addr,
							     .context = context,
							     .certificate = endpoint->certificate,
							     .verbose = options->verbose },
			      &server, err) < 0)
		return -1;
	if (print_address(options, context->proxies, server)) {
		dash_notify("READY=1\nSTATUS=Serving\nMAINPID=%d", (int)getpid());
		(void)await_signal(context->monitor, signals, endpoint->certificate, INT64_MAX);
		dash_notify("STOPPING=1\nSTATUS=Stopping");
		dash_monitor_drain(context->monitor);
		if (options->drain_ns > 0)
			(void)await_signal(context->monitor, signals, endpoint->certificate,
					   pl_clock_now_ns() + options->drain_ns);
	} else {
		rc = pl_err_errno(err, "standard output");
	}
	dash_server_stop(server, PATIENCE_NS, is_requested_twice);
	return rc;
}

static int64_t find_result(void *data, const char *run_id)
{
	int64_t id = 0;

	return store_find(data, run_id, &id, PL_ERR_IGNORED) < 0 ? 0 : id;
}

static int64_t version_of(void *data)
{
	int64_t version = -1;

	return store_data_version(data, &version, PL_ERR_IGNORED) < 0 ? -1 : version;
}

/* Serves with the live runs, the prepared files and the watches. */
static int serve_all(const struct dash_serve_options *options, struct dash_context *context,
		     const struct endpoint *endpoint, const sigset_t *signals, struct pl_err *err)
{
	const struct dash_live_options live = { .find = find_result,
						.version = version_of,
						.data = context->store,
						.second_ns = PL_NS_PER_S };

	if (dash_live_start(&live, &context->live, err) < 0)
		return -1;
	int rc = dash_prepared_start(context->store, context->parsed, &context->prepared, err);
	if (rc == 0)
		rc = dash_watches_start(context, options->watch_webhook, &context->watches, err);
	if (rc == 0)
		rc = dash_monitor_begin(context->monitor, err);
	if (rc == 0)
		rc = serve(options, context, endpoint, signals, err);
	dash_monitor_stop(context->monitor);
	dash_watches_stop(context->watches);
	dash_prepared_stop(context->prepared);
	dash_live_stop(context->live);
	return rc;
}

static int run(const struct dash_serve_options *options, struct dash_context *context,
	       const struct store_reader *reader, const struct endpoint *endpoint,
	       struct pl_err *err)
{
	struct dash_watching *watching = NULL;
	sigset_t signals;
	int rc = 0;

	block_signals(&signals);
	if (dash_ingest_start(context->store, reader, context->counters, &context->ingest, err) < 0)
		return -1;
	if (options->watch.count > 0)
		rc = dash_watching_start(&options->watch, context->store, reader, context->counters,
					 options->verbose, &watching, err);
	if (rc == 0)
		rc = serve_all(options, context, endpoint, &signals, err);
	dash_watching_stop(watching);
	dash_ingest_stop(context->ingest);
	return rc;
}

static int check_drain(const struct dash_serve_options *options, struct pl_err *err)
{
	if (options->drain_ns >= 0)
		return 0;
	return pl_err_invalid(err, "--drain: found less than 0s, expected a time such as 10s");
}

int dash_serve_check(const struct dash_serve_options *options, struct pl_err *err)
{
	struct io_addr addr;
	struct dash_hosts hosts;
	auto_fd int fd = -1;

	if (read_address(options, &addr, err) < 0 || read_hosts(options, &addr, &hosts, err) < 0)
		return -1;
	if (options->socket != NULL)
		return 0;
	return io_sock_listen(&addr, 1, &fd, err);
}

/* Applies the options of the log. Call it before starting threads. */
static void set_log(const struct dash_serve_options *options)
{
	enum pl_log_level level;

	if (options->log_level != NULL && pl_log_level_find(options->log_level, &level))
		pl_log_set_level(level);
	if (options->log_format != NULL && strcmp(options->log_format, "json") == 0)
		pl_log_set_format(PL_LOG_JSON);
	pl_log_set_observer(dash_log_observe);
}

/* The options name the database. */
static int serve_database(const struct dash_serve_options *options, struct pl_err *err)
{
	auto_fields struct res_fields *fields = NULL;
	auto_contract struct dash_contract *contract = NULL;
	auto_store_reader struct store_reader *reader = NULL;
	auto_store struct store *store = NULL;
	auto_fields_answer struct dash_fields_answer *fields_answer = dash_fields_answer_new();
	auto_proxies *proxies = NULL;
	auto_access *access = NULL;
	struct dash_hosts hosts;
	auto_certificate *certificate = NULL;
	struct endpoint endpoint;

	if (check_drain(options, err) < 0 || read_address(options, &endpoint.addr, err) < 0 ||
	    read_hosts(options, &endpoint.addr, &hosts, err) < 0 ||
	    open_proxies(options, &proxies, err) < 0 ||
	    open_access(options, proxies, &access, err) < 0 ||
	    open_certificate(options, &certificate, err) < 0 ||
	    dash_contract_open(&contract, err) < 0 || dash_routes_check(contract, err) < 0)
		return -1;
	endpoint.certificate = certificate;
	fields = res_fields_new(NULL);
	if (store_reader_new(fields, &reader, err) < 0 ||
	    open_store(options, fields, &store, err) < 0)
		return -1;
	if (dash_access_open_sessions(access, store, err) < 0)
		return -1;
	atomic_uint exports = 0;
	auto_parsed_cache struct dash_parsed_cache *parsed = dash_parsed_cache_new(
		PARSED_BYTES_MAX);
	auto_log_indexes struct dash_log_indexes *logs = dash_log_indexes_new();
	auto_series_cache struct query_series_cache *series = query_series_cache_new(
		SERIES_BYTES_MAX);
	struct dash_context context = { .store = store,
					.series = series,
					.logs = logs,
					.parsed = parsed,
					.fields = fields,
					.fields_answer = fields_answer,
					.contract = contract,
					.access = access,
					.proxies = proxies,
					.hosts = &hosts,
					.exports = &exports,
					.start = pl_unique_u32() };

	auto_counters struct dash_counters *counters = dash_counters_new(dash_route_count(),
									 dash_route_at);
	auto_monitor struct dash_monitor *monitor = dash_monitor_new(&context);
	context.counters = counters;
	context.monitor = monitor;
	return run(options, &context, reader, &endpoint, err);
}

int dash_serve(const struct dash_serve_options *options, struct pl_err *err)
{
	auto_free char *db = pl_strdup(options->db);
	struct dash_serve_options named = *options;

	set_log(options);
	dash_notify_init();
	if (db == NULL && store_default_path(&db, err) < 0)
		return -1;
	named.db = db;
	return serve_database(&named, err);
}

int dash_cmd_serve(int argc, char **argv)
{
	struct dash_serve_options options = { .host = DASH_HOST_DEFAULT,
					      .port = DASH_PORT_DEFAULT };
	struct pl_words words;
	struct pl_err err = PL_ERR_INIT;
	int status;

	if (!pl_command_read(&dash_serve_command, argc, argv, &options, &words, &status))
		return status;
	status = dash_serve(&options, &err) < 0 ? pl_program_fail(&err) : 0;
	pl_opt_list_done(&options.watch);
	pl_opt_list_done(&options.allow_host);
	pl_opt_list_done(&options.trusted_proxy);
	pl_opt_list_done(&options.role_of);
	return status;
}
