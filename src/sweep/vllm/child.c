#include "sweep/vllm/child.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strv.h"
#include "base/text.h"
#include "host/proc/mark.h"
#include "host/proc/program.h"
#include "run/client/vllm_watch.h"
#include "run/redact.h"
#include "sweep/vllm/command.h"

#define LOOK_NS      (50 * PL_NS_PER_MS)
#define TAIL_LINES   20
#define REPORT_BYTES 600

int sweep_vllm_child_start(struct sweep_vllm_child *child, struct pl_err *err)
{
	const char *name = json_string_value(json_array_get(child->command, 0));
	auto_json json_t *words = json_copy((json_t *)child->command);
	auto_free char *program = NULL;
	auto_strv argv = { 0 };
	auto_strv env = { 0 };

	if (host_program_find(name, &program, err) < 0)
		return -1;
	run_redact_know_words(words);
	json_array_set_new(words, 0, json_string_nocheck(program));
	pl_strv_add_json(&argv, words);
	if (child->mark != NULL)
		pl_strv_addf(&env, "%s=%s", HOST_MARK_NAME, child->mark);
	if (child->is_server)
		pl_strv_add(&env, "VLLM_SERVER_DEV_MODE=1");
	const struct host_process_spec spec = {
		.argv = pl_strv_texts(&argv),
		.env = pl_strv_texts(&env),
		.log_path = child->log_path,
		.guard = child->guard,
		.stop_timeout_ns = child->stop_timeout_ns,
	};
	if (host_process_start(&spec, &child->process, err) < 0)
		return -1;
	child->shown = child->show ? fopen(child->log_path, "re") : NULL;
	return 0;
}

/* Continues where it stopped reading the log, whose current end may not be the final one. */
static void show(struct sweep_vllm_child *child)
{
	char data[4096];
	size_t len;

	if (child->shown == NULL)
		return;
	clearerr(child->shown);
	while ((len = fread(data, 1, sizeof(data), child->shown)) > 0)
		fwrite(data, 1, len, stdout);
	fflush(stdout);
}

bool sweep_vllm_child_wait(struct sweep_vllm_child *child, int64_t timeout_ns)
{
	bool ended = host_process_wait(child->process, timeout_ns);

	show(child);
	return ended;
}

void sweep_vllm_child_end(struct sweep_vllm_child *child)
{
	if (child->process != NULL)
		host_process_stop(child->process, child->stop_timeout_ns,
				  child->stop != NULL ? &child->stop->hurry : NULL);
	show(child);
	host_process_free(pl_take(child->process));
	if (child->shown != NULL)
		fclose(pl_take(child->shown));
}

void sweep_vllm_child_report(const struct sweep_vllm_child *child, struct pl_err *err)
{
	auto_json json_t *tail = run_vllm_log_tail(child->log_path, TAIL_LINES);
	size_t used = strlen(err->text);

	for (size_t i = json_array_size(tail); i > 0; i--) {
		const char *line = json_string_value(json_array_get(tail, i - 1));
		if (line == NULL || line[strspn(line, " \t")] == '\0')
			continue;
		snprintf(err->text + used, sizeof(err->text) - used, "; the end of '%s': %.*s",
			 child->log_path, REPORT_BYTES, line);
		return;
	}
}

int sweep_vllm_child_run(struct sweep_vllm_child *child, struct pl_err *err)
{
	int done = sweep_vllm_child_start(child, err);

	while (done == 0 && !sweep_vllm_child_wait(child, LOOK_NS)) {
		if (run_stop_signal(child->stop) != 0)
			done = pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
	}
	if (done == 0 && run_stop_signal(child->stop) != 0)
		done = pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
	if (done == 0 && host_process_status(child->process) != 0) {
		auto_free char *command = sweep_vllm_command_text(child->command);
		char end[64];
		host_process_end_text(child->process, end, sizeof(end));
		pl_err_set(err, PL_ERR_FAILED, "%.300s: %s", command, end);
		sweep_vllm_child_report(child, err);
		done = -1;
	}
	sweep_vllm_child_end(child);
	return done;
}
