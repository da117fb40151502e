/* The C++ companion of noc_trace.h: a dataflow call as a template, traced unless its first argument says no.
 *
 *     TILESIGHT_NOC_TRACED(noc_async_write)          // once, behind the declaration of the call
 *     tilesight::noc_async_write(from, to, size);          // recorded
 *     tilesight::noc_async_write<false>(from, to, size);   // nothing is left of the trace at this place
 *
 * The call itself is always the one of the global namespace, so that none reaches itself through the trace. C++17. */
#ifndef TILESIGHT_NOC_TRACE_HPP
#define TILESIGHT_NOC_TRACE_HPP

#define TS_NOC_CALLS_BARE
#include <tilesight/noc_calls.h>

/* A near-raw record is part of its call site. */
#if defined PROFILE_NOC_EVENTS && defined TS_NOC_NEAR_RAW
#define TILESIGHT_NOC_INLINE inline __attribute__((always_inline))
#else
#define TILESIGHT_NOC_INLINE inline
#endif

#define TILESIGHT_NOC_TRACED(name)                                                                                     \
    namespace tilesight                                                                                                \
    {                                                                                                                  \
    template <bool enable_noc_tracing = true, class... Arguments>                                                      \
    TILESIGHT_NOC_INLINE void name(Arguments... arguments)                                                             \
    {                                                                                                                  \
        if constexpr (enable_noc_tracing)                                                                              \
            ::ts_noc_on_##name(arguments...);                                                                          \
        ::name(arguments...);                                                                                          \
    }                                                                                                                  \
    }
/* For noc_async_read_barrier and noc_async_write_barrier, whose end is recorded too. */
#define TILESIGHT_NOC_TRACED_BARRIER(name)                                                                             \
    namespace tilesight                                                                                                \
    {                                                                                                                  \
    template <bool enable_noc_tracing = true> TILESIGHT_NOC_INLINE void name()                                         \
    {                                                                                                                  \
        if constexpr (enable_noc_tracing)                                                                              \
            ::ts_noc_on_##name();                                                                                      \
        ::name();                                                                                                      \
        if constexpr (enable_noc_tracing)                                                                              \
            ::ts_noc_after_##name();                                                                                   \
    }                                                                                                                  \
    }

#endif
