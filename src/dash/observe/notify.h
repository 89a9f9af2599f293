/*
 * Messages to the service manager (sd_notify of systemd): datagrams to the socket in NOTIFY_SOCKET. Without this variable
 * nothing is sent.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* Call it before the first thread starts: reads and removes the variables, which child processes must not use. */
void dash_notify_init(void);
/* Sends a message such as "READY=1". Never waits; a message that cannot be sent is dropped. */
void dash_notify(const char *format, ...) PL_PRINTF(1, 2);
/* Returns whether there is a service manager. */
bool dash_notify_is_managed(void);
/* Returns the interval in which the manager expects "WATCHDOG=1" (WATCHDOG_USEC); 0: never. */
int64_t dash_notify_watchdog_ns(void);
