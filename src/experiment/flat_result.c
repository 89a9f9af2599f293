/* vLLM's flat result beside ours, where save_result or append_result ask for it. */
#include "bench/flat.h"
#include "experiment/run_priv.h"

int exp_flat_result(struct exp_run *run, const json_t *document, struct pl_err *err)
{
	const struct md_bench *bench = &run->experiment->bench;
	const struct bench_outcome *outcome = run->outcome;

	/* what measured nothing has nothing to say in vLLM's form */
	if ((!bench->save_result && !bench->append_result) || outcome == NULL)
		return 0;
	int64_t real_ns = run->started_real_ns - run->started_ns;
	struct bench_flat_input input = {
		.bench = bench,
		.results = json_object_get(document, "results"),
		.records = outcome->records,
		.count = outcome->count,
		.model_id = bench->model != NULL ? bench->model : run->model,
		.start_ns = outcome->start_ns,
		.started_real_ns = real_ns + outcome->start_ns,
		.ended_real_ns = real_ns + outcome->end_ns,
		.document = document,
	};
	if (bench_flat_write(&input, &run->flat_path, err) < 0)
		return -1;
	exp_say(run, "vLLM's flat result: %s", run->flat_path);
	return 0;
}
