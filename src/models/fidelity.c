#include "models/fidelity.h"

#include <stddef.h>

#define NAMED(text)                                                                                                    \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }

/* Bits a datatype's mantissa has, 0 for an integer, -1 for one that is not judged. */
static int mantissa_bits(struct ts_str datatype)
{
    static const struct {
        struct ts_str name;
        int bits;
    } datatypes[] = {
        {NAMED("BFLOAT16"), 8}, {NAMED("BFLOAT8_B"), 7}, {NAMED("BFLOAT4_B"), 3}, {NAMED("FLOAT32"), 23},
        {NAMED("UINT8"), 0},    {NAMED("UINT16"), 0},    {NAMED("INT32"), 0},     {NAMED("UINT32"), 0},
    };

    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++) {
        if (ts_str_equal(datatype, datatypes[i].name))
            return datatypes[i].bits;
    }
    return -1;
}

static int fidelity_index(struct ts_str fidelity)
{
    static const struct ts_str names[] = {NAMED("HiFi4"), NAMED("HiFi3"), NAMED("HiFi2"), NAMED("LoFi")};

    for (int i = 0; i < 4; i++) {
        if (ts_str_equal(fidelity, names[i]))
            return i;
    }
    return -1;
}

/* What the pair of operand classes says at HiFi4, HiFi3, HiFi2, LoFi. */
struct judgement {
    enum ts_fidelity_verdict verdict;
    enum ts_fidelity_advice advice;
};
static const struct judgement bf16[4] = {
    {TS_FIDELITY_SUFFICIENT, TS_FIDELITY_BF16_HIFI4},
    {TS_FIDELITY_TOO_LOW, TS_FIDELITY_BF16_BELOW_HIFI4},
    {TS_FIDELITY_TOO_LOW, TS_FIDELITY_BF16_BELOW_HIFI4},
    {TS_FIDELITY_TOO_LOW, TS_FIDELITY_BF16_LOFI},
};
static const struct judgement bf16_to_bfp4[4] = {
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BF16_BFP4OUT_HIFI4},
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BF16_BFP4OUT_HIFI3},
    {TS_FIDELITY_SUFFICIENT, TS_FIDELITY_BFP4OUT_HIFI2},
    {TS_FIDELITY_TOO_LOW, TS_FIDELITY_BF16_BFP4OUT_LOFI},
};
static const struct judgement bfp8[4] = {
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP8_HIFI4},
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP8_HIFI3},
    {TS_FIDELITY_SUFFICIENT, TS_FIDELITY_NO_ADVICE},
    {TS_FIDELITY_TOO_LOW, TS_FIDELITY_BFP8_LOFI},
};
static const struct judgement bfp8_to_bfp4[4] = {
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP8_HIFI4},
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP8_HIFI3},
    {TS_FIDELITY_SUFFICIENT, TS_FIDELITY_BFP4OUT_HIFI2},
    {TS_FIDELITY_TOO_LOW, TS_FIDELITY_BFP8_BFP4OUT_LOFI},
};
static const struct judgement bfp4[4] = {
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP4_ABOVE_LOFI},
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP4_ABOVE_LOFI},
    {TS_FIDELITY_TOO_HIGH, TS_FIDELITY_BFP4_ABOVE_LOFI},
    {TS_FIDELITY_SUFFICIENT, TS_FIDELITY_NO_ADVICE},
};

struct ts_fidelity ts_fidelity_judge(struct ts_str input_0, struct ts_str input_1, struct ts_str output,
                                     struct ts_str fidelity)
{
    const struct ts_str datatypes[3] = {input_0, input_1, output};
    int bits[3];

    for (int i = 0; i < 3; i++)
        bits[i] = mantissa_bits(datatypes[i]);
    if (bits[0] == 0 || bits[1] == 0 || bits[2] == 0)
        return (struct ts_fidelity){TS_FIDELITY_NOT_APPLICABLE, TS_FIDELITY_INTEGER, {"", 0}};
    for (int i = 0; i < 3; i++) {
        if (bits[i] < 0)
            return (struct ts_fidelity){TS_FIDELITY_UNKNOWN, TS_FIDELITY_UNSUPPORTED, datatypes[i]};
    }
    int index = fidelity_index(fidelity);
    if (index < 0)
        return (struct ts_fidelity){TS_FIDELITY_UNKNOWN, TS_FIDELITY_NO_ADVICE, {"", 0}};

    const struct judgement *row;
    if (bits[0] == 8) /* BFLOAT16 activations, whatever the weights are */
        row = bits[2] >= 7 ? bf16 : bf16_to_bfp4;
    else if (bits[1] >= 7)
        row = bits[2] >= 7 ? bfp8 : bfp8_to_bfp4;
    else
        row = bfp4;
    return (struct ts_fidelity){row[index].verdict, row[index].advice, {"", 0}};
}
