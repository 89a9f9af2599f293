#include "bench/media/part.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"
#include "base/text.h"

json_t *bench_media_url_part(const char *name, json_t *url)
{
	json_t *part = json_object(), *holder = json_object();

	json_object_set_new(holder, "url", url);
	json_object_set_new(part, "type", json_string(name));
	json_object_set_new(part, name, holder);
	return part;
}

char *bench_media_base64(const char *before, const void *bytes, size_t len, size_t *ret_len)
{
	size_t start = strlen(before);
	char *text = pl_alloc_array(start + (len + 2) / 3 * 4 + 1, 1);

	memcpy(text, before, start);
	int written = EVP_EncodeBlock((unsigned char *)text + start, bytes, (int)len);
	*ret_len = start + (size_t)written;
	return text;
}

json_t *bench_media_data_url(const char *type, const void *bytes, size_t len)
{
	auto_free char *before = pl_asprintf("data:%s;base64,", type);
	size_t text_len;
	auto_free char *text = bench_media_base64(before, bytes, len, &text_len);

	/* ASCII, so that nothing needs to be checked */
	return json_stringn_nocheck(text, text_len);
}
