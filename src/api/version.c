#include <tilesight/tilesight.h>

#ifndef TS_VERSION
#error "TS_VERSION is the project's version, given by the build"
#endif

const char *ts_version(void)
{
    return TS_VERSION;
}
