#include "CSystem.h"
#include "Spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

// The C libraries of Linux hide this one behind _GNU_SOURCE; it is the same in all of them.
#if defined(__linux__) && !defined(POSIX_SPAWN_SETSID)
#define POSIX_SPAWN_SETSID 0x80
#endif
#if defined(__GLIBC__)
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
#endif

int shunt_spawn_detached(
    pid_t *pid, const char *program, char *const words[], char *const environment[], int output, int ready, int leads) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    short flags = leads ? POSIX_SPAWN_SETSID : 0;
#if defined(__APPLE__)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    const int usual[] = {SIGPIPE};
    int error = shunt_spawn_attributes(&attributes, flags, usual, 1);
    if (error != 0) return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        posix_spawnattr_destroy(&attributes);
        return error;
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_adddup2(&actions, ready, 3);
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
    // A lock or a pipe of the caller must not stay open for as long as the new program runs.
    posix_spawn_file_actions_addclosefrom_np(&actions, 4);
#endif
#endif
    error = posix_spawn(pid, program, &actions, &attributes, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int shunt_program_path(char *path, size_t size) {
#if defined(__APPLE__)
    uint32_t room = (uint32_t)size;
    return _NSGetExecutablePath(path, &room);
#else
    ssize_t count = readlink("/proc/self/exe", path, size - 1);
    if (count < 0) return -1;
    path[count] = 0;
    return 0;
#endif
}
