#include "formats/sim_dump_event.h"

#include "formats/sim_dump_scan.h"

/* A key with its quotes and the colon, as the first bytes of a little-endian word and as a text. */
#define KEY1(a) ((uint64_t)(unsigned char)(a))
#define KEY4(a, b, c, d) (KEY1(a) | KEY1(b) << 8 | KEY1(c) << 16 | KEY1(d) << 24)

static const struct known_key {
    const char *name;
    size_t place; /* in struct ts_sim_event */
} known_keys[] = {
    {"name", offsetof(struct ts_sim_event, name)}, {"ph", offsetof(struct ts_sim_event, ph)},
    {"pid", offsetof(struct ts_sim_event, pid)},   {"tid", offsetof(struct ts_sim_event, tid)},
    {"ts", offsetof(struct ts_sim_event, ts)},     {"dur", offsetof(struct ts_sim_event, dur)},
    {"args", offsetof(struct ts_sim_event, args)},
};
enum { KNOWN_KEYS = sizeof known_keys / sizeof *known_keys };

static struct ts_str *place_of(struct ts_sim_event *event, size_t place)
{
    return (struct ts_str *)(void *)((char *)event + place);
}

/* Where the value of this key belongs, or to *other. */
static struct ts_str *find_place(struct ts_sim_event *event, struct ts_str key, struct ts_str *other)
{
    for (size_t i = 0; i < KNOWN_KEYS; i++)
        if (ts_sim_json_is(key, ts_str_from(known_keys[i].name)))
            return place_of(event, known_keys[i].place);
    return other;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Keys as the writer has them, without space in front of the colon: *p moves behind the colon. NULL for all others. */
static inline struct ts_str *find_plain_key(struct ts_sim_event *event, const char **p, struct ts_str *other)
{
    uint64_t word;
    memcpy(&word, *p, 8);
    const uint64_t args = KEY4('"', 'a', 'r', 'g') | KEY4('s', '"', ':', 0) << 32;
    const uint64_t name = KEY4('"', 'n', 'a', 'm') | KEY4('e', '"', ':', 0) << 32;
    const uint64_t dur = KEY4('"', 'd', 'u', 'r') | KEY4('"', ':', 0, 0) << 32;
    const uint64_t pid = KEY4('"', 'p', 'i', 'd') | KEY4('"', ':', 0, 0) << 32;
    const uint64_t tid = KEY4('"', 't', 'i', 'd') | KEY4('"', ':', 0, 0) << 32;
    const uint64_t ts = KEY4('"', 't', 's', '"') | KEY4(':', 0, 0, 0) << 32;
    const uint64_t ph = KEY4('"', 'p', 'h', '"') | KEY4(':', 0, 0, 0) << 32;
    const uint64_t cname = KEY4('"', 'c', 'n', 'a') | KEY4('m', 'e', '"', ':') << 32;
    const uint64_t five = word & 0xffffffffffu, six = word & 0xffffffffffffu, seven = word & 0xffffffffffffffu;
    if (five == ts)
        return *p += 5, &event->ts;
    if (five == ph)
        return *p += 5, &event->ph;
    if (six == pid)
        return *p += 6, &event->pid;
    if (six == tid)
        return *p += 6, &event->tid;
    if (six == dur)
        return *p += 6, &event->dur;
    if (seven == name)
        return *p += 7, &event->name;
    if (seven == args)
        return *p += 7, &event->args;
    if (word == cname)
        return *p += 8, other;
    return NULL;
}
#else
static inline struct ts_str *find_plain_key(struct ts_sim_event *event, const char **p, struct ts_str *other)
{
    (void)event, (void)p, (void)other;
    return NULL;
}
#endif

/* Any key at p; *p moves behind the colon. NULL with a fault. */
static struct ts_str *find_key(struct ts_sim_event *event, const char **p, struct ts_str *other,
                               struct ts_sim_json_fault *fault)
{
    const char *behind = ts_sim_json_string(*p, fault);
    if (!behind)
        return NULL;
    struct ts_str key = {*p, (size_t)(behind - *p)};
    behind = ts_sim_json_space(behind);
    if (*behind != ':') {
        ts_sim_scan_fault(fault, behind, "a colon behind a key");
        return NULL;
    }
    *p = behind + 1;
    return find_place(event, key, other);
}

/* What args nearly always is: a flat object of strings without space. Behind it; NULL when it is something else or wrong,
 * which the general scan then tells. */
static inline const char *scan_flat(const char *p, struct ts_sim_json_fault *fault)
{
    if (p[1] == '}')
        return p + 2;
    do {
        if (*++p != '"')
            return NULL;
        p = ts_sim_scan_string(p + 1, fault);
        if (!p || p[0] != ':' || p[1] != '"')
            return NULL;
        p = ts_sim_scan_string(p + 2, fault);
        if (!p)
            return NULL;
    } while (*p == ',');
    return *p == '}' ? p + 1 : NULL;
}

static inline const char *scan_value(const char *p, struct ts_sim_json_fault *fault)
{
    if (*p == '"')
        return ts_sim_scan_string(p + 1, fault);
    if ((unsigned char)(*p - '0') <= 9)
        return ts_sim_scan_number(p, fault);
    if (*p == '{') {
        const char *behind = scan_flat(p, fault);
        if (behind)
            return behind;
    }
    return ts_sim_json_value(p, fault);
}

const char *ts_sim_event_scan(const char *p, struct ts_sim_event *event, struct ts_sim_json_fault *fault)
{
    struct ts_str other;
    memset(event, 0, sizeof *event);
    p = ts_sim_json_space(p + 1);
    if (*p == '}')
        return p + 1;
    for (;;) {
        struct ts_str *place = find_plain_key(event, &p, &other);
        if (!place) {
            place = find_key(event, &p, &other, fault);
            if (!place)
                return NULL;
        }
        p = ts_sim_json_space(p);
        const char *behind = scan_value(p, fault);
        if (!behind)
            return NULL;
        *place = (struct ts_str){p, (size_t)(behind - p)};
        p = ts_sim_json_space(behind);
        if (*p != ',')
            break;
        p = ts_sim_json_space(p + 1);
    }
    if (*p != '}')
        return ts_sim_scan_fault(fault, p, "a comma or the end of an event");
    return p + 1;
}
