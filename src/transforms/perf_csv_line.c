#include "transforms/perf_csv_line.h"

#include <string.h>

#include "base/number.h"

void ts_perf_line_next(struct ts_perf_line *line)
{
    if (line->begun)
        ts_buf_char(&line->text, ',');
    line->begun = true;
}

void ts_perf_line_end(struct ts_perf_line *line)
{
    ts_buf_text(&line->text, line->end);
    line->begun = false;
}

static bool needs_quotes(struct ts_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ',' || c == '"' || c == '\r' || c == '\n')
            return true;
    }
    return false;
}

/* Text that a spreadsheet would take for a formula gets an apostrophe. */
static bool looks_like_formula(struct ts_str text)
{
    return text.len > 0 && text.ptr[0] != '\0' && strchr("=+-@\t\r", text.ptr[0]);
}

void ts_perf_line_text(struct ts_perf_line *line, struct ts_str text)
{
    ts_perf_line_next(line);
    bool formula = looks_like_formula(text);
    if (!needs_quotes(text)) {
        if (formula)
            ts_buf_char(&line->text, '\'');
        ts_buf_str(&line->text, text);
        return;
    }
    ts_buf_text(&line->text, formula ? "\"'" : "\"");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            ts_buf_char(&line->text, '"');
        ts_buf_char(&line->text, text.ptr[i]);
    }
    ts_buf_char(&line->text, '"');
}

void ts_perf_line_blank(struct ts_perf_line *line)
{
    ts_perf_line_next(line);
}

void ts_perf_line_word(struct ts_perf_line *line, const char *word)
{
    ts_perf_line_next(line);
    if (word)
        ts_buf_text(&line->text, word);
}

void ts_perf_line_integer(struct ts_perf_line *line, int64_t value)
{
    ts_perf_line_next(line);
    ts_buf_printf(&line->text, "%lld", (long long)value);
}

void ts_perf_line_count(struct ts_perf_line *line, int32_t value)
{
    if (value >= 0)
        ts_perf_line_integer(line, value);
    else
        ts_perf_line_blank(line);
}

void ts_perf_line_double(struct ts_perf_line *line, double value)
{
    char digits[TS_NUMBER_TEXT_MAX];
    ts_perf_line_next(line);
    if (ts_present(value))
        ts_buf_add(&line->text, digits, ts_number_python(value, digits));
}

void ts_perf_line_fixed(struct ts_perf_line *line, double value)
{
    char digits[TS_NUMBER_TEXT_MAX];
    ts_perf_line_next(line);
    if (ts_present(value))
        ts_buf_add(&line->text, digits, ts_number_fixed(value, 2, digits));
}
