/* Whether a matmul's math fidelity fits its datatypes. */
#ifndef TS_MODELS_FIDELITY_H
#define TS_MODELS_FIDELITY_H

#include "base/str.h"

enum ts_fidelity_verdict {
    TS_FIDELITY_UNKNOWN,
    TS_FIDELITY_NOT_APPLICABLE,
    TS_FIDELITY_SUFFICIENT,
    TS_FIDELITY_TOO_HIGH,
    TS_FIDELITY_TOO_LOW
};
enum ts_fidelity_advice {
    TS_FIDELITY_NO_ADVICE,
    TS_FIDELITY_BF16_HIFI4,
    TS_FIDELITY_BF16_BELOW_HIFI4,
    TS_FIDELITY_BF16_LOFI,
    TS_FIDELITY_BF16_BFP4OUT_HIFI4,
    TS_FIDELITY_BF16_BFP4OUT_HIFI3,
    TS_FIDELITY_BFP4OUT_HIFI2,
    TS_FIDELITY_BF16_BFP4OUT_LOFI,
    TS_FIDELITY_BFP8_HIFI4,
    TS_FIDELITY_BFP8_HIFI3,
    TS_FIDELITY_BFP8_LOFI,
    TS_FIDELITY_BFP8_BFP4OUT_LOFI,
    TS_FIDELITY_BFP4_ABOVE_LOFI,
    TS_FIDELITY_INTEGER,
    TS_FIDELITY_UNSUPPORTED,
};
struct ts_fidelity {
    enum ts_fidelity_verdict verdict;
    enum ts_fidelity_advice advice;
    struct ts_str unsupported; /* the datatype, with UNSUPPORTED */
};
struct ts_fidelity ts_fidelity_judge(struct ts_str input_0, struct ts_str input_1, struct ts_str output,
                                     struct ts_str fidelity);

#endif
