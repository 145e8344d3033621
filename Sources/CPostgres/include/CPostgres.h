// The functions of libpq that Shunt calls, found when PostgreSQL is first used: linked, libpq and the twenty libraries
// behind it would add 6 ms to every start. The declarations are those of libpq-fe.h, version 8.0 and later
// (https://www.postgresql.org/docs/current/libpq.html).
#ifndef SHUNT_CPOSTGRES_H
#define SHUNT_CPOSTGRES_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

typedef struct pg_notify {
    char *relname;
    int be_pid;
    char *extra;
    struct pg_notify *next;
} PGnotify;

typedef struct pg_option {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeReceiver)(void *argument, const PGresult *result);

// Functions by the names they have in libpq, without PQ.
typedef struct shunt_libpq {
    PQconninfoOption *(*conninfoParse)(const char *text, char **message);
    PQconninfoOption *(*conninfo)(PGconn *);
    void (*conninfoFree)(PQconninfoOption *);
    PGconn *(*connectStartParams)(const char *const *keywords, const char *const *values, int expand);
    int (*connectPoll)(PGconn *);
    void (*finish)(PGconn *);
    int (*status)(const PGconn *);
    int (*socket)(const PGconn *);
    int (*serverVersion)(const PGconn *);
    int (*transactionStatus)(const PGconn *);
    int (*backendPID)(const PGconn *);
    char *(*errorMessage)(const PGconn *);
    int (*setnonblocking)(PGconn *, int);
    PQnoticeReceiver (*setNoticeReceiver)(PGconn *, PQnoticeReceiver, void *);
    int (*sendQuery)(PGconn *, const char *sql);
    int (*sendQueryParams)(
        PGconn *, const char *sql, int count, const unsigned int *types, const char *const *values, const int *lengths,
        const int *formats, int format);
    int (*sendPrepare)(PGconn *, const char *name, const char *sql, int count, const unsigned int *types);
    int (*sendQueryPrepared)(
        PGconn *, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
        int format);
    int (*setSingleRowMode)(PGconn *);
    int (*flush)(PGconn *);
    int (*consumeInput)(PGconn *);
    int (*isBusy)(PGconn *);
    PGresult *(*getResult)(PGconn *);
    int (*putCopyData)(PGconn *, const char *bytes, int count);
    int (*putCopyEnd)(PGconn *, const char *message);
    PGnotify *(*notifies)(PGconn *);
    void (*freemem)(void *);
    int (*resultStatus)(const PGresult *);
    char *(*resultErrorMessage)(const PGresult *);
    char *(*resultErrorField)(const PGresult *, int field);
    int (*ntuples)(const PGresult *);
    int (*nfields)(const PGresult *);
    int (*getisnull)(const PGresult *, int row, int column);
    char *(*getvalue)(const PGresult *, int row, int column);
    int (*getlength)(const PGresult *, int row, int column);
    char *(*cmdTuples)(PGresult *);
    void (*clear)(PGresult *);
} shunt_libpq;

// Loads libpq at the first call, on any thread; NULL if it is not there. It stays loaded.
const shunt_libpq *shunt_load_libpq(void);

// Why it was not loaded, in the loader's words; empty if it was.
const char *shunt_libpq_problem(void);

// A receiver of notices that drops them: libpq would print them to stderr.
void shunt_drop_notice(void *argument, const PGresult *result);

#endif
