// Processes, and system headers that the toolchain's Glibc module leaves out.
#ifndef SHUNT_CSYSTEM_H
#define SHUNT_CSYSTEM_H
#include <stdio.h>
#include <sys/types.h>

// Starts a program, found along PATH, that leads a process group of its own and has no signal blocked; returns an errno.
// The group is told to `guarding`, as shunt_start_guard wants it, before the program begins; -1 for none.
int shunt_spawn_group(pid_t *pid, char *const words[], char *const environment[], int guarding);

// Starts a program that no signal is blocked for, in a session of its own if it leads one. It has /dev/null as its input,
// `output` as both of its outputs, `ready` as descriptor 3, and no other descriptor of this process. Both are above 3.
// Returns an errno.
int shunt_spawn_detached(
    pid_t *pid, const char *program, char *const words[], char *const environment[], int output, int ready, int leads);

// The absolute path of the program that runs; -1 where the system does not tell.
int shunt_program_path(char *path, size_t size);

// Starts a process that outlives this one: when this one is gone, it ends the process group that it was told by four
// bytes, and removes a folder. Returns the descriptor to write to; -1 as four bytes ends it. Swift has no fork(2).
int shunt_start_guard(const char *folder, pid_t *pid);

// Blocks all signals, leaves the session, and closes all descriptors from `first` on, in a process that was forked.
void shunt_leave_caller(int first);

// Starts a process, the keeper, that runs a program as its child, found by its path, and ends all that this has started
// once it ends, or once the other end of `control` is closed: also where this process is killed. It writes to `told` two
// numbers of four bytes, an errno and the program's process id, and at the end the status of waitpid(2). `output` is
// standard output and error of the program. The three descriptors are above 3. Returns an errno.
int shunt_start_kept(
    pid_t *keeper, char *const words[], char *const environment[], int control, int told, int output);

// system(3), popen(3) and pclose(3), which macOS's headers withhold from Swift.
int shunt_system(const char *command);
FILE *shunt_popen(const char *command, const char *mode);
int shunt_pclose(FILE *stream);

// The commit that this program was built from, where `make dist` built it; else empty.
const char *shunt_commit(void);

// The environment's list, under a name that all systems have.
char **shunt_environment(void);

// Lets processes whose parents end become children of this one, where the system can (Linux).
void shunt_adopt_orphans(void);

// Keeps this process's memory, which may have keys in it, from being written to a disk when it crashes.
void shunt_disable_core_dumps(void);

// Gives pages that are free, between others that are in use, back to the system.
void shunt_release_free_memory(void);

// The requests that one thread began to serve last, for the note that a crash leaves.
void *shunt_requests_make(void);
void shunt_requests_free(void *requests);
// Notes a request's method and path, which are copied and cut; to be called by one thread.
void shunt_requests_note(void *requests, const void *method, size_t method_length, const void *path, size_t path_length);

// Gives this thread a stack for the handler of a crash, since it may have run out of its own; and takes it back.
void shunt_crash_stack(void);
void shunt_crash_stack_free(void);

// Lets a process that ends by SIGILL, SIGSEGV, SIGBUS, SIGABRT, SIGFPE or SIGTRAP leave a note at `path`: `begin`, the
// signal and the time, the last requests of the thread, `end`.
void shunt_crash_install(const char *path, const char *begin, const char *end);

#if defined(__linux__)
// Finds this machine's TCP socket that has these two ends, by sock_diag(7): its inode, and whose it is. `space` is the
// link of another process to its network namespace, or NULL. Returns 1; 0 where there is none; -1 where that cannot be
// asked, as without the right to enter the namespace.
int shunt_socket_inode(
    const char *space, int family, const void *own, unsigned short own_port, const void *peer,
    unsigned short peer_port, unsigned int interface, unsigned int *inode, unsigned int *user);

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
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

// epoll_pwait2(2), for which old C libraries have no function: epoll_wait(2) with nanoseconds.
static inline long shunt_epoll_pwait2(int epoll, struct epoll_event *events, int count, long long wait, _Bool forever) {
    struct { long long seconds, nanoseconds; } limit = {wait / 1000000000, wait % 1000000000};
    return syscall(441, epoll, events, count, forever ? (void *)0 : &limit, (void *)0, 0UL);
}

// Whether a path is on a file system of which inotify(7) tells every change: statfs(2) names it by a number of
// linux/magic.h, the ones of networks and of other systems by others. -1 where nothing is there.
static inline int shunt_is_local_disk(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    switch ((unsigned int)status.f_type) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // XFS
    case 0x9123683E:  // Btrfs
    case 0x2FC12FC1:  // ZFS
    case 0xF2F52010:  // F2FS
    case 0xCA451A4E:  // bcachefs
    case 0x01021994:  // tmpfs
    case 0x794C7630:  // overlayfs
        return 1;
    default: return 0;
    }
}

// openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS, which the C library has no function for: the kernel itself
// refuses a path that leads out of the folder.
static inline long shunt_open_beneath(int folder, const char *path, unsigned long long flags) {
    struct { unsigned long long flags, mode, resolve; } how = {flags, 0, 0x08 | 0x02};
    return syscall(437, folder, path, &how, sizeof how);
}
#endif
#endif
