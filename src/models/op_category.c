#include "models/op_category.h"

#include <stdlib.h>

struct entry {
    const char *name;
    enum ts_op_category category;
};

/* In byte order of names, for the binary search. Every name also counts with "DeviceOperation" behind it. */
static const struct entry entries[] = {
#define COMPUTE TS_CATEGORY_COMPUTE
#define CCL TS_CATEGORY_CCL
#define TM TS_CATEGORY_TM
#define DM TS_CATEGORY_DM
    {"Accumulation", COMPUTE},
    {"AllBroadcast", CCL},
    {"AllGather", CCL},
    {"AllGatherAsync", CCL},
    {"AllGatherConcat", CCL},
    {"AllGatherMatmul", COMPUTE},
    {"AllReduceAsync", CCL},
    {"AllToAllAsync", CCL},
    {"AllToAllAsyncGeneric", CCL},
    {"AllToAllCombine", CCL},
    {"AllToAllDispatch", CCL},
    {"AllToAllDispatchMetadata", CCL},
    {"ArgMax", COMPUTE},
    {"Binary", COMPUTE},
    {"BinaryNg", COMPUTE},
    {"Broadcast", CCL},
    {"CloneOperation", DM},
    {"Combine", CCL},
    {"Concat", TM},
    {"ConcatenateHeads", TM},
    {"Conv2d", COMPUTE},
    {"Copy", DM},
    {"CreateQKVHeadsDeviceOperation", TM},
    {"DeepseekMoEReduceScatter", CCL},
    {"Dispatch", CCL},
    {"Embeddings", COMPUTE},
    {"FastReduceNC", COMPUTE},
    {"FillPad", TM},
    {"Fold", TM},
    {"GridSample", COMPUTE},
    {"GridSampleOperation", COMPUTE},
    {"GroupNorm", COMPUTE},
    {"Halo", DM},
    {"IntImg", COMPUTE},
    {"InterleavedToSharded", DM},
    {"InterleavedToShardedPartial", DM},
    {"LayerNorm", COMPUTE},
    {"LlamaReduceScatter", CCL},
    {"MaskedBincount", COMPUTE},
    {"Matmul", COMPUTE},
    {"MinimalMatmulOp", COMPUTE},
    {"MoeGroupedTopk", COMPUTE},
    {"Move", DM},
    {"NLPConcatHeads", TM},
    {"NLPConcatHeadsDecodeDeviceOperation", TM},
    {"NLPCreateHeadsDecodeDeviceOperation", TM},
    {"NLPCreateQKVHeadsDecodeDeviceOperation", TM},
    {"NlpCreateHeads", TM},
    {"OffsetCumsum", COMPUTE},
    {"OptimizedConvNew", COMPUTE},
    {"PadDeviceOperation", TM},
    {"PaddedSlice", TM},
    {"PagedUpdateCacheDeviceOperation", DM},
    {"Permute", TM},
    {"Pool2D", COMPUTE},
    {"PostCombineReduce", COMPUTE},
    {"RMSAllGather", COMPUTE},
    {"RecvAsync", CCL},
    {"RecvDirectAsync", CCL},
    {"Reduce", COMPUTE},
    {"ReduceScatter", CCL},
    {"ReduceScatterMinimalAsync", CCL},
    {"ReduceScatterMinimalDirect", CCL},
    {"ReduceToRootOp", CCL},
    {"Repeat", TM},
    {"Reshape", TM},
    {"ReshapeView", TM},
    {"Reshard", DM},
    {"RotaryEmbedding", COMPUTE},
    {"RotaryEmbeddingLlama", COMPUTE},
    {"SDPAOperation", COMPUTE},
    {"ScaledDotProductAttention", COMPUTE},
    {"ScaledDotProductAttentionDecode", COMPUTE},
    {"SdpaDecode", COMPUTE},
    {"SelectiveReduceCombine", CCL},
    {"SendAsync", CCL},
    {"SendDirectAsync", CCL},
    {"ShardedToInterleaved", DM},
    {"ShardedToInterleavedPartial", DM},
    {"Slice", TM},
    {"SliceReshardAsync", CCL},
    {"SliceWrite", TM},
    {"Softmax", COMPUTE},
    {"SparseMatmul", COMPUTE},
    {"Split", TM},
    {"StridedAllGatherAsync", CCL},
    {"StridedReduceScatterAsync", CCL},
    {"Ternary", TM},
    {"Tilize", TM},
    {"TilizeWithValPadding", TM},
    {"Transpose", TM},
    {"Typecast", TM},
    {"Unary", COMPUTE},
    {"UnifiedRoutedExpertFfn", COMPUTE},
    {"Untilize", TM},
    {"UntilizeWithUnpadding", TM},
    {"UpSample", COMPUTE},
    {"UpsampleOperation", COMPUTE},
    {"Where", DM},
#undef COMPUTE
#undef CCL
#undef TM
#undef DM
};

static int compare(const void *key, const void *element)
{
    return ts_str_compare(*(const struct ts_str *)key, ts_str_from(((const struct entry *)element)->name));
}

static const struct entry *look_up(struct ts_str word)
{
    return bsearch(&word, entries, sizeof entries / sizeof *entries, sizeof *entries, compare);
}

enum ts_op_category ts_op_category(struct ts_str op_code, bool *known)
{
    const struct ts_str suffix = TS_STR("DeviceOperation");

    *known = true;
    if (ts_str_contains(op_code, TS_STR("(torch)")))
        return TS_CATEGORY_HOST;
    struct ts_str word = ts_str_first_word(op_code);
    const struct entry *found = look_up(word);
    if (!found && ts_str_ends_with(word, suffix))
        found = look_up(ts_str_sub(word, 0, word.len - suffix.len));
    if (found)
        return found->category;
    *known = word.len == 0; /* a code without a word has no name that a list could lack */
    return TS_CATEGORY_OTHER;
}

const char *ts_op_category_name(enum ts_op_category category)
{
    static const char *const texts[] = {"Compute", "CCL", "TM", "DM", "Host", "Other", NULL};
    return texts[category];
}
