#include "sim/media.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/media.h"
#include "base/mem.h"
#include "base/text.h"
#include "sim/tokenizer.h"

#define PATCH_PIXELS 28

/* The sizes are at the start of the media; metadata may come before them. */
#define HEAD_BYTES ((size_t)256 << 10)

static uint64_t seed_of(const char *bytes, size_t len)
{
	uint64_t seed = len;
	uint64_t word;

	for (size_t i = 0; i < len; i += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + i, len - i < sizeof(word) ? len - i : sizeof(word));
		seed = sim_token_mix(seed, word);
	}
	return seed;
}

static uint32_t bound(double tokens)
{
	return (uint32_t)fmin(fmax(ceil(tokens), 1), SIM_MEDIA_TOKENS_MAX);
}

static uint32_t tokens_of(const void *bytes, size_t len, size_t len_all)
{
	uint32_t width, height;
	double seconds;

	if (pl_media_image_size(bytes, len, &width, &height))
		return bound(ceil((double)width / PATCH_PIXELS) *
			     ceil((double)height / PATCH_PIXELS));
	if (pl_media_audio_seconds(bytes, len, len_all, &seconds))
		return bound(seconds * SIM_AUDIO_TOKENS_PER_S);
	return SIM_MEDIA_TOKENS_FAR;
}

static bool is_base64(const char *text, size_t len)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	bool known[256] = { false };

	if (len == 0 || len % 4 != 0)
		return false;
	for (size_t i = 0; i < sizeof(letters) - 1; i++)
		known[(unsigned char)letters[i]] = true;
	len -= text[len - 1] != '=' ? 0 : text[len - 2] != '=' ? 1 : 2;
	for (size_t i = 0; i < len; i++) {
		if (!known[(unsigned char)text[i]])
			return false;
	}
	return true;
}

/* Decodes the start of base64 text. False: it is not base64. */
static bool decode_head(const char *text, size_t len, struct sim_media *media)
{
	size_t head = len < HEAD_BYTES ? len : HEAD_BYTES;
	auto_free uint8_t *bytes = pl_alloc_array(head + 1, 1);

	if (!is_base64(text, len) ||
	    EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)head) < 0)
		return false;
	media->tokens = tokens_of(bytes, head / 4 * 3, len / 4 * 3);
	return true;
}

/* A request with media that cannot be read is refused, as by vLLM. */
static int refuse_media(const char *type, struct sim_refusal *refusal)
{
	return sim_refuse(refusal, 400, "BadRequestError", NULL, "Failed to load %.32s", type);
}

int sim_media_read(const json_t *part, const char *type, struct sim_media *ret,
		   struct sim_refusal *refusal)
{
	bool is_audio = strcmp(type, "input_audio") == 0;
	const json_t *held = json_object_get(part, type);
	const json_t *text = json_object_get(held, is_audio ? "data" : "url");
	const char *at = json_string_value(text);

	if (!is_audio && !PL_TEXT_IS_ONE_OF(type, ((const char *const[]){ "image_url", "video_url",
									  "audio_url" })))
		return sim_refuse(refusal, 400, "BadRequestError", NULL, "Unknown part type: %.32s",
				  type);
	if (at == NULL)
		return refuse_media(type, refusal);
	*ret = (struct sim_media){ .tokens = SIM_MEDIA_TOKENS_FAR,
				   .seed = seed_of(at, json_string_length(text)) };
	if (!is_audio && !pl_text_starts(at, "data:"))
		return 0;
	if (!is_audio) {
		const char *start = strstr(at, ";base64,");
		if (start == NULL)
			return refuse_media(type, refusal);
		at = start + strlen(";base64,");
	}
	size_t len = json_string_length(text) - (size_t)(at - json_string_value(text));
	return decode_head(at, len, ret) ? 0 : refuse_media(type, refusal);
}

struct sim_media sim_media_from_audio(const void *bytes, size_t len)
{
	return (struct sim_media){ .tokens = tokens_of(bytes, len, len),
				   .seed = seed_of(bytes, len) };
}

void sim_media_ids(const struct sim_media *media, uint32_t *ids)
{
	for (uint32_t i = 0; i < media->tokens; i++)
		ids[i] = SIM_BYTE_ID + (uint32_t)(sim_token_mix(media->seed, i) & 0xff);
}
