/* ts-make-pages OUTDIR: write the reference page of every question, OUTDIR/QUESTION.md, from its declaration. */
#include <stdio.h>

#include "base/write.h"
#include "questions/schema.h"
#include "questions/table.h"

static enum ts_status write_page(struct ts_context *context, const char *folder, const struct ts_question *question,
                                 struct ts_error *error)
{
    struct ts_buf path, page;
    struct ts_writer *writer;
    ts_buf_init(&path, 0);
    ts_buf_init(&page, 0);
    ts_buf_printf(&path, "%s/%s.md", folder, question->name);
    ts_schema_page(question, &page);
    enum ts_status status = ts_buf_status(&path, error);
    if (!status)
        status = ts_buf_status(&page, error);
    if (!status)
        status = ts_writer_create(context, path.ptr, &writer, error);
    if (!status) {
        ts_writer_str(writer, ts_buf_view(&page));
        status = ts_writer_commit(writer, error);
    }
    ts_buf_free(&path);
    ts_buf_free(&page);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s OUTDIR\n", argv[0]);
        return 2;
    }
    struct ts_context context;
    struct ts_error error;
    ts_context_init(&context);
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        if (write_page(&context, argv[1], *question, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
    return 0;
}
