#include "result/flat/request_keys.h"

#include "base/text.h"

const char *const res_flat_list_keys[RES_FLAT_LISTS] = {
	"input_lens",  "output_lens", "ttfts",           "itls",   "latencies",
	"start_times", "queue_times", "generated_texts", "errors",
};

const char *const res_flat_server_keys[RES_FLAT_SERVER_LISTS] = { "server_queue_times",
								  "server_ttfts" };

bool res_flat_is_of_requests(const char *key)
{
	return PL_TEXT_IS_ONE_OF(key, res_flat_list_keys) ||
	       PL_TEXT_IS_ONE_OF(key, res_flat_server_keys);
}
