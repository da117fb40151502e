/* ts-make-pages OUTDIR: write the reference page of every question, OUTDIR/QUESTION.md, from its declaration and the example in
 * OUTDIR/../examples/QUESTION.txt. */
#include <stdio.h>

#include "questions/schema.h"
#include "questions/table.h"
#include "write.h"

static bool write_page(const char *outdir, const struct ts_question *question)
{
    char examples[4096], name[128];
    struct ts_buf example, page;
    ts_buf_init(&example, 0);
    ts_buf_init(&page, 0);
    snprintf(examples, sizeof examples, "%s/../examples", outdir);
    tool_read(examples, question->name, ".txt", &example);
    ts_schema_page(question, ts_buf_view(&example), &page);
    snprintf(name, sizeof name, "%s.md", question->name);
    bool good = tool_write(outdir, name, &page);
    ts_buf_free(&example);
    ts_buf_free(&page);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s OUTDIR\n", argv[0]);
        return 2;
    }
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        if (!write_page(argv[1], *question))
            return 1;
    return 0;
}
