/* The forge's workflow is YAML, and its last step is what a developer types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>
#include <cmocka.h>

static yaml_node_t *member(yaml_document_t *document, yaml_node_t *map, const char *key)
{
    assert_non_null(map);
    assert_int_equal(map->type, YAML_MAPPING_NODE);
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
        yaml_node_t *name = yaml_document_get_node(document, pair->key);
        if (name->type == YAML_SCALAR_NODE && strcmp((const char *)name->data.scalar.value, key) == 0)
            return yaml_document_get_node(document, pair->value);
    }
    fail_msg("there is no key %s", key);
    return NULL;
}

static void test_workflow(void **state)
{
    (void)state;
    yaml_parser_t parser;
    yaml_document_t document;
    FILE *file = fopen(TS_SOURCE_DIR "/.github/workflows/check.yml", "rb");
    assert_non_null(file);
    assert_true(yaml_parser_initialize(&parser));
    yaml_parser_set_input_file(&parser, file);
    if (!yaml_parser_load(&parser, &document))
        fail_msg("line %zu: %s", parser.problem_mark.line + 1, parser.problem);

    yaml_node_t *root = yaml_document_get_root_node(&document);
    member(&document, member(&document, root, "on"), "pull_request");
    yaml_node_t *job = member(&document, member(&document, root, "jobs"), "check");
    member(&document, job, "runs-on");
    yaml_node_t *steps = member(&document, job, "steps");
    assert_int_equal(steps->type, YAML_SEQUENCE_NODE);
    yaml_node_t *last = yaml_document_get_node(&document, steps->data.sequence.items.top[-1]);
    assert_string_equal((const char *)member(&document, last, "run")->data.scalar.value, "./dev check");

    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
