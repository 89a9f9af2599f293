#include "dash/request.h"
#include "result/fields/fields.h"

void dash_list_fields(const struct dash_request *request, struct dash_answer *answer)
{
	const struct res_fields *fields = request->context->fields;
	json_t *list = json_array();

	for (size_t i = 0; i < res_fields_count(fields); i++)
		json_array_append_new(list, res_field_to_json(res_fields_at(fields, i)));
	dash_answer_json(answer, 200, json_pack("{s:o}", "fields", list));
}
