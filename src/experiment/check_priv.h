/* What the checks share: check.c goes through the rows, check_load.c asks for the load, check_server.c for the
 * server, check_client.c for vLLM's own client. */
#ifndef EXPERIMENT_CHECK_PRIV_H
#define EXPERIMENT_CHECK_PRIV_H

#include "experiment/check.h"

/* One experiment being checked. */
struct exp_checker {
	const struct exp_config *experiment;
	const struct vllm_bench *bench;          /* the experiment's */
	const struct exp_check_options *options; /* NULL: the rows that ask the experiment alone */
	struct exp_checked *checked;
	struct vllm_rule_env env;
	json_t *refused; /* object: arguments whose values the reader did not take */
	struct option_problems *problems;
};

#define CHECK(id, phase, force, where, text) void exp_check_##id(struct exp_checker *c);
#include "tbl/experiment_checks.h"

/* Does it belong to a server of several nodes? */
bool exp_is_one_of_nodes(const json_t *server);

/* An error at the key. */
void exp_refuse(struct exp_checker *c, const char *key, const char *found, const char *expected);
/* The same with the number or the text that was found. */
void exp_refuse_number(struct exp_checker *c, const char *key, int64_t found, const char *expected);
void exp_refuse_text(struct exp_checker *c, const char *key, const char *found,
		     const char *expected);
/* An error, or a warning, of which only the reason is told. */
void exp_refuse_for(struct exp_checker *c, const char *key, const char *reason);
void exp_warn_for(struct exp_checker *c, const char *key, const char *reason);

#endif
