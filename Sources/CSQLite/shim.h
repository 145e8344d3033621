#include <sqlite3.h>

// A macro with a cast, which Swift does not see.
static inline sqlite3_destructor_type shunt_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_config() takes variable arguments. Statistics of its memory cost a lock at each allocation.
static inline int shunt_sqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Whether the file was deleted or moved away since it was opened.
static inline int shunt_sqlite_has_moved(sqlite3 *db) {
    int moved = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved;
}
