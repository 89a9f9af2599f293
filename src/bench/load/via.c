#include "bench/load/via.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "io/http.h"

/* The first row that fits is the answer: those that name a product come first. */
static const struct sign {
	const char *header;   /* its whole name, or its start where it ends with '-' */
	const char *contains; /* in the value; NULL: any value */
	const char *text;
} signs[] = {
	{ "server", "nginx", "nginx, by the header Server" },
	{ "server", "openresty", "OpenResty (nginx), by the header Server" },
	{ "server", "envoy", "Envoy, by the header Server" },
	{ "server", "cloudflare", "Cloudflare, by the header Server" },
	{ "server", "caddy", "Caddy, by the header Server" },
	{ "server", "haproxy", "HAProxy, by the header Server" },
	{ "server", "traefik", "Traefik, by the header Server" },
	{ "server", "apache", "Apache, by the header Server" },
	{ "server", "awselb", "an AWS load balancer, by the header Server" },
	{ "server", "akamai", "Akamai, by the header Server" },
	{ "server", "kong", "Kong, by the header Server" },
	{ "cf-ray", NULL, "Cloudflare, by the header CF-RAY" },
	{ "x-litellm-", NULL, "LiteLLM, by its x-litellm headers" },
	{ "x-envoy-", NULL, "Envoy, by its x-envoy headers" },
	{ "x-kong-", NULL, "Kong, by its x-kong headers" },
	{ "x-amz-cf-", NULL, "CloudFront, by its x-amz-cf headers" },
	{ "x-azure-ref", NULL, "Azure Front Door, by the header X-Azure-Ref" },
	{ "apim-request-id", NULL, "Azure API Management, by the header apim-request-id" },
	{ "x-accel-buffering", NULL, "nginx, by the header X-Accel-Buffering" },
	{ "via", NULL, "a proxy, by the header Via" },
};

static bool fits(const struct sign *sign, const struct io_http_header *header)
{
	size_t len = strlen(sign->header);
	bool is_start = sign->header[len - 1] == '-';

	return (is_start ? strncasecmp(header->name, sign->header, len)
			 : strcasecmp(header->name, sign->header)) == 0 &&
	       (sign->contains == NULL || strcasestr(header->value, sign->contains) != NULL);
}

const char *bench_via_of(const struct io_http_head *head)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(signs); i++) {
		for (size_t k = 0; k < head->header_count; k++) {
			if (fits(&signs[i], &head->headers[k]))
				return signs[i].text;
		}
	}
	return NULL;
}
