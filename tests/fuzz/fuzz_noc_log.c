/* noc-decode over device logs, in every format. */
#include "fuzz/noc_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_noc_decode(data, size, TS_NOC_J4, size % 3 == 0);
    fuzz_noc_decode(data, size, size % 2 ? TS_NOC_J1 : TS_NOC_J3, size % 3 == 1);
    return 0;
}
