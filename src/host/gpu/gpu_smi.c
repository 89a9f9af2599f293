#include "host/gpu/gpu_priv.h"

#include <string.h>

#include "host/gpu/nvidia_smi_priv.h"

#define OUTPUT_BYTES_MAX (16u << 20)

static int ask(const char *program, const char *const *args, struct host_gpus *into,
	       struct pl_err *err)
{
	auto_buf output = { 0 };

	pl_buf_init(&output, OUTPUT_BYTES_MAX);
	if (host_nvidia_smi_run(program, args, &output, err) < 0)
		return -1;
	return host_nvidia_smi_parse(pl_buf_text(&output), output.len, program, into, err);
}

/* What the whole report lacks; older drivers do not know the column. */
static void ask_capability(struct host_gpus *gpus)
{
	static const char *const args[] = { "--query-gpu=index,pci.bus_id,compute_cap",
					    "--format=csv", NULL };
	auto_gpus struct host_gpus *part = pl_alloc(sizeof(*part));
	struct pl_err err = PL_ERR_INIT;

	if (ask(gpus->program, args, part, &err) == 0)
		host_smi_merge(gpus, part);
}

int host_gpus_smi_read(struct host_gpus *gpus, struct pl_err *err)
{
	static const char *const args[] = { "-q", "-x", NULL };
	auto_gpus struct host_gpus *now = pl_alloc(sizeof(*now));
	bool is_first = gpus->count == 0;

	if (ask(gpus->program, args, now, err) < 0)
		return -1;
	/* a value that is told no more is not told: states do not carry over */
	for (size_t i = 0; i < gpus->count; i++) {
		struct host_gpu_look *look = &gpus->looks[i];
		host_gpu_state_init(&look->state);
		host_gpu_clear_processes(look);
		look->processes_told = false;
		look->state_given = false;
		look->processes_given = false;
	}
	if (!is_first)
		host_smi_drop_unknown(gpus, now);
	host_smi_merge(gpus, now);
	if (is_first)
		ask_capability(gpus);
	return 0;
}
