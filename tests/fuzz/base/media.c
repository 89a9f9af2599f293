/* The heads of media: any bytes are read within their bounds, and sizes and lengths are positive. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/media.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a copy without room after it, so that a read beyond the end is found */
	uint8_t *copy = malloc(size + (size == 0));
	uint32_t width = 0, height = 0;
	double seconds = -1;

	must(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	const char *type = pl_media_type(copy, size);
	if (pl_media_image_size(copy, size, &width, &height))
		must(width > 0 && height > 0 && type != NULL && strncmp(type, "image/", 6) == 0);
	if (pl_media_audio_seconds(copy, size, size, &seconds))
		must(seconds >= 0 && type != NULL && strncmp(type, "audio/", 6) == 0);
	free(copy);
	return 0;
}
