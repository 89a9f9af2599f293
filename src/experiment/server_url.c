/* Which server that runs already an experiment names, in whichever of its words. */
#include "experiment/config.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row.h"

char *exp_server_url(const struct exp_config *experiment)
{
	const struct vllm_bench *bench = &experiment->bench;

	if (experiment->launch.url != NULL)
		return pl_strdup(experiment->launch.url);
	if (bench->base_url != NULL)
		return pl_strdup(bench->base_url);
	if (bench->host == NULL && bench->port == OPTION_NO_I64)
		return NULL;
	const char *host = bench->host != NULL ? bench->host : "127.0.0.1";
	bool bare_v6 = strchr(host, ':') != NULL && host[0] != '[';
	return pl_asprintf(bare_v6 ? "http://[%s]:%lld" : "http://%s:%lld", host,
			   bench->port != OPTION_NO_I64 ? (long long)bench->port : 8000LL);
}
