#include "formats/sim_dump_trace.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/thread.h"
#include "formats/sim_dump_scan.h"
#include "formats/sim_dump_turns.h"
#include "formats/sim_dump_window.h"

#define PIECE (1 * TS_MIB)  /* of the array, for one turn */
#define SLACK (32 * TS_KIB) /* behind a piece, for its last event */
#define TOP_WINDOW (64 * TS_KIB)
enum { LOOK_BACK = 64, GUESSES = 16 };
#define NOWHERE UINT64_MAX

/* ---- a window on the block ---- */

static const char *end_of(const struct ts_sim_window *window)
{
    return window->bytes + window->len;
}

static uint64_t position_of(const struct ts_sim_window *window, const char *p)
{
    return window->from + (uint64_t)(p - window->bytes);
}

/* Whether a scan that stopped at p may have stopped for want of bytes. */
static bool cut_off(const struct ts_sim_window *window, const char *p)
{
    return p >= end_of(window) && window->from + window->len < window->block->size;
}

/* ---- messages ---- */

static enum ts_status wrong_at(const struct ts_sim_dump *dump, const struct ts_sim_block *block, uint64_t position,
                               const char *expected, struct ts_error *error)
{
    const char *name = ts_sim_dump_name(dump);
    if (position >= block->size)
        return ts_error_set(error, TS_INPUT,
                            "%s: TRACE block: its JSON ends at byte %" PRIu64 " (offset %" PRIu64
                            " of the file), where %s was expected; the simulator did not finish it",
                            name, block->size, block->offset + block->size, expected);
    return ts_error_set(error, TS_INPUT,
                        "%s: TRACE block: no valid JSON at byte %" PRIu64 " (offset %" PRIu64
                        " of the file): %s was expected",
                        name, position, block->offset + position, expected);
}

static enum ts_status wrong_fault(const struct ts_sim_window *window, const struct ts_sim_json_fault *fault,
                                  struct ts_error *error)
{
    return wrong_at(window->dump, window->block, position_of(window, fault->at), fault->expected, error);
}

static enum ts_status too_long(const struct ts_sim_window *window, uint64_t position, struct ts_error *error)
{
    return ts_error_set(error, TS_LIMIT,
                        "%s: TRACE block: one value at byte %" PRIu64 " (offset %" PRIu64
                        " of the file) is longer than the %zu MiB that are read",
                        ts_sim_dump_name(window->dump), position, window->block->offset + position,
                        TS_LIMIT_SIM_EVENT / TS_MIB);
}

/* ---- pieces of the array ---- */

/* The array while it is read. */
struct run {
    struct ts_context *context;
    const struct ts_sim_dump *dump;
    const struct ts_sim_block *block;
    const struct ts_sim_trace_visitor *visitor;
    uint64_t first; /* where its first event begins */
    uint64_t piece; /* bytes of one */
    struct ts_sim_turns turns;
    pthread_t caller;
    /* Of the piece whose turn it is. */
    uint64_t position; /* where the next event begins, or what lies behind the array once it ended */
    uint64_t events;
    bool ended;
};

struct piece {
    struct run *run;
    size_t number;
    uint64_t end;                  /* events that begin before here belong to it */
    struct ts_sim_window window;   /* all of it, in most cases */
    struct ts_sim_window overflow; /* an event that reaches far beyond it */
    void *batch;
    /* What came out. */
    uint64_t start, stop;
    uint64_t events;
    bool ended;
    enum ts_status status;
    uint64_t wrong_position; /* of a fault */
    const char *expected;    /* what a fault wanted there, or NULL */
    const char *problem;     /* what is wrong with the event numbered `events` */
    struct ts_error error;
};

/* Have more bytes from `position` on than the window at hand. The window with the events read so far stays. */
static enum ts_status widen(struct piece *piece, struct ts_sim_window **window, uint64_t position)
{
    uint64_t had = (*window)->from + (*window)->len - position;
    if (had > TS_LIMIT_SIM_EVENT)
        return piece->status = too_long(*window, position, &piece->error);
    piece->status = ts_sim_window_fill(&piece->overflow, position, had * 2 + SLACK, &piece->error);
    *window = &piece->overflow;
    return piece->status;
}

static void note_fault(struct piece *piece, const struct ts_sim_window *window, const struct ts_sim_json_fault *fault)
{
    piece->status = TS_INPUT;
    piece->wrong_position = position_of(window, fault->at);
    piece->expected = fault->expected;
}

/* One event at *position, and the comma behind it: *position is then where the next begins. */
static void read_event(struct piece *piece, struct ts_sim_window **window, uint64_t *position)
{
    struct ts_sim_json_fault fault;
    struct ts_sim_event event;
    const char *start = (*window)->bytes + (*position - (*window)->from), *p = NULL;
    if (*start == '{')
        p = ts_sim_event_scan(start, &event, &fault);
    else if ((p = ts_sim_json_value(start, &fault)) && !cut_off(*window, p)) {
        piece->problem = "is no object";
        piece->status = TS_INPUT;
        return;
    }
    const char *behind = p ? ts_sim_json_space(p) : fault.at;
    bool comma = p && *behind == ',';
    const char *next = comma ? ts_sim_json_space(behind + 1) : behind;
    if (cut_off(*window, next)) {
        widen(piece, window, *position);
        return;
    }
    if (p && !comma && *behind != ']')
        p = ts_sim_scan_fault(&fault, behind, "a comma or the end of traceEvents");
    if (!p) {
        note_fault(piece, *window, &fault);
        return;
    }
    piece->problem = piece->run->visitor->event(piece->batch, &event, piece->run->block->offset + *position);
    if (piece->problem) {
        piece->status = TS_INPUT;
        return;
    }
    piece->events++;
    piece->ended = !comma;
    *position = position_of(*window, next) + !comma;
}

/* Read the events from start on that belong to the piece, with the window in place. */
static void read_events(struct piece *piece, uint64_t start)
{
    struct ts_sim_window *window = &piece->window;
    uint64_t position = start;
    piece->start = start;
    piece->events = 0;
    piece->ended = false;
    piece->status = TS_OK;
    piece->problem = piece->expected = NULL;
    if (start < piece->end && (start < window->from || start >= window->from + window->len))
        piece->status = ts_sim_window_fill(window, start, piece->end - start + SLACK, &piece->error);
    while (piece->status == TS_OK && !piece->ended && position < piece->end)
        read_event(piece, &window, &position);
    piece->stop = position;
}

static bool begins_event(const char *p, const char *first)
{
    do
        p--;
    while (p > first && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'));
    if (p <= first || *p != ',')
        return false;
    do
        p--;
    while (p > first && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'));
    return *p == '}';
}

/* Where the first event at or behind `from` seems to begin: a brace behind "}," that opens something with a phase. */
static uint64_t guess_start(const struct ts_sim_window *window, uint64_t from)
{
    struct ts_sim_json_fault fault;
    const char *p = window->bytes + (from - window->from), *end = end_of(window);
    for (unsigned guesses = 0; guesses < GUESSES;) {
        p = memchr(p, '{', (size_t)(end - p));
        if (!p)
            break;
        struct ts_sim_event event;
        if (begins_event(p, window->bytes)) {
            guesses++;
            if (ts_sim_event_scan(p, &event, &fault) && event.ph.ptr)
                return position_of(window, p);
        }
        p++;
    }
    return NOWHERE;
}

static bool begin_batch(struct piece *piece)
{
    const struct ts_sim_trace_visitor *visitor = piece->run->visitor;
    if (piece->batch)
        visitor->end(piece->batch);
    piece->batch = visitor->begin(visitor->data);
    if (!piece->batch)
        piece->status = ts_error_no_memory(&piece->error);
    return piece->batch != NULL;
}

/* What can be done before the piece's turn. */
static void read_ahead(struct piece *piece)
{
    struct run *run = piece->run;
    uint64_t from = run->first + piece->number * run->piece, back = piece->number ? LOOK_BACK : 0;
    if (back > from)
        back = from;
    piece->status = ts_sim_window_fill(&piece->window, from - back, back + run->piece + SLACK, &piece->error);
    if (piece->status != TS_OK || !begin_batch(piece))
        return;
    uint64_t start = piece->number ? guess_start(&piece->window, from) : from;
    if (start == NOWHERE)
        piece->start = NOWHERE;
    else
        read_events(piece, start);
}

static enum ts_status report(struct piece *piece, struct ts_error *error)
{
    const struct run *run = piece->run;
    if (piece->problem)
        return ts_error_set(error, TS_INPUT, "%s: TRACE block: event %" PRIu64 " (offset %" PRIu64 " of the file) %s",
                            ts_sim_dump_name(run->dump), run->events + piece->events, run->block->offset + piece->stop,
                            piece->problem);
    if (piece->expected)
        return wrong_at(run->dump, run->block, piece->wrong_position, piece->expected, error);
    if (error)
        *error = piece->error;
    return piece->status;
}

/* The piece's turn: the events in front of it are known. */
static enum ts_status take_turn(struct piece *piece, struct ts_error *error)
{
    struct run *run = piece->run;
    if (run->ended || run->position >= piece->end)
        return TS_OK;
    if (piece->start != run->position) {
        if (!begin_batch(piece))
            return report(piece, error);
        read_events(piece, run->position);
    }
    if (piece->status != TS_OK)
        return report(piece, error);
    enum ts_status status = run->visitor->merge(run->visitor->data, piece->batch, error);
    if (status != TS_OK)
        return status;
    run->position = piece->stop;
    run->events += piece->events;
    run->ended = piece->ended;
    if (pthread_equal(pthread_self(), run->caller))
        return ts_context_progress(run->context, run->position, run->block->size, "reading the trace", error);
    return TS_OK;
}

static enum ts_status read_piece(void *data, size_t number, struct ts_error *error)
{
    struct run *run = data;
    struct ts_sim_window window = {.dump = run->dump, .block = run->block};
    struct piece piece = {.run = run, .number = number, .window = window, .overflow = window, .start = NOWHERE};
    uint64_t left = run->block->size - run->first;
    piece.end = left > (number + 1) * run->piece ? run->first + (number + 1) * run->piece : run->block->size;
    read_ahead(&piece);
    enum ts_status status = TS_OK;
    if (ts_sim_turns_wait(&run->turns, number))
        status = take_turn(&piece, error);
    ts_sim_turns_finish(&run->turns, number, status == TS_OK);
    if (piece.batch)
        run->visitor->end(piece.batch);
    ts_sim_window_free(&piece.window);
    ts_sim_window_free(&piece.overflow);
    return status;
}

/* ---- the object around it ---- */

struct top {
    struct ts_context *context;
    struct ts_sim_window window;
    const char *p;
    const struct ts_sim_trace_visitor *visitor;
    struct ts_sim_trace_top out;
    bool seen;             /* an array of events */
    const char *not_array; /* what traceEvents is instead */
};

static enum ts_status refill(struct top *top, uint64_t position, uint64_t want, struct ts_error *error)
{
    enum ts_status status = ts_sim_window_fill(&top->window, position, want, error);
    top->p = top->window.bytes;
    return status;
}

/* To what is no space. */
static enum ts_status skip_space(struct top *top, struct ts_error *error)
{
    for (;;) {
        top->p = ts_sim_json_space(top->p);
        if (!cut_off(&top->window, top->p))
            return TS_OK;
        enum ts_status status = ts_context_check(top->context, error);
        if (status == TS_OK)
            status = refill(top, position_of(&top->window, top->p), TOP_WINDOW, error);
        if (status != TS_OK)
            return status;
    }
}

/* The value at p, which moves behind it. Borrowed from the window. */
static enum ts_status take_value(struct top *top, struct ts_str *out, struct ts_error *error)
{
    for (uint64_t want = TOP_WINDOW;; want *= 2) {
        struct ts_sim_json_fault fault;
        const char *behind = ts_sim_json_value(top->p, &fault);
        if (!cut_off(&top->window, behind ? behind : fault.at)) {
            if (!behind)
                return wrong_fault(&top->window, &fault, error);
            *out = (struct ts_str){top->p, (size_t)(behind - top->p)};
            top->p = behind;
            return TS_OK;
        }
        uint64_t position = position_of(&top->window, top->p);
        if (want > 2 * TS_LIMIT_SIM_EVENT)
            return too_long(&top->window, position, error);
        enum ts_status status = refill(top, position, want, error);
        if (status != TS_OK)
            return status;
    }
}

static enum ts_status expect(struct top *top, char c, const char *expected, struct ts_error *error)
{
    if (*top->p != c || top->p >= end_of(&top->window))
        return wrong_at(top->window.dump, top->window.block, position_of(&top->window, top->p), expected, error);
    top->p++;
    return skip_space(top, error);
}

/* The array whose first event begins at p. */
static enum ts_status read_array(struct top *top, struct ts_error *error)
{
    struct run run = {
        .context = top->context, .dump = top->window.dump, .block = top->window.block, .visitor = top->visitor};
    run.first = run.position = position_of(&top->window, top->p);
    run.caller = pthread_self();
    run.piece = top->visitor->piece ? top->visitor->piece : PIECE;
    uint64_t left = run.block->size - run.first;
    size_t pieces = (size_t)(left / run.piece + (left % run.piece != 0));
    ts_sim_turns_init(&run.turns, top->context);
    enum ts_status status = ts_parallel(top->context, pieces, read_piece, &run, error);
    ts_sim_turns_free(&run.turns);
    if (status == TS_OK) /* a piece whose turn never came says nothing */
        status = ts_context_check(top->context, error);
    if (status != TS_OK)
        return status;
    top->out.events = run.events;
    if (!run.ended)
        return wrong_at(run.dump, run.block, run.block->size, "an event", error);
    return refill(top, run.position, TOP_WINDOW, error);
}

static enum ts_status read_events_value(struct top *top, struct ts_error *error)
{
    if (top->seen)
        top->visitor->restart(top->visitor->data);
    top->seen = true;
    top->out.events = 0;
    top->not_array = NULL;
    if (*top->p != '[') {
        struct ts_str value;
        top->not_array = *top->p == '{' ? "an object" : *top->p == 'n' ? "null" : "no array";
        return take_value(top, &value, error);
    }
    top->p++;
    enum ts_status status = skip_space(top, error);
    if (status != TS_OK)
        return status;
    if (*top->p == ']') {
        top->p++;
        return TS_OK;
    }
    return read_array(top, error);
}

static enum ts_status keep_value(struct top *top, struct ts_sim_out *out, struct ts_error *error)
{
    struct ts_str value;
    enum ts_status status = take_value(top, &value, error);
    if (status != TS_OK || !out)
        return status;
    out->len = 0;
    ts_sim_json_write(out, value.ptr);
    return out->failed ? ts_error_no_memory(error) : TS_OK;
}

static enum ts_status read_member(struct top *top, struct ts_error *error)
{
    struct ts_str key;
    if (*top->p != '"')
        return expect(top, '"', "a key in double quotes", error);
    enum ts_status status = take_value(top, &key, error);
    if (status != TS_OK)
        return status;
    bool events = ts_sim_json_is(key, TS_STR("traceEvents"));
    struct ts_sim_out *out = ts_sim_json_is(key, TS_STR("profilingType"))   ? &top->out.profiling_type
                             : ts_sim_json_is(key, TS_STR("schemaVersion")) ? &top->out.schema_version
                                                                            : NULL;
    status = skip_space(top, error);
    if (status == TS_OK)
        status = expect(top, ':', "a colon behind a key", error);
    if (status == TS_OK)
        status = events ? read_events_value(top, error) : keep_value(top, out, error);
    return status == TS_OK ? skip_space(top, error) : status;
}

static enum ts_status read_object(struct top *top, struct ts_error *error)
{
    enum ts_status status = expect(top, '{', "an object with traceEvents", error);
    if (status == TS_OK && *top->p == '}')
        return expect(top, '}', "the end of the object", error);
    while (status == TS_OK) {
        status = read_member(top, error);
        if (status != TS_OK || *top->p != ',')
            break;
        status = expect(top, ',', "a comma", error);
    }
    return status == TS_OK ? expect(top, '}', "a comma or the end of the object", error) : status;
}

/* Other encodings are told apart by the first bytes. */
static enum ts_status check_encoding(struct top *top, struct ts_error *error)
{
    const unsigned char *c = (const unsigned char *)top->p;
    if (top->window.len >= 2) {
        bool mark = (c[0] == 0xff && c[1] == 0xfe) || (c[0] == 0xfe && c[1] == 0xff);
        if (mark || c[0] == 0 || c[1] == 0)
            return ts_error_set(
                error, TS_INPUT,
                "%s: TRACE block: its text is UTF-16 or UTF-32; UTF-8 was expected, as the simulator writes",
                ts_sim_dump_name(top->window.dump));
    }
    if (top->window.len >= 3 && c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf)
        top->p += 3;
    return skip_space(top, error);
}

static enum ts_status read_top(struct top *top, struct ts_error *error)
{
    enum ts_status status = refill(top, 0, TOP_WINDOW, error);
    if (status == TS_OK)
        status = check_encoding(top, error);
    if (status == TS_OK)
        status = read_object(top, error);
    if (status == TS_OK && top->p < end_of(&top->window))
        status = wrong_at(top->window.dump, top->window.block, position_of(&top->window, top->p),
                          "the end of the block", error);
    if (status == TS_OK && top->not_array)
        status = ts_error_set(error, TS_INPUT, "%s: TRACE block: traceEvents is %s; an array of events was expected",
                              ts_sim_dump_name(top->window.dump), top->not_array);
    return status;
}

enum ts_status ts_sim_trace_read(struct ts_context *context, const struct ts_sim_dump *dump,
                                 const struct ts_sim_block *block, const struct ts_sim_trace_visitor *visitor,
                                 struct ts_sim_trace_top *out, struct ts_error *error)
{
    struct top top = {.context = context, .window = {.dump = dump, .block = block}, .visitor = visitor};
    enum ts_status status = read_top(&top, error);
    ts_sim_window_free(&top.window);
    if (status != TS_OK) {
        free(top.out.profiling_type.ptr);
        free(top.out.schema_version.ptr);
        return status;
    }
    *out = top.out;
    return TS_OK;
}
