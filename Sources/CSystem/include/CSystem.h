// System headers that the toolchain's Glibc module leaves out. Nothing here on Darwin: its module has kqueue.
#ifndef SHUNT_CSYSTEM_H
#define SHUNT_CSYSTEM_H
#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <pthread.h>
#include <sched.h>

/// accept4(2) is hidden behind _GNU_SOURCE, which Swift's own Glibc module is built without.
static inline int shunt_accept4(int fd, struct sockaddr *address, socklen_t *length) {
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
#endif
