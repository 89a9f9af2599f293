/*
 * Defines __SANITIZE_ADDRESS__ with clang as well, which reports sanitizers in another way than gcc: tests that
 * only repeat the same code are smaller then.
 */
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
