// System headers that the toolchain's Glibc module leaves out. Nothing here on Darwin: its module has kqueue.
#ifndef SHUNT_CSYSTEM_H
#define SHUNT_CSYSTEM_H
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// These are hidden behind _GNU_SOURCE, which Swift's own Glibc module is built without; defining it here would give
// two shapes to the same structs.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(unsigned long, const char *);
#endif
#endif
