#include "support/slow_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64 };

struct open {
    char *key;
    uint64_t time, run, slot;
    bool kernel;
    struct open *next; /* of its bucket: only to be found in reasonable time */
};
enum { BUCKETS = 65536 };

struct last_start {
    char *lane;
    uint64_t time, backwards;
};

struct reader {
    struct slow_log *log;
    char *lines[2];
    size_t needed;
    int slot, x, y, risc, time, run, zone, type;
    bool phase;
    size_t open_limit, open_count;
    struct open *buckets[BUCKETS];
    struct last_start *starts;
    size_t start_count;
};

static void *grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    void *larger = realloc(items, (count ? 2 * count : 1) * size);
    if (!larger)
        abort();
    return larger;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char *trimmed(const char *text, size_t len)
{
    while (len && is_space(*text)) {
        text++;
        len--;
    }
    while (len && is_space(text[len - 1]))
        len--;
    return strndup(text, len);
}

/* Fields of a line by the rules of CSV, a quote never past its end. NUL bytes are not in test logs that come here. */
static size_t split(const char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;
    for (;;) {
        char *field = calloc(1, strlen(line) + 1);
        size_t len = 0;
        if (*line == '"') {
            for (line++; *line; line++) {
                if (*line == '"' && line[1] != '"') {
                    line++;
                    break;
                }
                line += *line == '"';
                field[len++] = *line;
            }
        }
        while (*line && *line != ',')
            field[len++] = *line++;
        if (count < FIELDS_MAX)
            fields[count++] = trimmed(field, len);
        free(field);
        if (!*line)
            return count;
        line++;
    }
}

static void free_fields(char *fields[FIELDS_MAX], size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(fields[i]);
}

static bool number(const char *text, uint64_t *out)
{
    if (!*text || text[strspn(text, "0123456789")])
        return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0;
}

static bool small(const char *text, uint64_t *out)
{
    return number(text, out) && *out <= UINT32_MAX;
}

static bool ends_in_kernel(const char *name)
{
    size_t len = strlen(name);
    return len >= 7 && strcmp(name + len - 7, "-KERNEL") == 0;
}

/* NAME:123:COMMAND becomes NAME:*:COMMAND. */
static char *folded(const char *name)
{
    const char *colon = strchr(name, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    char *out = malloc(strlen(name) + 2);
    if (digits == 0 || colon[1 + digits] != ':' || strlen(name) > 256)
        return strcpy(out, name);
    sprintf(out, "%.*s:*%s", (int)(colon - name), name, colon + 1 + digits);
    return out;
}

static struct slow_zone *zone_of(struct slow_log *log, const char *zone, const char *risc)
{
    for (size_t i = 0; i < log->zone_count; i++)
        if (!strcmp(log->zones[i].zone, zone) && !strcmp(log->zones[i].risc, risc))
            return &log->zones[i];
    log->zones = grow(log->zones, log->zone_count, sizeof *log->zones);
    struct slow_zone *out = &log->zones[log->zone_count++];
    *out = (struct slow_zone){.zone = strdup(zone), .risc = strdup(risc)};
    return out;
}

static void add_core(struct slow_zone *zone, const char *core)
{
    for (size_t i = 0; i < zone->core_count; i++)
        if (!strcmp(zone->cores[i], core))
            return;
    zone->cores = grow(zone->cores, zone->core_count, sizeof *zone->cores);
    zone->cores[zone->core_count++] = strdup(core);
}

static void add_unpaired(struct slow_log *log, bool kernel, uint64_t run, uint64_t slot)
{
    if (!kernel)
        return;
    log->unpaired = grow(log->unpaired, log->unpaired_count, sizeof *log->unpaired);
    log->unpaired[log->unpaired_count++] = (struct slow_unpaired){run, slot};
}

static void note_start(struct reader *reader, const char *lane, uint64_t time)
{
    for (size_t i = 0; i < reader->start_count; i++) {
        struct last_start *last = &reader->starts[i];
        if (strcmp(last->lane, lane) != 0)
            continue;
        last->backwards += time < last->time;
        last->time = time;
        return;
    }
    reader->starts = grow(reader->starts, reader->start_count, sizeof *reader->starts);
    reader->starts[reader->start_count++] = (struct last_start){strdup(lane), time, 0};
}

static struct open **bucket_of(struct reader *reader, const char *key)
{
    unsigned hash = 5381;
    for (; *key; key++)
        hash = hash * 33 + (unsigned char)*key;
    return &reader->buckets[hash % BUCKETS];
}

static struct open *find_open(struct reader *reader, const char *key)
{
    for (struct open *open = *bucket_of(reader, key); open; open = open->next)
        if (!strcmp(open->key, key))
            return open;
    return NULL;
}

static void start(struct reader *reader, const char *key, const struct open *values)
{
    struct open *open = find_open(reader, key);
    if (open) {
        add_unpaired(reader->log, open->kernel, open->run, open->slot);
        reader->log->starts++;
        open->time = values->time;
    } else if (reader->open_count >= reader->open_limit) {
        reader->log->dropped++;
        add_unpaired(reader->log, values->kernel, values->run, values->slot);
    } else {
        struct open **bucket = bucket_of(reader, key);
        open = malloc(sizeof *open);
        *open = *values;
        open->key = strdup(key);
        open->next = *bucket;
        *bucket = open;
        reader->open_count++;
    }
}

static void end(struct reader *reader, const char *key, struct slow_zone *zone, const struct slow_kernel *values,
                bool kernel)
{
    struct slow_log *log = reader->log;
    struct open *open = find_open(reader, key);
    if (!open) {
        log->ends++;
        add_unpaired(log, kernel, values->run, values->slot);
        return;
    }
    struct open **link = bucket_of(reader, key);
    while (*link != open)
        link = &(*link)->next;
    *link = open->next;
    reader->open_count--;
    if (values->end < open->time) {
        log->starts++;
        log->ends++;
        add_unpaired(log, kernel, values->run, values->slot);
    } else {
        zone->occurrences++;
        zone->cycles += values->end - open->time;
        if (kernel) {
            log->kernels = grow(log->kernels, log->kernel_count, sizeof *log->kernels);
            struct slow_kernel *out = &log->kernels[log->kernel_count++];
            *out = *values;
            out->start = open->time;
            out->risc = strdup(values->risc);
        }
    }
    free(open->key);
    free(open);
}

static bool is_repeated(const struct reader *reader, const char *line)
{
    if (!strcmp(line, reader->lines[0]) || !strcmp(line, reader->lines[1]))
        return true;
    while (is_space(*line))
        line++;
    return !strncmp(line, "ARCH:", 5);
}

static void read_row(struct reader *reader, const char *line, char **fields, size_t count)
{
    struct slow_log *log = reader->log;
    if (count < reader->needed) {
        log->unreadable += line[strspn(line, " \t\r\v\f")] && !is_repeated(reader, line);
        return;
    }
    if (!*fields[reader->zone])
        return;
    const char *type = reader->type < 0 ? "" : fields[reader->type];
    bool is_start = !strcmp(type, reader->phase ? "begin" : "ZONE_START");
    bool is_end = !strcmp(type, reader->phase ? "end" : "ZONE_END");
    bool kernel = ends_in_kernel(fields[reader->zone]);
    struct slow_kernel values = {.risc = fields[reader->risc]};
    if (!small(fields[reader->slot], &values.slot) || !small(fields[reader->x], &values.x) ||
        !small(fields[reader->y], &values.y) || !number(fields[reader->time], &values.end)) {
        if (!is_repeated(reader, line)) {
            log->unreadable++;
            log->unreadable_kernels += kernel && (is_start || is_end);
        }
        return;
    }
    bool run_is_number = number(fields[reader->run], &values.run);
    char *name = folded(fields[reader->zone]), *key = NULL, *lane = NULL, *core = NULL;
    if (asprintf(&core, "%llu,%llu,%llu", (unsigned long long)values.slot, (unsigned long long)values.x,
                 (unsigned long long)values.y) < 0 ||
        asprintf(&lane, "%s,%s", core, values.risc) < 0)
        abort();
    int made = run_is_number ? asprintf(&key, "%s|%s|%llu", lane, name, (unsigned long long)values.run)
                             : asprintf(&key, "%s|%s|text %s", lane, name, fields[reader->run]);
    if (made < 0)
        abort();
    struct slow_zone *zone = zone_of(log, name, values.risc);
    add_core(zone, core);
    if (reader->type < 0) {
        zone->occurrences++;
    } else if (is_start || is_end) {
        log->unreadable_kernels += kernel && !run_is_number;
        kernel = kernel && run_is_number;
        if (is_start) {
            struct open open = {.time = values.end, .run = values.run, .slot = values.slot, .kernel = kernel};
            note_start(reader, lane, values.end);
            start(reader, key, &open);
        } else {
            end(reader, key, zone, &values, kernel);
        }
    }
    free(name);
    free(key);
    free(lane);
    free(core);
}

static int column(char **fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(fields[i], name))
            return (int)i;
    return -1;
}

static void read_header(struct reader *reader, const char *line)
{
    char *fields[FIELDS_MAX];
    size_t count = split(line, fields);
    reader->slot = column(fields, count, "PCIe slot");
    reader->x = column(fields, count, "core_x");
    reader->y = column(fields, count, "core_y");
    reader->risc = column(fields, count, "RISC processor type");
    reader->time = column(fields, count, "time[cycles since reset]");
    reader->run = column(fields, count, "run host ID");
    reader->zone = column(fields, count, "zone name");
    reader->type = column(fields, count, "type");
    reader->phase = reader->type < 0;
    if (reader->phase)
        reader->type = column(fields, count, "zone phase");
    int columns[] = {reader->slot, reader->x,   reader->y,    reader->risc,
                     reader->time, reader->run, reader->zone, reader->type};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (columns[i] + 1 > (int)reader->needed)
            reader->needed = (size_t)columns[i] + 1;
    free_fields(fields, count);
}

static void finish(struct reader *reader)
{
    struct slow_log *log = reader->log;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct open *open = reader->buckets[i], *next; open; open = next) {
            next = open->next;
            log->starts++;
            add_unpaired(log, open->kernel, open->run, open->slot);
            free(open->key);
            free(open);
        }
    log->runs = 1;
    for (size_t i = 0; i < reader->start_count; i++) {
        if (reader->starts[i].backwards + 1 > log->runs)
            log->runs = reader->starts[i].backwards + 1;
        free(reader->starts[i].lane);
    }
    free(reader->starts);
    free(reader->lines[0]);
    free(reader->lines[1]);
}

struct slow_log *slow_log_read(const char *text, size_t len, size_t open_limit)
{
    struct reader *reader = calloc(1, sizeof *reader);
    reader->log = calloc(1, sizeof *reader->log);
    reader->open_limit = open_limit;
    size_t number_of_line = 0;
    for (size_t at = 0; at < len; number_of_line++) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t end_at = newline ? (size_t)(newline - text) : len;
        char *line = strndup(text + at, end_at - at);
        size_t line_len = strlen(line);
        if (line_len && line[line_len - 1] == '\r')
            line[line_len - 1] = '\0';
        if (number_of_line < 2) {
            reader->lines[number_of_line] = strdup(line);
            if (number_of_line == 1)
                read_header(reader, line);
        } else {
            char *fields[FIELDS_MAX];
            size_t count = split(line, fields);
            read_row(reader, line, fields, count);
            free_fields(fields, count);
        }
        free(line);
        at = end_at + 1;
    }
    struct slow_log *log = reader->log;
    finish(reader);
    free(reader);
    return log;
}

void slow_log_free(struct slow_log *log)
{
    for (size_t i = 0; i < log->zone_count; i++) {
        for (size_t core = 0; core < log->zones[i].core_count; core++)
            free(log->zones[i].cores[core]);
        free(log->zones[i].cores);
        free(log->zones[i].zone);
        free(log->zones[i].risc);
    }
    for (size_t i = 0; i < log->kernel_count; i++)
        free(log->kernels[i].risc);
    free(log->zones);
    free(log->kernels);
    free(log->unpaired);
    free(log);
}
