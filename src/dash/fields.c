#include "result/fields/fields.h"
#include "dash/request.h"

void dash_fields_answer_init(const struct res_fields *fields, struct dash_answer *ret)
{
	json_t *list = json_array();

	for (size_t i = 0; i < res_fields_count(fields); i++)
		json_array_append_new(list, res_field_to_json(res_fields_at(fields, i)));
	*ret = (struct dash_answer){ 0 };
	dash_answer_json(ret, 200, json_pack("{s:o}", "fields", list));
	dash_answer_make_shared(ret);
	ret->shared->is_lasting = true;
}

void dash_list_fields(const struct dash_request *request, struct dash_answer *answer)
{
	dash_answer_share(request->context->fields_answer, answer);
}
