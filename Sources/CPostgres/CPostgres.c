#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if defined(__APPLE__)
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib", NULL};
#else
static const char *const names[] = {"libpq.so.5", NULL};
#endif

static shunt_libpq library;
static char problem[512];
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Where each function's pointer lies, and its name in libpq.
static const struct {
    size_t offset;
    const char *name;
} functions[] = {
#define FUNCTION(name) {offsetof(shunt_libpq, name), "PQ" #name}
    FUNCTION(conninfoParse), FUNCTION(conninfo), FUNCTION(conninfoFree), FUNCTION(connectStartParams),
    FUNCTION(connectPoll), FUNCTION(finish), FUNCTION(status), FUNCTION(socket), FUNCTION(serverVersion),
    FUNCTION(transactionStatus), FUNCTION(backendPID), FUNCTION(errorMessage), FUNCTION(setnonblocking),
    FUNCTION(setNoticeReceiver), FUNCTION(sendQuery), FUNCTION(sendQueryParams), FUNCTION(sendPrepare),
    FUNCTION(sendQueryPrepared), FUNCTION(setSingleRowMode), FUNCTION(flush), FUNCTION(consumeInput),
    FUNCTION(isBusy), FUNCTION(getResult), FUNCTION(putCopyData), FUNCTION(putCopyEnd), FUNCTION(notifies),
    FUNCTION(freemem), FUNCTION(resultStatus), FUNCTION(resultErrorMessage), FUNCTION(resultErrorField),
    FUNCTION(ntuples), FUNCTION(nfields), FUNCTION(getisnull), FUNCTION(getvalue), FUNCTION(getlength),
    FUNCTION(cmdTuples), FUNCTION(clear),
#undef FUNCTION
};

_Static_assert(
    sizeof(functions) / sizeof(functions[0]) * sizeof(void *) == sizeof(shunt_libpq), "a function is not looked up");

static void load(void) {
    void *handle = NULL;
    for (const char *const *name = names; *name && !handle; name++) handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason ? reason : "it was not found");
        return;
    }
    for (size_t index = 0; index < sizeof(functions) / sizeof(functions[0]); index++) {
        void *function = dlsym(handle, functions[index].name);
        if (!function) {
            snprintf(problem, sizeof problem, "it has no function %s", functions[index].name);
            return;
        }
        memcpy((char *)&library + functions[index].offset, &function, sizeof function);
    }
    is_loaded = 1;
}

const shunt_libpq *shunt_load_libpq(void) {
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}

const char *shunt_libpq_problem(void) { return problem; }

void shunt_drop_notice(void *argument, const PGresult *result) {
    (void)argument;
    (void)result;
}
