#ifndef SHUNT_SPAWN_H
#define SHUNT_SPAWN_H
#include <spawn.h>
#include <stddef.h>

// Makes the attributes of a program for which no signal is blocked, and the usual ones are not ignored; in a process
// group of its own with POSIX_SPAWN_SETPGROUP. Returns an errno; where that is 0, the caller destroys them.
int shunt_spawn_attributes(posix_spawnattr_t *attributes, short flags, const int *usual, size_t count);
#endif
