/* Any bytes as HTTP responses. */
#include "http_story.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return http_story_check(data, size, IO_HTTP_RESPONSE);
}
