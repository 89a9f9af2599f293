/*
 * Configurations of well-known models, so that a model can be checked before it is downloaded. A
 * row may have several names (same_as), and says whether it is a copy or was assembled.
 */
#include "checkpoint/known.h"

#include <string.h>
#include <strings.h>

#include "base/strv.h"
#include "base/text.h"
#include "checkpoint/facts.h"

static const struct ckpt_known rows[] = {
#define SEEN    false
#define DERIVED true
#define KNOWN(name_, same_as_, parameters_, computed_, confidence_, config_, quant_) \
	{ .name = name_,                                                             \
	  .same_as = same_as_,                                                       \
	  .parameters = parameters_,                                                 \
	  .counted = (parameters_) == (computed_) && (parameters_) > 0,              \
	  .derived = confidence_,                                                    \
	  .config = config_,                                                         \
	  .hf_quant_config = quant_ },
#include "tbl/models.h"
#undef KNOWN
#undef DERIVED
#undef SEEN
};

/* Without case: people type it either way. */
static bool has_name(const struct ckpt_known *row, const char *name, size_t len)
{
	if (strcasecmp(row->name, name) == 0)
		return true;
	for (const char *at = row->same_as; *at != '\0';) {
		size_t other = strcspn(at, " ");
		if (other == len && strncasecmp(at, name, len) == 0)
			return true;
		at += other + (at[other] == ' ');
	}
	return false;
}

const struct ckpt_known *ckpt_known_find(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (has_name(&rows[i], name, len))
			return &rows[i];
	}
	return NULL;
}

const char *ckpt_known_confidence(const struct ckpt_known *row)
{
	return row->derived ? "derived" : "seen";
}

char *ckpt_known_nearest(const char *name)
{
	auto_strv names = { 0 };

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *others = pl_json_words(rows[i].same_as);
		pl_strv_add(&names, rows[i].name);
		pl_strv_add_json(&names, others);
	}
	return pl_strdup(pl_text_nearest(name, pl_strv_texts(&names), names.count));
}

/* The family is read from the row's configuration as from a file: it is not written twice. */
static json_t *row_to_json(const struct ckpt_known *row)
{
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(row->config,
								     strlen(row->config), NULL);

	return json_pack("{s:s, s:o, s:s?, s:o, s:s}", "name", row->name, "same_as",
			 pl_json_words(row->same_as), "model_type", facts->model_type, "parameters",
			 pl_json_i64((int64_t)row->parameters, row->parameters > 0), "confidence",
			 ckpt_known_confidence(row));
}

json_t *ckpt_known_to_json(void)
{
	json_t *array = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		json_array_append_new(array, row_to_json(&rows[i]));
	return array;
}

static void add_line(struct pl_buf *buf, const char *name, size_t len, const struct ckpt_known *row)
{
	pl_buf_addf(buf, "%-52.*s ", (int)len, name);
	if (row->parameters > 0)
		pl_buf_addf(buf, "%8.2f", row->parameters / 1e9);
	else
		pl_buf_addf(buf, "%8s", "-");
	pl_buf_addf(buf, "  %s\n", ckpt_known_confidence(row));
}

void ckpt_known_text(struct pl_buf *buf)
{
	pl_buf_addf(buf, "%-52s %8s  %s\n", "name", "billions", "facts");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		add_line(buf, rows[i].name, strlen(rows[i].name), &rows[i]);
		for (const char *at = rows[i].same_as; *at != '\0';) {
			size_t len = strcspn(at, " ");
			add_line(buf, at, len, &rows[i]);
			at += len + (at[len] == ' ');
		}
	}
}
