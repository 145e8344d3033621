// Calls of macOS that Reactor makes, for Linux: tests run the files for macOS against them, see ../README.md.
#ifndef SHUNT_CKQUEUE_H
#define SHUNT_CKQUEUE_H
#include <stdbool.h>
#include <stdint.h>

// The headers that have them would make their types this module's.
struct timespec;
typedef long shunt_off_t;

// <sys/event.h>, as far as it is stood in for.
#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_VNODE (-4)
#define EVFILT_TIMER (-7)
#define EVFILT_USER (-10)
#define EVFILT_SYSCOUNT 19

#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_ENABLE 0x0004
#define EV_DISABLE 0x0008
#define EV_ONESHOT 0x0010
#define EV_CLEAR 0x0020
#define EV_RECEIPT 0x0040
#define EV_DISPATCH 0x0080
#define EV_EOF 0x8000
#define EV_ERROR 0x4000

#define NOTE_TRIGGER 0x01000000
#define NOTE_FFAND 0x40000000
#define NOTE_FFOR 0x80000000
#define NOTE_FFCOPY 0xc0000000
#define NOTE_FFCTRLMASK 0xc0000000
#define NOTE_FFLAGSMASK 0x00ffffff
#define NOTE_DELETE 0x00000001
#define NOTE_WRITE 0x00000002
#define NOTE_EXTEND 0x00000004
#define NOTE_ATTRIB 0x00000008
#define NOTE_LINK 0x00000010
#define NOTE_RENAME 0x00000020
#define NOTE_SECONDS 0x00000001
#define NOTE_USECONDS 0x00000002
#define NOTE_NSECONDS 0x00000004

#pragma pack(4)
struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};
#pragma pack()

int kqueue(void);
int kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *limit);

// sendfile(2) with the arguments of macOS, beside that of Linux.
int shunt_darwin_sendfile(int file, int socket, shunt_off_t offset, shunt_off_t *length, void *header, int flags)
    __attribute__((swift_name("sendfile(_:_:_:_:_:_:)")));

// <sys/socket.h> and <fcntl.h>: fcntl(2) and openat(2) take the latter two.
#define SO_NOSIGPIPE 0x1022
#define F_GETPATH 50
#define O_SYMLINK 0x200000
// On Linux O_LARGEFILE of x86-64, which has no effect: the descriptor is an ordinary one.
#define O_EVTONLY 0x8000
#define MAXPATHLEN 1024

// From now on openat(2) takes a name that is not there for one of which `is_same` says so, as file systems do that
// ignore case.
void shunt_fold_names(bool (*is_same)(const char *asked, const char *there));
#endif
