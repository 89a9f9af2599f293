/* Any bytes as a file that starts containers: answers, never a crash; each container is a command. */
#include "vllm/manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vllm/yaml_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define TEXT_BYTES_MAX (32u << 20)

static void check_container(const struct vllm_container *container)
{
	const struct vllm_command_options options = { .source = "fuzz" };
	const struct vllm_inside inside = vllm_container_inside(container);
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (container->name == NULL || container->line < 1 || container->nodes < 1)
		abort();
	if (vllm_command_from_words(&container->words, &inside, &options, &command, &problems,
				    &err) < 0)
		return;
	vllm_container_check(container, command, &problems);
	for (size_t i = 0; i < problems.count && i < 50; i++)
		vllm_command_problem_text(command, &problems.items[i], &text);
	if (problems.errors == 0 && vllm_yaml_from_command(command, true, &text, &err) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_manifest manifest = { 0 };
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = pl_strndup((const char *)data, len);

	(void)vllm_manifest_is(NULL, text, strlen(text));
	if (vllm_manifest_read((const char *)data, len, "fuzz", NULL, &manifest, &problems, &err) <
	    0)
		return err.text[0] == '\0' ? abort(), 0 : 0;
	for (size_t i = 0; i < manifest.count; i++)
		check_container(&manifest.items[i]);
	return 0;
}
