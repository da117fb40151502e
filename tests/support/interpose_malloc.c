/* Takes the place of malloc and its kin in a test program, libraries included, so that a chosen allocation fails. Included
 * by the tests that want it, never linked into others. Works with the sanitizers' allocators and without. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__interceptor_malloc(size_t size) __attribute__((weak));
extern void *__interceptor_calloc(size_t count, size_t size) __attribute__((weak));
extern void *__interceptor_realloc(void *old, size_t size) __attribute__((weak));

/* Allocations that still succeed; negative: all of them. */
static atomic_long interpose_left = -1;
/* How many more fail after that; negative: all of them. */
static atomic_long interpose_failures;
/* Whether one has failed since the last interpose_fail_from or interpose_fail_once. */
static atomic_bool interpose_failed;

/* The address sanitizer allocates while a thread begins and takes no refusal then: under it only the thread that chose the
 * failure is refused. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INTERPOSE_OWN_THREAD_ONLY
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define INTERPOSE_OWN_THREAD_ONLY
#endif
static _Thread_local bool interpose_chosen_here;

/* Let `good` allocations pass and fail every later one, until interpose_stop. */
static inline void interpose_fail_from(long good)
{
    interpose_chosen_here = true;
    interpose_failed = false;
    interpose_failures = -1;
    interpose_left = good;
}

/* Let `good` allocations pass and fail the next one only. */
static inline void interpose_fail_once(long good)
{
    interpose_chosen_here = true;
    interpose_failed = false;
    interpose_failures = 1;
    interpose_left = good;
}

/* Let all pass again; true when one was made to fail. */
static inline bool interpose_stop(void)
{
    interpose_left = -1;
    return interpose_failed;
}

static bool interpose_refuse(void)
{
    if (interpose_left < 0)
        return false;
#ifdef INTERPOSE_OWN_THREAD_ONLY
    if (!interpose_chosen_here)
        return false;
#endif
    if (interpose_left > 0) {
        interpose_left--;
        return false;
    }
    if (interpose_failures == 0) {
        interpose_left = -1;
        return false;
    }
    if (interpose_failures > 0)
        interpose_failures--;
    interpose_failed = true;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    if (interpose_refuse())
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (interpose_refuse())
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(count, size) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (interpose_refuse())
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(old, size) : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}
