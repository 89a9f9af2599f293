/* `profllm-dashboard token`: adds, lists and revokes the tokens of a token file (access/tokens.h). */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "dash/access/tokens.h"
#include "dash/dash.h"

#define TEXT_BYTES_MAX  (1u << 20)
#define EXPIRES_IN_TEXT "90d"
#define EXPIRES_IN_NS   (90 * 24 * 3600 * PL_NS_PER_S)

struct token_options {
	const char *file;
	const char *role;
	int64_t expires_in_ns;
	bool never_expires;
	bool json;
};

#define AT(field) offsetof(struct token_options, field)

static const char *const verbs[] = { "add", "list", "revoke", NULL };

static const struct pl_opt token_rows[] = {
	PL_OPT(TEXT, 0, "token-file", file, "FILE",
	       "change or list this file; add creates it with mode 0600"),
	PL_OPT(TEXT, 0, "role", role, "ROLE", "add: what the token may do",
	       .choices = (const char *const[]){ "read", "write", "admin", NULL }, .def = "read"),
	PL_OPT(DURATION, 0, "expires-in", expires_in_ns, "TIME",
	       "add: refuse the token after TIME, such as 12h or 365d", .def = EXPIRES_IN_TEXT),
	PL_OPT(FLAG, 0, "never-expires", never_expires, NULL, "add: accept the token at any time"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print the result as JSON"),
	{ .name = NULL },
};

const struct pl_opt_command dash_token_command = {
	.name = DASH_PROGRAM " token",
	.usage = "add NAME --token-file FILE [--role ROLE] [--expires-in TIME | --never-expires] "
		 "[--json]\n"
		 "list --token-file FILE [--json]\n"
		 "revoke NAME --token-file FILE [--json]",
	.summary = "Manage the tokens of the users of a dashboard.",
	.details =
		"add prints a new token once, on standard output. FILE stores only a salted hash "
		"of it. Give the token to its user, who writes it to a file for profllm upload "
		"--token-file. profllm-dashboard serve --token-file FILE then demands a token for "
		"every request, and notices changes of FILE at once.\n\n"
		"A token with the role read may read, filter, compare and export results. write "
		"may also upload results and add tags, notes, presets, annotations and decisions. "
		"admin may also delete and restore results, and change prices and watches.\n\n"
		"Examples:\n"
		"  profllm-dashboard token add alice --role write --token-file tokens\n"
		"  profllm-dashboard token add ci --role write --expires-in 365d --token-file "
		"tokens\n"
		"  profllm-dashboard token revoke alice --token-file tokens\n\n"
		"Exit status: 0 done, 2 invalid usage, a missing or unusable file, or an unknown "
		"name, 5 the name exists.",
	.options = token_rows,
	.words = verbs,
	.operand = "NAME",
};

static void add_expiry(char text[32], int64_t expires_s)
{
	time_t at = (time_t)expires_s;
	struct tm tm;

	snprintf(text, 32, "never");
	if (expires_s != DASH_EXPIRY_NEVER && gmtime_r(&at, &tm) != NULL)
		(void)strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static json_t *describe(const char *name, enum dash_role role, int64_t expires_s, int64_t now_s)
{
	char expiry[32];

	add_expiry(expiry, expires_s);
	return json_pack("{s:s, s:s, s:o, s:b}", "name", name, "role", dash_role_name(role),
			 "expires_at",
			 expires_s == DASH_EXPIRY_NEVER ? json_null() : json_string(expiry),
			 "expired", (int)(expires_s <= now_s));
}

static int64_t now_s(void)
{
	return pl_clock_real_ns() / PL_NS_PER_S;
}

static int add(const struct token_options *options, const char *name, struct pl_err *err)
{
	int64_t expires_s = options->never_expires ? DASH_EXPIRY_NEVER
						   : now_s() + options->expires_in_ns / PL_NS_PER_S;
	enum dash_role role = DASH_ROLE_READ;
	char text[DASH_TOKEN_BYTES];
	int status;

	(void)dash_role_find(options->role, &role);
	/* if the output is closed, the token must be revoked below */
	(void)signal(SIGPIPE, SIG_IGN);
	if (dash_tokens_add(options->file, name, role, expires_s, text, err) < 0)
		return -1;
	if (options->json) {
		auto_json json_t *json = describe(name, role, expires_s, now_s());
		json_object_set_new(json, "token", json_string(text));
		status = pl_program_print_json(json);
	} else {
		char line[DASH_TOKEN_BYTES + 1];
		snprintf(line, sizeof(line), "%s\n", text);
		status = pl_program_print(line);
		dash_wipe(line, sizeof(line));
	}
	dash_wipe(text, sizeof(text));
	/* no one has seen the token, so it must not stay valid */
	if (status != 0 && dash_tokens_revoke(options->file, name, err) == 0)
		return pl_err_set(err, PL_ERR_IO, "the token was not printed, and was revoked");
	return status != 0 ? -1 : 0;
}

static int list(const struct token_options *options, struct pl_err *err)
{
	auto_tokens tokens = { 0 };
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_json json_t *all = json_array();
	int64_t now = now_s();

	if (dash_tokens_read(options->file, &tokens, err) < 0)
		return -1;
	for (size_t i = 0; i < tokens.count; i++) {
		const struct dash_token *token = &tokens.items[i];
		char expiry[32];
		add_expiry(expiry, token->expires_s);
		pl_buf_addf(&text, "%s  %s  %s%s\n", token->name, dash_role_name(token->role),
			    expiry, token->expires_s <= now ? "  expired" : "");
		json_array_append_new(all,
				      describe(token->name, token->role, token->expires_s, now));
	}
	int status = options->json ? pl_program_print_json(all)
				   : pl_program_print(pl_buf_text(&text));
	return status == 0 ? 0 : pl_err_set(err, PL_ERR_IO, "could not print the tokens");
}

static int revoke_one(const struct token_options *options, const char *name, struct pl_err *err)
{
	if (dash_tokens_revoke(options->file, name, err) < 0)
		return -1;
	if (!options->json)
		return 0;
	auto_json json_t *answer = json_pack("{s:s, s:b}", "name", name, "revoked", 1);
	return pl_program_print_json(answer) == 0
		       ? 0
		       : pl_err_set(err, PL_ERR_IO, "the token was revoked, but not reported");
}

static int check(const struct token_options *options, const struct pl_words *words,
		 struct pl_err *err)
{
	bool takes_name = words->count > 0 && strcmp(words->items[0], "list") != 0;

	if (words->count == 0 ||
	    !PL_TEXT_IS_ONE_OF(words->items[0], ((const char *const[]){ "add", "list", "revoke" })))
		return pl_err_invalid(err, "found %s%s%s, expected add, list or revoke",
				      words->count > 0 ? "'" : "",
				      words->count > 0 ? words->items[0] : "nothing",
				      words->count > 0 ? "'" : "");
	if (words->count != (takes_name ? 2 : 1))
		return pl_err_invalid(err, "%s: found %d names, expected %s", words->items[0],
				      words->count - 1, takes_name ? "one" : "none");
	if (takes_name && !dash_user_is_valid(words->items[1]))
		return pl_err_invalid(err,
				      "found the name '%s', expected 1 to 64 letters, digits and "
				      "'._@+-', starting with a letter or digit",
				      words->items[1]);
	if (options->file == NULL)
		return pl_err_invalid(err, "--token-file FILE is missing");
	if (options->expires_in_ns < PL_NS_PER_S)
		return pl_err_invalid(err,
				      "--expires-in: found less than 1s, expected at least 1s; "
				      "use revoke to remove a token");
	return 0;
}

int dash_cmd_token(int argc, char **argv)
{
	struct token_options options = { .role = "read", .expires_in_ns = EXPIRES_IN_NS };
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status, rc;

	if (!pl_command_read(&dash_token_command, argc, argv, &options, &words, &status))
		return status;
	if (check(&options, &words, &err) < 0)
		return pl_program_fail(&err);
	/* no other user may open the new file before it has its mode */
	(void)umask(S_IRWXG | S_IRWXO);
	const char *verb = words.items[0];
	rc = strcmp(verb, "add") == 0    ? add(&options, words.items[1], &err)
	     : strcmp(verb, "list") == 0 ? list(&options, &err)
					 : revoke_one(&options, words.items[1], &err);
	return rc < 0 ? pl_program_fail(&err) : 0;
}
