#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/library.h"

static int number_of(const json_t *problem, const char *key)
{
	int64_t number = pl_json_get_i64(problem, key);

	return number > 0 && number < INT32_MAX ? (int)number : 0;
}

profllm_findings *library_findings_new(json_t *document, const json_t *problems)
{
	profllm_findings *findings = pl_alloc(sizeof(*findings));

	findings->document = document;
	findings->problems = json_incref((json_t *)problems);
	findings->text = pl_json_to_text(document, PL_JSON_INDENT);
	PL_JSON_EACH(problem, problems) {
		const char *severity = pl_json_get_text(problem, "severity");
		if (severity == NULL)
			continue;
		findings->has_errors |= strcmp(severity, "error") == 0;
		*PL_PUSH(findings->items, findings->count,
			 findings->room) = (struct profllm_finding){
			.severity = severity,
			.key = pl_json_get_text(problem, "key"),
			.found = pl_json_get_text(problem, "found"),
			.expected = pl_json_get_text(problem, "expected"),
			.nearest = pl_json_get_text(problem, "nearest"),
			.rule = pl_json_get_text(problem, "rule"),
			.line = number_of(problem, "line"),
			.column = number_of(problem, "col"),
		};
	}
	return findings;
}

bool profllm_findings_ok(const profllm_findings *findings)
{
	return !findings->has_errors;
}

size_t profllm_findings_count(const profllm_findings *findings)
{
	return findings->count;
}

const struct profllm_finding *profllm_findings_get(const profllm_findings *findings, size_t index)
{
	return index < findings->count ? &findings->items[index] : NULL;
}

const char *profllm_findings_json(const profllm_findings *findings)
{
	return findings->text;
}

void profllm_findings_free(profllm_findings *findings)
{
	if (findings == NULL)
		return;
	json_decref(findings->document);
	json_decref(findings->problems);
	free(findings->text);
	free(findings->items);
	free(findings);
}
