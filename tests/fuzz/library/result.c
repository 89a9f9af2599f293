/* Any bytes as a result: "PATH\nRESULT". A result can be checked, and its JSON reads as the same result. */
#include <profllm.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const profllm_result *result)
{
	profllm_findings *findings;

	if (profllm_result_check(result, &findings, NULL) != PROFLLM_OK)
		return;
	for (size_t i = 0; i < profllm_findings_count(findings); i++)
		assert(profllm_findings_get(findings, i)->severity != NULL);
	profllm_findings_free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size);
	profllm_result *result, *again;
	struct profllm_error error;
	char *whole, *twice, *field;
	double number;

	if (end == NULL || memchr(data, '\0', (size_t)(end - data)) != NULL)
		return 0;
	char *path = strndup((const char *)data, (size_t)(end - data));
	const char *text = (const char *)end + 1;
	size_t len = size - (size_t)(end - data) - 1;
	int code = profllm_result_parse(text, len, &result, &error);
	if (code != PROFLLM_OK) {
		assert(code == error.code && error.message[0] != '\0');
		free(path);
		return 0;
	}
	check(result);
	if (profllm_result_json(result, path, &field, NULL) == PROFLLM_OK)
		profllm_free(field);
	else
		assert(profllm_result_text(result, path) == NULL &&
		       profllm_result_number(result, path, &number, NULL) != PROFLLM_OK);
	code = profllm_result_json(result, "", &whole, NULL);
	assert(code == PROFLLM_OK);
	code = profllm_result_parse(whole, strlen(whole), &again, NULL);
	assert(code == PROFLLM_OK);
	code = profllm_result_json(again, "", &twice, NULL);
	assert(code == PROFLLM_OK && strcmp(whole, twice) == 0);
	profllm_free(whole);
	profllm_free(twice);
	profllm_result_free(again);
	profllm_result_free(result);
	free(path);
	return 0;
}
