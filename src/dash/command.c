/* The commands that repeat an experiment (result/commands.h). */
#include "dash/request.h"
#include "result/commands.h"
#include "store/documents/document.h"
#include "store/store.h"

void dash_get_command(const struct dash_request *request, struct dash_answer *answer)
{
	auto_store_entry entry;

	if (dash_find_experiment(request, &entry, answer))
		dash_answer_json(answer, 200,
				 res_commands(entry.document, store_form_is_vllm(entry.form)));
}
