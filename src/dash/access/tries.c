#include "dash/access/tries.h"

#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"

#define NETWORK_BYTES 8 /* of an IPv6 address */

void dash_tries_init(struct dash_tries *tries)
{
	memset(tries->items, 0, sizeof(tries->items));
	pthread_mutex_init(&tries->lock, NULL);
}

void dash_tries_done(struct dash_tries *tries)
{
	pthread_mutex_destroy(&tries->lock);
}

/* Returns false if the client has no address. IPv4 addresses have the form ::ffff:a.b.c.d. */
static bool read_address(const struct sockaddr *from, unsigned char ret[16])
{
	static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

	memset(ret, 0, 16);
	if (from != NULL && from->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)from;
		memcpy(ret, mapped, sizeof(mapped));
		memcpy(ret + sizeof(mapped), &v4->sin_addr, 4);
		return true;
	}
	if (from == NULL || from->sa_family != AF_INET6)
		return false;
	const struct sockaddr_in6 *v6 = (const void *)from;
	bool is_mapped = IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
	memcpy(ret, &v6->sin6_addr, is_mapped ? 16 : NETWORK_BYTES);
	return true;
}

/* Forgets failures that have expired. */
static void expire(struct dash_trier *trier, int64_t now_ns)
{
	int64_t expired = (now_ns - trier->failed_ns) / (DASH_TRY_S * PL_NS_PER_S);

	if (trier->failures == 0 || expired <= 0)
		return;
	trier->failures = trier->failures > expired ? trier->failures - expired : 0;
	trier->failed_ns += expired * DASH_TRY_S * PL_NS_PER_S;
}

static struct dash_trier *find(struct dash_tries *tries, const unsigned char address[16])
{
	for (size_t i = 0; i < DASH_TRIERS_MAX; i++) {
		struct dash_trier *trier = &tries->items[i];
		if (trier->failures > 0 && memcmp(trier->address, address, 16) == 0)
			return trier;
	}
	return NULL;
}

static struct dash_trier *oldest(struct dash_tries *tries)
{
	struct dash_trier *oldest = &tries->items[0];

	for (size_t i = 0; i < DASH_TRIERS_MAX; i++) {
		struct dash_trier *trier = &tries->items[i];
		if (trier->failures == 0)
			return trier;
		if (trier->failed_ns < oldest->failed_ns)
			oldest = trier;
	}
	return oldest;
}

unsigned dash_tries_wait(struct dash_tries *tries, const struct sockaddr *from, int64_t now_ns)
{
	unsigned char address[16];
	int64_t wait_ns = 0;

	if (!read_address(from, address))
		return 0;
	pthread_mutex_lock(&tries->lock);
	struct dash_trier *trier = find(tries, address);
	if (trier != NULL) {
		expire(trier, now_ns);
		if (trier->failures >= DASH_TRIES_MAX)
			wait_ns = trier->failed_ns + DASH_TRY_S * PL_NS_PER_S - now_ns;
	}
	pthread_mutex_unlock(&tries->lock);
	return (unsigned)((wait_ns + PL_NS_PER_S - 1) / PL_NS_PER_S);
}

void dash_tries_fail(struct dash_tries *tries, const struct sockaddr *from, int64_t now_ns)
{
	unsigned char address[16];

	if (!read_address(from, address))
		return;
	pthread_mutex_lock(&tries->lock);
	struct dash_trier *trier = find(tries, address);
	if (trier != NULL)
		expire(trier, now_ns);
	if (trier == NULL || trier->failures == 0) {
		trier = trier != NULL ? trier : oldest(tries);
		memcpy(trier->address, address, sizeof(address));
		trier->failures = 0;
		trier->failed_ns = now_ns;
	}
	if (trier->failures < DASH_TRIES_MAX)
		trier->failures++;
	pthread_mutex_unlock(&tries->lock);
}
