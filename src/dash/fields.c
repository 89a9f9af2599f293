#include "result/fields/fields.h"
#include "dash/request.h"
#include "result/fields/priced.h"

/* Fields with prices are columns of the mirror (mirror/priced.h), though the database has none for them. */
static json_t *field_json(const struct res_field *field)
{
	json_t *json = res_field_to_json(field);

	if (res_priced_find(field->id) != RES_PRICED_COUNT)
		json_object_set_new(json, "column", json_true());
	return json;
}

void dash_fields_answer_init(const struct res_fields *fields, struct dash_answer *ret)
{
	json_t *list = json_array();

	for (size_t i = 0; i < res_fields_count(fields); i++)
		json_array_append_new(list, field_json(res_fields_at(fields, i)));
	*ret = (struct dash_answer){ 0 };
	dash_answer_json(ret, 200, json_pack("{s:o}", "fields", list));
	dash_answer_make_shared(ret);
	ret->shared->is_lasting = true;
}

void dash_list_fields(const struct dash_request *request, struct dash_answer *answer)
{
	dash_answer_share(request->context->fields_answer, answer);
}
