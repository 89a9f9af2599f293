#include "vllm/manifest/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "vllm/catalog.h"

/* The containers as "NAME: WORD, WORD", a line each; '?' after a word that the file does not give. */
static void add_containers(const struct vllm_manifest *manifest, struct pl_buf *text)
{
	for (size_t i = 0; i < manifest->count; i++) {
		const struct vllm_container *one = &manifest->items[i];
		pl_buf_addf(text, "%s:", one->name);
		for (size_t k = 0; k < one->words.count; k++)
			pl_buf_addf(text, "%s %s%s", k > 0 ? "," : "", one->words.items[k].text,
				    one->words.items[k].unknown ? "?" : "");
		pl_buf_add_char(text, '\n');
	}
}

#define COMPOSE(command)                    \
	"services:\n"                       \
	"  llm:\n"                          \
	"    image: vllm/vllm-openai\n"     \
	"    environment: {MODEL: org/m}\n" \
	"    command: " command "\n"        \
	"  db: {image: postgres}\n"

#define POD(args)                                        \
	"apiVersion: v1\nkind: Pod\n"                    \
	"metadata: {name: p}\nspec:\n  containers:\n"    \
	"  - name: llm\n    image: vllm/vllm-openai\n"   \
	"    env: [{name: PORT, value: '8001'}]\n"       \
	"    resources: {limits: {nvidia.com/gpu: 2}}\n" \
	"    args: " args "\n"

static void words_of_a_container(void **state)
{
	static const struct {
		const char *text, *kind, *containers;
		size_t others;
		int64_t gpus;
	} cases[] = {
		/* a text is split as by a shell, a list is not */
		{ COMPOSE("--model org/m --port 8001 --served-model-name 'a b'"), "a compose file",
		  "llm: --model, org/m, --port, 8001, --served-model-name, a b\n", 1, -1 },
		{ COMPOSE("[--model, org/m, --served-model-name, a b]"), "a compose file",
		  "llm: --model, org/m, --served-model-name, a b\n", 1, -1 },
		{ COMPOSE("--model org/m --port ${PORT_OF_NOBODY}"), "a compose file",
		  "llm: --model, org/m, --port, ${PORT_OF_NOBODY}?\n", 1, -1 },
		{ POD("[--model=org/m, --port=$(PORT)]"), "a Kubernetes manifest",
		  "llm: --model=org/m, --port=8001\n", 0, 2 },
		{ POD("[--model=$(MODEL_OF_NOBODY), --seed=3]"), "a Kubernetes manifest",
		  "llm: --model=$(MODEL_OF_NOBODY)?, --seed=3\n", 0, 2 },
		{ POD("[--model, org/m, '{{ .Values.name }}']"), "a Kubernetes manifest",
		  "llm: --model, org/m, {{ .Values.name }}?\n", 0, 2 },
		{ "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, spec: "
		  "{containers: "
		  "[{name: llm, image: vllm/vllm-openai, args: [--model, org/m]}]}}\n",
		  "a Kubernetes manifest", "llm: --model, org/m\n", 0, -1 },
		{ "FROM vllm/vllm-openai:v0.10.0\nCMD [\"--model\", \"org/m\"]\n", "a Dockerfile",
		  "Dockerfile: --model, org/m\n", 0, -1 },
		{ "[Service]\nExecStart=/usr/bin/vllm serve org/m --port 8001\n", "a systemd unit",
		  "ExecStart: /usr/bin/vllm, serve, org/m, --port, 8001\n", 0, -1 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_manifest manifest = { 0 };
		auto_problems problems = { 0 };
		struct pl_err err = PL_ERR_INIT;
		auto_buf text = PL_BUF(4096);

		assert_true(vllm_manifest_is(NULL, cases[i].text, strlen(cases[i].text)));
		assert_int_equal(vllm_manifest_read(cases[i].text, strlen(cases[i].text), "f",
						    vllm_catalog_reference(), &manifest, &problems,
						    &err),
				 0);
		add_containers(&manifest, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].containers);
		assert_string_equal(manifest.kind, cases[i].kind);
		assert_int_equal(manifest.others, cases[i].others);
		assert_int_equal(manifest.items[0].gpus, cases[i].gpus);
		assert_int_equal(manifest.items[0].nodes, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_a_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
