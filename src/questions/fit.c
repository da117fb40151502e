#include "questions/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_BYTES = 256,
    SMALLEST = 1000, /* a list below this many bytes is left alone */
    MARGIN = 200,    /* for what the answer says of it */
};

struct list {
    yyjson_mut_val *parent, *array;
    size_t size;
    char name[NAME_MAX_BYTES];
};

/* Bytes of a value's text. */
static size_t written_size(struct ts_answer *answer, const yyjson_mut_val *value)
{
    size_t len = 0;
    char *text = yyjson_mut_val_write(value, YYJSON_WRITE_NOFLAG, &len);
    if (!text)
        answer->failed = true;
    free(text);
    return len;
}

/* Note in *largest the largest list among the members of object and of the objects in it. What rows hold is left whole. */
static void find_largest(struct ts_answer *answer, yyjson_mut_val *object, const char *prefix, int depth,
                         struct list *largest)
{
    size_t index, count;
    yyjson_mut_val *key, *value;
    yyjson_mut_obj_foreach(object, index, count, key, value)
    {
        char name[NAME_MAX_BYTES];
        snprintf(name, sizeof name, "%s%s", prefix, yyjson_mut_get_str(key));
        if (yyjson_mut_is_arr(value) && yyjson_mut_arr_size(value) > 0) {
            size_t size = written_size(answer, value);
            if (size > largest->size) {
                *largest = (struct list){.parent = object, .array = value, .size = size};
                memcpy(largest->name, name, sizeof name);
            }
        } else if (yyjson_mut_is_obj(value) && depth < 3) {
            size_t len = strlen(name);
            if (len + 1 < sizeof name) {
                memcpy(name + len, ".", 2);
                find_largest(answer, value, name, depth + 1, largest);
            }
        }
    }
}

/* How many elements from the front have at most `room` bytes. */
static size_t elements_within(struct ts_answer *answer, yyjson_mut_val *array, size_t room)
{
    size_t index, count, used = 0;
    yyjson_mut_val *element;
    yyjson_mut_arr_foreach(array, index, count, element)
    {
        used += written_size(answer, element) + 1;
        if (used > room)
            return index;
    }
    return count;
}

/* The object that tells what was taken, which stands before a link, since that comes last. */
static yyjson_mut_val *left_out_of(struct ts_answer *answer)
{
    yyjson_mut_val *object = yyjson_mut_obj_get(answer->root, "left_out");
    if (object)
        return object;
    size_t index, count, place = yyjson_mut_obj_size(answer->root);
    yyjson_mut_val *key, *value;
    yyjson_mut_obj_foreach(answer->root, index, count, key, value)
    {
        (void)value;
        if (strncmp(yyjson_mut_get_str(key), "app_link", strlen("app_link")) == 0)
            place = index;
    }
    object = yyjson_mut_obj(answer->doc);
    key = yyjson_mut_str(answer->doc, "left_out");
    if (!object || !key || !yyjson_mut_obj_insert(answer->root, key, object, place))
        return NULL;
    return object;
}

static bool add_left_out(struct ts_answer *answer, const char *name, uint64_t count)
{
    yyjson_mut_val *object = left_out_of(answer);
    yyjson_mut_val *before = object ? yyjson_mut_obj_get(object, name) : NULL;
    if (before)
        return yyjson_mut_set_uint(before, yyjson_mut_get_uint(before) + count);
    yyjson_mut_val *key = object ? yyjson_mut_strcpy(answer->doc, name) : NULL;
    return key && yyjson_mut_obj_add(object, key, yyjson_mut_uint(answer->doc, count));
}

/* Shorten one list by about `excess` bytes. */
static bool shorten(struct ts_answer *answer, const struct list *list, size_t excess)
{
    size_t had = yyjson_mut_arr_size(list->array);
    size_t keep = elements_within(answer, list->array, list->size > excess ? list->size - excess : 0);
    if (keep == had)
        keep--;
    yyjson_mut_val *returned = yyjson_mut_obj_get(list->parent, "returned");
    if (!yyjson_mut_arr_remove_range(list->array, keep, had - keep) || !add_left_out(answer, list->name, had - keep))
        return false;
    if (yyjson_mut_is_int(returned))
        yyjson_mut_set_uint(returned, keep);
    return true;
}

bool ts_fit_answer(struct ts_answer *answer, size_t bytes)
{
    size_t now = answer->json_len;
    bool changed = false;
    while (now > bytes && !answer->failed) {
        struct list largest = {.size = SMALLEST};
        find_largest(answer, answer->root, "", 0, &largest);
        if (!largest.array)
            break;
        if (!shorten(answer, &largest, now - bytes + MARGIN))
            answer->failed = true;
        size_t after = largest.size - written_size(answer, largest.array);
        now = after < now ? now - after : 0;
        changed = true;
    }
    return changed;
}
