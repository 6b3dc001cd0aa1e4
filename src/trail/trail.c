/*
 * trail.c - names of blobs and properties of kinds.
 */
#include "trail/trail.h"

static const char *const blob_names[TRAIL_BLOB_COUNT] = {
#define TRAIL_BLOB_NAME(name, text) text,
    TRAIL_BLOBS(TRAIL_BLOB_NAME)
#undef TRAIL_BLOB_NAME
};

const struct trail_kind_row trail_kinds[TRAIL_KIND_COUNT] = {
#define TRAIL_KIND_ROW(name, word, label, stamped) {TRAIL_LABEL_##label, stamped},
    TRAIL_KINDS(TRAIL_KIND_ROW)
#undef TRAIL_KIND_ROW
};

const char *trail_blob_name(enum trail_blob blob)
{
	return blob_names[blob];
}
