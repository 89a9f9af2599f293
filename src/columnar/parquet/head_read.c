/* Reads the head of a page. */
#include "columnar/parquet/parquet_priv.h"

static void read_data_head(struct thrift_in *in, struct parquet_head *ret)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 1)
			ret->values = columnar_thrift_int(in, field.type);
		else if (field.id == 2)
			ret->encoding = columnar_thrift_int(in, field.type);
		else if (field.id == 3 && ret->type == PARQUET_DATA_PAGE)
			ret->level_encoding = columnar_thrift_int(in, field.type);
		else if (field.id == 4 && ret->type == PARQUET_DATA_PAGE)
			ret->repeat_encoding = columnar_thrift_int(in, field.type);
		else
			columnar_thrift_skip(in, field.type);
	}
}

static void read_head_v2(struct thrift_in *in, struct parquet_head *ret)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 1)
			ret->values = columnar_thrift_int(in, field.type);
		else if (field.id == 4)
			ret->encoding = columnar_thrift_int(in, field.type);
		else if (field.id == 5)
			ret->level_bytes = columnar_thrift_int(in, field.type);
		else if (field.id == 6)
			ret->repeat_bytes = columnar_thrift_int(in, field.type);
		else if (field.id == 7)
			ret->is_packed = columnar_thrift_yes(in, field.type);
		else
			columnar_thrift_skip(in, field.type);
	}
}

int columnar_parquet_head_read(struct thrift_in *in, struct parquet_head *ret, struct pl_err *err)
{
	*ret = (struct parquet_head){ .type = -1, .values = -1, .is_packed = true };
	ret->level_encoding = PARQUET_RLE;
	ret->repeat_encoding = PARQUET_RLE;
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		switch (field.id) {
		case 1:
			ret->type = columnar_thrift_int(in, field.type);
			break;
		case 2:
			ret->plain_bytes = columnar_thrift_int(in, field.type);
			break;
		case 3:
			ret->bytes = columnar_thrift_int(in, field.type);
			break;
		case 4:
			ret->crc = (uint32_t)columnar_thrift_int(in, field.type);
			ret->has_crc = true;
			break;
		case 5:
		case 7:
			if (columnar_thrift_is_struct(in, field.type))
				read_data_head(in, ret);
			break;
		case 8:
			if (columnar_thrift_is_struct(in, field.type))
				read_head_v2(in, ret);
			break;
		default:
			columnar_thrift_skip(in, field.type);
			break;
		}
	}
	if (in->fault != NULL)
		return pl_err_invalid(err, "its head: %s", in->fault);
	if (ret->bytes < 0 || ret->bytes > in->end - in->at)
		return pl_err_invalid(err, "found a page of %lld bytes, expected at most %lld",
				      (long long)ret->bytes, (long long)(in->end - in->at));
	return 0;
}
