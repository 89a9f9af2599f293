/* Options that vLLM's client (benchmark.client: vllm) does not support. */
#include "experiment/check_priv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/secret.h"

#define BEARER "Bearer "

/* Returns whether our own option has the same meaning for any client. */
static bool is_kept(enum vllm_bench_id id)
{
	return id == VLLM_BENCH_kind || id == VLLM_BENCH_mode || id == VLLM_BENCH_client ||
	       id == VLLM_BENCH_max_error_share;
}

static bool is_authorization(const char *header)
{
	return strcspn(header, "=") == strlen("Authorization") &&
	       strncasecmp(header, "Authorization", strlen("Authorization")) == 0;
}

/*
 * "Bearer KEY" is passed in the environment; any other secret would be visible to all users of the
 * host.
 */
static void check_headers(struct exp_checker *c)
{
	PL_JSON_EACH(item, c->bench->header) {
		const char *text = json_string_value(item);
		auto_free char *name = pl_strndup(text, strcspn(text, "="));
		if (is_authorization(text) && pl_text_starts(text + strcspn(text, "=") + 1, BEARER))
			continue;
		if (!is_authorization(text) && !option_secret_is_name(name))
			continue;
		auto_free char *reason = pl_asprintf(
			"'%s' would be visible on the command line of vLLM's client; use "
			"Authorization=Bearer KEY, or OPENAI_API_KEY in the environment",
			name);
		exp_refuse_for(c, "benchmark.header", reason);
		return;
	}
}

/* argparse takes a value that begins with '-' as the next option. */
static bool has_dashed(const json_t *list)
{
	PL_JSON_EACH(item, list) {
		if (json_string_value(item)[0] == '-')
			return true;
	}
	return false;
}

static void check_option(struct exp_checker *c, enum vllm_bench_id id)
{
	const struct option_row *row = vllm_bench_row(id);
	auto_free char *key = pl_asprintf("benchmark.%s", row->name);
	auto_json json_t *value = NULL;
	const char *reason = NULL;

	/* options that the client lacks, too, are reported as such */
	if (!c->experiment->bench_set[id] || (row->ours && row->later) ||
	    vllm_bench_is_default(c->bench, id))
		return;
	value = vllm_bench_get(c->bench, id);
	auto_free char *text = row->type == OPTION_JSON ? pl_json_to_text(value, PL_JSON_COMPACT)
							: NULL;
	if (row->ours && !is_kept(id))
		reason = "vLLM's client does not have this option; remove it, or set "
			 "{benchmark.client} to native";
	else if (row->type == OPTION_LIST && has_dashed(value))
		reason = "vLLM's client does not accept an item that begins with '-'";
	else if (text != NULL && option_secret_in_json(text))
		reason = "it contains a secret, which would be visible on the command line of "
			 "vLLM's client";
	if (reason != NULL)
		exp_refuse_for(c, key, reason);
}

void exp_check_vllm_client(struct exp_checker *c)
{
	if (!pl_text_equal(c->bench->client, "vllm"))
		return;
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		check_option(c, (enum vllm_bench_id)i);
	if (json_object_get(c->experiment->server, "uds") != NULL)
		exp_refuse_for(c, "server.uds",
			       "vLLM's client needs a host and a port; remove it, or set "
			       "{benchmark.client} to native");
	check_headers(c);
}
