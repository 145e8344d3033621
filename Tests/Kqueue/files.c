#define _GNU_SOURCE
#include "CKqueue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int shunt_darwin_sendfile(int file, int socket, shunt_off_t offset, shunt_off_t *length, void *header, int flags) {
    off_t wanted = *length, sent = 0;
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    *length = 0;
    if (offset < 0 || flags != 0 || header) {
        errno = EINVAL;
        return -1;
    }
    // XNU asks for SS_ISCONNECTED, which a reset takes away.
    if (getpeername(socket, (struct sockaddr *)&peer, &size) != 0) {
        errno = ENOTCONN;
        return -1;
    }
    // A length of 0 means the rest of the file.
    while (wanted == 0 || sent < wanted) {
        size_t most = wanted == 0 || wanted - sent > 65536 ? 65536 : (size_t)(wanted - sent);
        ssize_t count = sendfile(socket, file, &offset, most);
        if (count == 0) break;
        if (count < 0) {
            *length = sent;
            return -1;
        }
        sent += count;
    }
    *length = sent;
    return 0;
}

// Takes the place of the C library's: setrlimit(2) of macOS refuses more descriptors than OPEN_MAX.
int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    if (resource == RLIMIT_NOFILE && limit->rlim_cur > 10240) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_setrlimit, resource, limit);
}

// Takes the place of the C library's.
int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command != F_GETPATH) return (int)syscall(SYS_fcntl, descriptor, command, argument);
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, argument, MAXPATHLEN - 1);
    if (count < 0) return -1;
    ((char *)argument)[count] = 0;
    return 0;
}

static bool (*_Atomic is_same_name)(const char *, const char *);

void shunt_fold_names(bool (*is_same)(const char *, const char *)) { is_same_name = is_same; }

// The name in a folder that a step of a path is taken for.
static bool fold(int folder, const char *prefix, const char *step, char name[NAME_MAX + 1]) {
    int place = (int)syscall(SYS_openat, folder, *prefix ? prefix : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (place < 0) return false;
    DIR *stream = fdopendir(place);
    bool is_found = false;
    for (struct dirent *entry; stream && !is_found && (entry = readdir(stream));) {
        is_found = is_same_name(step, entry->d_name);
        if (is_found) snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
    }
    closedir(stream);
    return is_found;
}

// Takes the place of the C library's.
int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    _Static_assert(O_SYMLINK == O_PATH, "on Linux the same bit opens a link itself, with O_NOFOLLOW");
    if (flags & O_SYMLINK) flags |= O_NOFOLLOW;
    int opened = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (opened >= 0 || errno != ENOENT || !is_same_name || flags & O_CREAT) return opened;
    char there[PATH_MAX] = "", step[NAME_MAX + 1], name[NAME_MAX + 1];
    while (*path) {
        size_t count = strcspn(path, "/");
        if (count == 0 || count > NAME_MAX || strlen(there) + NAME_MAX + 2 > sizeof there) break;
        memcpy(step, path, count);
        step[count] = 0;
        size_t end = strlen(there);
        struct stat status;
        snprintf(there + end, sizeof there - end, "%s%s", end ? "/" : "", step);
        if (fstatat(folder, there, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            there[end] = 0;
            if (!fold(folder, there, step, name)) break;
            snprintf(there + end, sizeof there - end, "%s%s", end ? "/" : "", name);
        }
        path += count + (path[count] == '/');
    }
    if (*path) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, there, flags, mode);
}
