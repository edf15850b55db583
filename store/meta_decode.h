/* Whether a record of a database `meta` decodes (private to store/). */
#pragma once

#include "store/meta_record.h"

/* `file`: ST_META_WORK or ST_META_FACTS; `p`: the record without its seal. */
bool st_meta_decodes(enum st_meta_id id, enum st_meta_flag file, const uint8_t *p, size_t size);
