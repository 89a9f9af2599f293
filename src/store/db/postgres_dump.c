/* Archives of a database, by the programs pg_dump and pg_restore of PostgreSQL. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/program.h"
#include "base/strv.h"
#include "base/text.h"
#include "store/db/dump.h"
#include "store/db/postgres_priv.h"
#include "store/db/runs.h"
#include "store/db/tables.h"

#define OUTPUT_BYTES_MAX  65536u
#define CONNINFO_MAX      65536u
#define LOCK_TIMEOUT_TEXT "20s"
#define EXEC_FAILED       127

/* ---- the address ---------------------------------------------------------------------------- */

/* 'a\'b' */
static void add_quoted(struct pl_buf *text, const char *value)
{
	pl_buf_add_char(text, '\'');
	for (const char *c = value; *c != '\0'; c++) {
		if (*c == '\'' || *c == '\\')
			pl_buf_add_char(text, '\\');
		pl_buf_add_char(text, *c);
	}
	pl_buf_add_char(text, '\'');
}

/*
 * *ret: the address without its password, which other users of this host may see; free(). *ret_password: free(); NULL:
 * none.
 */
static int split_address(const struct pg_connection *connection, char **ret, char **ret_password,
			 struct pl_err *err)
{
	auto_buf text = PL_BUF(CONNINFO_MAX);
	PQconninfoOption *options = PQconninfoParse(connection->address, NULL);
	int result = 0;

	if (options == NULL)
		return pl_err_set(err, PL_ERR_INTERNAL, "'%s' cannot be read", connection->name);
	for (const PQconninfoOption *option = options; option->keyword != NULL; option++) {
		if (option->val == NULL)
			continue;
		if (strcmp(option->keyword, "password") == 0) {
			*ret_password = pl_strdup(option->val);
		} else if (option->dispchar[0] == '*') {
			result = pl_err_invalid(err,
						"'%s': found the option %s, expected none that "
						"only the address can pass; use a service file",
						connection->name, option->keyword);
		} else {
			pl_buf_addf(&text, "%s%s=", text.len > 0 ? " " : "", option->keyword);
			add_quoted(&text, option->val);
		}
	}
	PQconninfoFree(options);
	if (result < 0)
		return -1;
	*ret = pl_buf_take(&text);
	if (*ret == NULL)
		*ret = pl_strdup("");
	return 0;
}

/* ---- programs ------------------------------------------------------------------------------- */

/* In the child; does not return. Its messages are in English, so that a full disk is recognized. */
static void run_child(char **argv, const char *password, int output, pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent || null < 0 ||
	    dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(output, STDERR_FILENO) < 0 || setenv("LC_ALL", "C", 1) < 0 ||
	    (password != NULL && setenv("PGPASSWORD", password, 1) < 0))
		_exit(EXEC_FAILED);
	umask(077);
	pl_program_restore_limits();
	execvp(argv[0], argv);
	_exit(EXEC_FAILED);
}

/* Reads to the end; the last OUTPUT_BYTES_MAX / 2 bytes or more are kept. */
static void read_output(int fd, struct pl_buf *output)
{
	char bytes[4096];
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(fd, bytes, sizeof(bytes)))) > 0) {
		if (output->len + (size_t)got > output->max)
			pl_buf_consume(output, output->max / 2);
		pl_buf_add(output, bytes, (size_t)got);
	}
}

/* Returns the last line that is not empty; free(). */
static char *last_line(const char *text)
{
	auto_free char *all = pl_strdup(text);
	char *trimmed = pl_text_trim(all);
	char *newline = strrchr(trimmed, '\n');

	return pl_clean_line(newline != NULL ? newline + 1 : trimmed);
}

static int fail_program(const char *name, int status, const char *output, struct pl_err *err)
{
	auto_free char *line = last_line(output);

	if (WIFEXITED(status) && WEXITSTATUS(status) == EXEC_FAILED)
		return pl_err_invalid(err,
				      "'%s' is missing from PATH; install the client programs of "
				      "PostgreSQL (Debian: postgresql-client)",
				      name);
	if (strstr(output, strerror(ENOSPC)) != NULL)
		return pl_err_set(err, PL_ERR_FULL, "%s", line);
	if (strstr(output, "lock timeout") != NULL)
		return pl_err_set(err, PL_ERR_BUSY, "%s", line);
	if (WIFSIGNALED(status))
		return pl_err_set(err, PL_ERR_FAILED, "%s was ended by signal %d", name,
				  WTERMSIG(status));
	return pl_err_set(err, PL_ERR_IO, "%s: exit status %d: %s", name, WEXITSTATUS(status),
			  line);
}

/* Runs a program to its end. `output` gets both of its outputs. */
static int run_program(char **argv, const char *password, struct pl_buf *output, struct pl_err *err)
{
	int ends[2], status = 0;
	pid_t parent = getpid();

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pl_err_errno(err, "could not make a pipe");
	auto_fd int in = ends[0], out = ends[1];
	pid_t pid = fork();
	if (pid < 0)
		return pl_err_errno(err, "could not start '%s'", argv[0]);
	if (pid == 0)
		run_child(argv, password, out, parent);
	pl_fd_close(&out);
	read_output(in, output);
	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0)
		return pl_err_errno(err, "could not wait for '%s'", argv[0]);
	return status == 0 ? 0 : fail_program(argv[0], status, pl_buf_text(output), err);
}

/* "pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)" */
static int check_version(const struct pg_connection *connection, const char *program,
			 struct pl_err *err)
{
	char *argv[] = { (char *)program, (char *)"--version", NULL };
	auto_buf output = PL_BUF(OUTPUT_BYTES_MAX);
	int server = PQserverVersion(connection->pg) / 10000;

	if (run_program(argv, NULL, &output, err) < 0)
		return -1;
	const char *at = strstr(pl_buf_text(&output), "(PostgreSQL) ");
	long found = at != NULL ? strtol(at + strlen("(PostgreSQL) "), NULL, 10) : 0;
	if (found >= server)
		return 0;
	auto_free char *line = last_line(pl_buf_text(&output));
	return pl_err_invalid(err, "'%s': found version '%s', expected %d or newer, as the server",
			      program, line, server);
}

/* ---- archives ------------------------------------------------------------------------------- */

/* Returns one text of the server; free(). */
static int ask_text(struct store_sql *sql, const char *text, char **ret, struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;

	if (store_sql_prepare(sql, text, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	const char *found = is_row ? store_sql_text(statement, 0) : NULL;
	if (found == NULL)
		return pl_err_set(err, PL_ERR_INVALID, "'%s': no schema exists in the search path",
				  store_sql_name(sql));
	*ret = pl_strdup(found);
	return 0;
}

/* In a pattern of pg_dump, only quoted letters stand for themselves. */
static void add_pattern(struct pl_strv *argv, const char *schema, const char *table)
{
	auto_free char *plain = pl_text_replace(schema, "\"", "\"\"");

	pl_strv_addf(argv, "--table=\"%s\".\"%s\"", plain, table);
}

/* Adds a pattern for each table that exists. */
static int add_tables(struct store_sql *sql, const char *schema, struct pl_strv *argv,
		      struct pl_err *err)
{
	auto_statement exists = NULL;

	if (store_sql_prepare(sql,
			      "SELECT 1 FROM pg_class WHERE relname = ?1 AND relkind = 'r'"
			      " AND relnamespace = quote_ident(current_schema())::regnamespace",
			      &exists, err) < 0)
		return -1;
	for (size_t i = 0; store_tables[i] != NULL; i++) {
		bool is_row = false;
		store_sql_bind_text(exists, 1, store_tables[i]);
		if (store_sql_step(exists, &is_row, err) < 0)
			return -1;
		store_sql_reset(exists);
		if (is_row)
			add_pattern(argv, schema, store_tables[i]);
	}
	return 0;
}

int store_pg_dump(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		  struct pl_err *err)
{
	auto_free char *conninfo = NULL;
	auto_free char *password = NULL;
	auto_free char *snapshot = NULL;
	auto_free char *schema = NULL;
	auto_buf output = PL_BUF(OUTPUT_BYTES_MAX);
	auto_strv argv = { 0 };

	watch->progress(watch->context, 0, 0);
	if (check_version(pg_of(sql), "pg_dump", err) < 0 ||
	    split_address(pg_of(sql), &conninfo, &password, err) < 0 ||
	    ask_text(sql, "SELECT pg_export_snapshot()", &snapshot, err) < 0 ||
	    ask_text(sql, "SELECT current_schema()::text", &schema, err) < 0)
		return -1;
	pl_strv_add(&argv, "pg_dump");
	pl_strv_add(&argv, "--format=custom");
	/* documents are compressed already */
	pl_strv_add(&argv, "--compress=1");
	pl_strv_add(&argv, "--no-owner");
	pl_strv_add(&argv, "--no-privileges");
	pl_strv_add(&argv, "--no-password");
	pl_strv_add(&argv, "--lock-wait-timeout=" LOCK_TIMEOUT_TEXT);
	pl_strv_addf(&argv, "--snapshot=%s", snapshot);
	pl_strv_addf(&argv, "--file=%s", path);
	pl_strv_addf(&argv, "--dbname=%s", conninfo);
	if (add_tables(sql, schema, &argv, err) < 0)
		return -1;
	return run_program((char **)pl_strv_texts(&argv), password, &output, err);
}

int store_pg_load(struct store_sql *sql, const char *path, bool replaces, struct pl_err *err)
{
	auto_free char *conninfo = NULL;
	auto_free char *password = NULL;
	auto_buf output = PL_BUF(OUTPUT_BYTES_MAX);
	auto_strv argv = { 0 };

	if (check_version(pg_of(sql), "pg_restore", err) < 0 ||
	    split_address(pg_of(sql), &conninfo, &password, err) < 0 ||
	    store_sql_run(sql, "SELECT pg_advisory_lock(" LOCK_WRITES ")", err) < 0)
		return -1;
	/* archives lack the view, and a table that a view reads cannot be dropped; the next migration makes it again */
	if (replaces && store_sql_run(sql, "DROP VIEW IF EXISTS " STORE_RESULTS_VIEW, err) < 0)
		return -1;
	pl_strv_add(&argv, "pg_restore");
	pl_strv_add(&argv, "--single-transaction");
	pl_strv_add(&argv, "--exit-on-error");
	pl_strv_add(&argv, "--no-owner");
	pl_strv_add(&argv, "--no-privileges");
	pl_strv_add(&argv, "--no-password");
	if (replaces) {
		pl_strv_add(&argv, "--clean");
		pl_strv_add(&argv, "--if-exists");
	}
	pl_strv_addf(&argv, "--dbname=%s", conninfo);
	pl_strv_add(&argv, path);
	return run_program((char **)pl_strv_texts(&argv), password, &output, err);
}
