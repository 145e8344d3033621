// Files that the compiler puts into the program as they are (#embed of C23).
#ifndef SHUNT_CWEB_H
#define SHUNT_CWEB_H
#include <stddef.h>

// Its bytes last as long as the program.
typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} shunt_file;

// The files of the inspector by name, in order.
const shunt_file *shunt_inspector_files(size_t *count);

// The description of the admin interface (OpenAPI 3.1).
shunt_file shunt_openapi(void);

// The script that plays the native side of a hybrid app, without its contract.
shunt_file shunt_bridge_script(void);

// What `shunt client-kit` writes for tests in these languages.
shunt_file shunt_session_java(void);
shunt_file shunt_session_python(void);
shunt_file shunt_session_javascript(void);

#endif
