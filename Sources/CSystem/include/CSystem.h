// System headers that the toolchain's Glibc module leaves out. Nothing here on Darwin: its module has kqueue.
#ifndef SHUNT_CSYSTEM_H
#define SHUNT_CSYSTEM_H
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// These are hidden behind _GNU_SOURCE, which Swift's own Glibc module is built without; defining it here would give
// two shapes to the same structs.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(unsigned long, const char *);
extern long syscall(long, ...);

// recv(2) and send(2) without being a cancellation point: nobody cancels threads here, and in a process with threads
// the C library pays two atomic operations a call for the possibility.
static inline long shunt_recv(int fd, void *bytes, unsigned long count) {
    return syscall(SYS_recvfrom, fd, bytes, count, 0, (void *)0, (void *)0);
}
static inline long shunt_send(int fd, const void *bytes, unsigned long count) {
    return syscall(SYS_sendto, fd, bytes, count, MSG_NOSIGNAL, (void *)0, 0);
}

// openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS, which the C library has no function for: the kernel itself
// refuses a path that leads out of the folder.
static inline long shunt_open_beneath(int folder, const char *path, unsigned long long flags) {
    struct { unsigned long long flags, mode, resolve; } how = {flags, 0, 0x08 | 0x02};
    return syscall(437, folder, path, &how, sizeof how);
}
#endif
#endif
