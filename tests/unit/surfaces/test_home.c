#include "surfaces/home.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void expect(const char *path, const char *expanded)
{
    char *result = ts_home_expand(ts_str_from(path));
    assert_string_equal(result, expanded);
    free(result);
}

static void expands_the_own_folder(void **state)
{
    (void)state;
    setenv("HOME", "/home/x", 1);
    expect("~", "/home/x");
    expect("~/", "/home/x/");
    expect("~/a/b", "/home/x/a/b");
    setenv("HOME", "/", 1);
    expect("~", "/");
    expect("~/a", "/a");
    setenv("HOME", "/home/x/", 1);
    expect("~/a", "/home/x/a");
}

static void leaves_the_rest_alone(void **state)
{
    (void)state;
    setenv("HOME", "/home/x", 1);
    expect("", "");
    expect("a", "a");
    expect("a/~", "a/~");
    expect("/~", "/~");
    expect("~no such user/a", "~no such user/a");
}

static void asks_the_password_file(void **state)
{
    (void)state;
    FILE *file = fopen("/etc/passwd", "r");
    struct passwd *entry = NULL;
    if (!file)
        skip();
    while ((entry = fgetpwent(file)) && entry->pw_uid != getuid())
        continue;
    if (!entry || !*entry->pw_dir || strcmp(entry->pw_dir, "/") == 0) {
        fclose(file);
        skip();
    }
    char path[4096], expanded[8192];
    snprintf(path, sizeof path, "~%s/a", entry->pw_name);
    snprintf(expanded, sizeof expanded, "%s/a", entry->pw_dir);
    setenv("HOME", "/elsewhere", 1);
    expect(path, expanded);
    setenv("HOME", "", 1);
    expect("~/a", expanded);
    unsetenv("HOME");
    expect("~/a", expanded);
    char *home = ts_home_directory();
    assert_string_equal(home, entry->pw_dir);
    free(home);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands_the_own_folder),
        cmocka_unit_test(leaves_the_rest_alone),
        cmocka_unit_test(asks_the_password_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
