#define _GNU_SOURCE
#include "CKqueue.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <linux/sockios.h>
#include <unistd.h>

enum { DESCRIPTORS = 1 << 20, BATCH = 256 };

// What a queue was told to report.
struct knote {
    struct queue *queue;
    // Those of the same descriptor, or those of the queue that have none.
    struct knote *next;
    struct kevent event;
    int timer;
    bool is_disabled, is_triggered;
    struct file {
        // The next knote of its queue for a file.
        struct knote *next;
        // What inotify(7) calls the file, and a folder's own folder; -1 for none.
        int watch, above;
        // What has happened to it.
        uint32_t news;
        nlink_t links;
        off_t size;
    } file;
};

// Its descriptor is an epoll that has the others in it, so that it can be waited for like that of a real kqueue. Reading
// and writing each have an epoll: a socket that can be read must not report again that it can be written.
struct queue {
    int descriptor, reads, writes, alarm;
    // An inotify(7), once a file is watched.
    int watches;
    struct knote *others, *files;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue *_Atomic queues[DESCRIPTORS];
static struct knote *_Atomic notes[DESCRIPTORS];

static bool has_descriptor(int16_t filter) { return filter >= EVFILT_WRITE || filter == EVFILT_VNODE; }

static bool is_of_descriptor(const struct knote *note) { return has_descriptor(note->event.filter); }

static bool is_of_file(const struct knote *note) { return note->event.filter == EVFILT_VNODE; }

static int epoll_of(const struct knote *note) {
    return note->event.filter == EVFILT_READ ? note->queue->reads : note->queue->writes;
}

static int watch(struct knote *note, int operation) {
    struct epoll_event event = {.data.ptr = note};
    event.events = note->event.filter == EVFILT_READ ? EPOLLIN | EPOLLRDHUP : EPOLLOUT;
    if (note->event.flags & EV_CLEAR) event.events |= EPOLLET;
    return epoll_ctl(epoll_of(note), operation, (int)note->event.ident, &event) == 0 ? 0 : errno;
}

static void unwatch(const struct knote *note) {
    epoll_ctl(epoll_of(note), EPOLL_CTL_DEL, (int)note->event.ident, NULL);
}

static void ring(struct queue *queue) {
    uint64_t one = 1;
    if (write(queue->alarm, &one, sizeof one) < 0) abort();
}

// An inode has one watch, whichever descriptors are open for it.
static int watch_path(struct queue *queue, const char *format, int descriptor) {
    char path[64];
    snprintf(path, sizeof path, format, descriptor);
    return inotify_add_watch(
        queue->watches, path,
        IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF);
}

// A folder that is removed while it is open is told of by the one above it alone.
static void watch_above(struct knote *note) {
    struct stat status;
    bool is_folder = fstat((int)note->event.ident, &status) == 0 && S_ISDIR(status.st_mode);
    note->file.above = is_folder ? watch_path(note->queue, "/proc/self/fd/%d/..", (int)note->event.ident) : -1;
}

static int watch_file(struct knote *note) {
    struct queue *queue = note->queue;
    struct stat status;
    if (fstat((int)note->event.ident, &status) != 0) return EBADF;
    if (queue->watches < 0) {
        queue->watches = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        struct epoll_event event = {.events = EPOLLIN};
        if (queue->watches < 0 || epoll_ctl(queue->descriptor, EPOLL_CTL_ADD, queue->watches, &event) != 0) return errno;
    }
    note->file.links = status.st_nlink;
    note->file.size = status.st_size;
    note->file.watch = watch_path(queue, "/proc/self/fd/%d", (int)note->event.ident);
    if (note->file.watch < 0) return errno;
    watch_above(note);
    note->file.next = queue->files;
    queue->files = note;
    return 0;
}

static void unwatch_file(struct knote *note) {
    struct queue *queue = note->queue;
    struct knote **place = &queue->files;
    while (*place && *place != note) place = &(*place)->file.next;
    if (*place) *place = note->file.next;
    for (int index = 0; index < 2; index++) {
        int watch = index == 0 ? note->file.watch : note->file.above;
        bool is_used = false;
        for (struct knote *other = queue->files; other; other = other->file.next) {
            is_used |= other->file.watch == watch || other->file.above == watch;
        }
        if (watch >= 0 && !is_used) inotify_rm_watch(queue->watches, watch);
    }
}

static int set_timer(struct knote *note) {
    long long unit = note->event.fflags & NOTE_SECONDS ? 1000000000
        : note->event.fflags & NOTE_USECONDS ? 1000
        : note->event.fflags & NOTE_NSECONDS ? 1 : 1000000;
    long long time = note->event.data <= 0 ? 1 : note->event.data * unit;
    struct itimerspec setting = {.it_value = {time / 1000000000, time % 1000000000}};
    if (!(note->event.flags & EV_ONESHOT)) setting.it_interval = setting.it_value;
    return timerfd_settime(note->timer, 0, &setting, NULL) == 0 ? 0 : errno;
}

static int attach(struct knote *note) {
    struct stat status;
    switch (note->event.filter) {
    case EVFILT_VNODE: return watch_file(note);
    case EVFILT_READ:
    case EVFILT_WRITE:
        if (fstat((int)note->event.ident, &status) != 0) return EBADF;
        return watch(note, EPOLL_CTL_ADD);
    case EVFILT_TIMER:
        note->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (note->timer < 0) return errno;
        struct epoll_event event = {.events = EPOLLIN};
        epoll_ctl(note->queue->descriptor, EPOLL_CTL_ADD, note->timer, &event);
        return set_timer(note);
    default:
        note->is_triggered = note->event.fflags & NOTE_TRIGGER;
        if (note->is_triggered) ring(note->queue);
        return 0;
    }
}

static struct knote *find(struct queue *queue, const struct kevent *change) {
    struct knote *note = has_descriptor(change->filter) ? notes[change->ident] : queue->others;
    while (note
        && !(note->queue == queue && note->event.ident == change->ident && note->event.filter == change->filter)) {
        note = note->next;
    }
    return note;
}

static void drop(struct knote *note) {
    struct knote *next = note->next;
    if (is_of_descriptor(note)) {
        if (is_of_file(note)) {
            unwatch_file(note);
        } else if (!note->is_disabled) {
            unwatch(note);
        }
        struct knote *first = notes[note->event.ident];
        if (first == note) {
            notes[note->event.ident] = next;
        } else {
            while (first->next != note) first = first->next;
            first->next = next;
        }
    } else {
        struct knote **place = &note->queue->others;
        while (*place != note) place = &(*place)->next;
        *place = next;
        if (note->timer >= 0) syscall(SYS_close, note->timer);
    }
    free(note);
}

static void disable(struct knote *note) {
    if (note->is_disabled) return;
    note->is_disabled = true;
    if (is_of_descriptor(note) && !is_of_file(note)) unwatch(note);
}

static int enable(struct knote *note) {
    if (!note->is_disabled) return 0;
    note->is_disabled = false;
    if (is_of_descriptor(note) && !is_of_file(note)) return watch(note, EPOLL_CTL_ADD);
    if (note->is_triggered || note->file.news != 0) ring(note->queue);
    return 0;
}

// A change of what there is already: kevent_register() in XNU's kern_event.c calls it a touch.
static int touch(struct knote *note, const struct kevent *change) {
    note->event.udata = change->udata;
    if (change->flags & EV_DISABLE) disable(note);
    if (change->flags & EV_ENABLE) return enable(note);
    switch (note->event.filter) {
    case EVFILT_TIMER:
        note->event.data = change->data;
        note->event.fflags = change->fflags;
        return set_timer(note);
    case EVFILT_USER:
        switch (change->fflags & NOTE_FFCTRLMASK) {
        case NOTE_FFAND: note->event.fflags &= change->fflags & NOTE_FFLAGSMASK; break;
        case NOTE_FFOR: note->event.fflags |= change->fflags & NOTE_FFLAGSMASK; break;
        case NOTE_FFCOPY: note->event.fflags = change->fflags & NOTE_FFLAGSMASK; break;
        }
        note->event.data = change->data;
        if (change->fflags & NOTE_TRIGGER) note->is_triggered = true;
        if (note->is_triggered && !note->is_disabled) ring(note->queue);
        return 0;
    case EVFILT_VNODE:
        note->event.fflags = change->fflags;
        return 0;
    default:
        return note->is_disabled ? 0 : watch(note, EPOLL_CTL_MOD);
    }
}

static int apply(struct queue *queue, const struct kevent *change) {
    if (change->filter >= 0 || change->filter < -EVFILT_SYSCOUNT) return EINVAL;
    bool has_ident = has_descriptor(change->filter);
    if (!has_ident && change->filter != EVFILT_USER && change->filter != EVFILT_TIMER) return ENOTSUP;
    if (has_ident && change->ident >= DESCRIPTORS) return EBADF;
    struct knote *note = find(queue, change);
    if (note && change->flags & EV_DELETE) {
        drop(note);
        return 0;
    }
    if (note) return touch(note, change);
    if (!(change->flags & EV_ADD) || change->flags & EV_DELETE) return ENOENT;
    note = calloc(1, sizeof *note);
    if (!note) return ENOMEM;
    note->queue = queue;
    note->event = *change;
    note->event.flags &= (uint16_t)~EV_RECEIPT;
    note->timer = note->file.watch = note->file.above = -1;
    if (has_ident) {
        note->next = notes[change->ident];
        notes[change->ident] = note;
    } else {
        note->next = queue->others;
        queue->others = note;
    }
    int error = attach(note);
    if (error != 0) {
        drop(note);
    } else if (change->flags & EV_DISABLE) {
        disable(note);
    }
    return error;
}

static int option(int socket, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : 0;
}

// Whether this side has ended what it sends: SS_CANTSENDMORE.
static bool has_ended(int socket) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
        return info.tcpi_state != TCP_ESTABLISHED && info.tcpi_state != TCP_CLOSE_WAIT && info.tcpi_state != TCP_SYN_SENT
            && info.tcpi_state != TCP_SYN_RECV && info.tcpi_state != TCP_LISTEN;
    }
    return send(socket, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE;
}

// filt_soread_common() and filt_sowrite_common() of XNU's uipc_socket.c: whether there is something to report.
static bool look(const struct knote *note, struct kevent *event) {
    int descriptor = (int)note->event.ident;
    bool reads = note->event.filter == EVFILT_READ;
    struct pollfd state = {descriptor, reads ? POLLIN | POLLRDHUP : POLLOUT, 0};
    if (poll(&state, 1, 0) < 0) return false;
    bool is_stream = option(descriptor, SO_TYPE) == SOCK_STREAM;
    if (reads && is_stream && option(descriptor, SO_ACCEPTCONN)) {
        event->data = 1;
        return state.revents & POLLIN;
    }
    int count = 0;
    if (reads) {
        ioctl(descriptor, FIONREAD, &count);
    } else if (ioctl(descriptor, SIOCOUTQ, &count) == 0) {
        count = option(descriptor, SO_SNDBUF) - count;
    }
    event->data = count;
    bool is_over = state.revents & (POLLERR | POLLHUP | (reads ? POLLRDHUP : 0));
    if (is_stream && (is_over || (!reads && has_ended(descriptor)))) {
        event->flags |= EV_EOF;
        // The error itself cannot be looked at without taking it from the socket's owner.
        event->fflags = state.revents & POLLERR ? ECONNRESET : 0;
        return true;
    }
    return state.revents & (reads ? POLLIN : POLLOUT) || is_over;
}

// Reports an event, and does with its knote what its flags say; knote_process() of XNU.
static void report(struct knote *note, struct kevent event, struct kevent *events, int *count) {
    events[(*count)++] = event;
    if (note->event.flags & EV_ONESHOT) {
        drop(note);
    } else if (note->event.flags & EV_DISPATCH) {
        disable(note);
    }
}

static void harvest(int epoll, struct kevent *events, int room, int *count) {
    struct epoll_event ready[BATCH];
    if (*count >= room) return;
    int most = room - *count < BATCH ? room - *count : BATCH;
    int found = epoll_wait(epoll, ready, most, 0);
    for (int index = 0; index < found; index++) {
        struct knote *note = ready[index].data.ptr;
        struct kevent event = note->event;
        event.fflags = 0;
        if (look(note, &event)) report(note, event, events, count);
    }
}

static void harvest_others(struct queue *queue, struct kevent *events, int room, int *count) {
    uint64_t number;
    // Those that stay triggered ring again.
    bool rings = false;
    if (read(queue->alarm, &number, sizeof number) < 0 && errno != EAGAIN) abort();
    for (struct knote *note = queue->others, *next; note; note = next) {
        next = note->next;
        if (note->is_disabled) continue;
        struct kevent event = note->event;
        if (note->event.filter == EVFILT_TIMER) {
            if (*count >= room || read(note->timer, &number, sizeof number) < 0) continue;
            event.fflags = 0;
            event.data = (intptr_t)number;
        } else {
            if (!note->is_triggered) continue;
            bool stays = !(note->event.flags & (EV_CLEAR | EV_ONESHOT | EV_DISPATCH));
            rings |= stays || *count >= room;
            if (*count >= room) continue;
            event.fflags &= NOTE_FFLAGSMASK;
            if (note->event.flags & EV_CLEAR) note->is_triggered = false;
        }
        report(note, event, events, count);
    }
    if (rings) ring(queue);
}

// What an event of inotify(7) means to a file, and how the file differs from what it was: vnode_pager.c and the
// post_event_if_success() of XNU's kpi_vfs.c say what is told.
static void note_file(struct knote *note, const struct inotify_event *event) {
    struct file *file = &note->file;
    struct stat status;
    if (fstat((int)note->event.ident, &status) != 0) return;
    if (event->wd == file->watch) {
        if (event->mask & (IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)) file->news |= NOTE_WRITE;
        if (event->mask & IN_MOVE_SELF) {
            file->news |= NOTE_RENAME;
            watch_above(note);
        }
        // Linux says so of a number of links that changes, too.
        if (event->mask & IN_ATTRIB && status.st_nlink == file->links) file->news |= NOTE_ATTRIB;
        if (event->mask & IN_MODIFY && status.st_size > file->size) file->news |= NOTE_EXTEND;
    }
    bool is_folder = S_ISDIR(status.st_mode);
    if (is_folder ? status.st_nlink == 0 && file->links > 0 : status.st_nlink < file->links) file->news |= NOTE_DELETE;
    if (status.st_nlink != file->links && !(file->news & NOTE_DELETE)) file->news |= NOTE_LINK;
    file->links = status.st_nlink;
    file->size = status.st_size;
}

static void harvest_files(struct queue *queue, struct kevent *events, int room, int *count) {
    _Alignas(struct inotify_event) char bytes[4096];
    ssize_t length;
    while (queue->watches >= 0 && (length = read(queue->watches, bytes, sizeof bytes)) > 0) {
        for (char *place = bytes; place < bytes + length;) {
            struct inotify_event *event = (struct inotify_event *)place;
            for (struct knote *note = queue->files; note; note = note->file.next) note_file(note, event);
            place += sizeof *event + event->len;
        }
    }
    bool rings = false;
    for (struct knote *note = queue->files, *next; note; note = next) {
        next = note->file.next;
        struct kevent event = note->event;
        event.fflags = note->file.news & note->event.fflags;
        if (note->is_disabled || event.fflags == 0) continue;
        rings |= *count >= room || !(note->event.flags & (EV_CLEAR | EV_ONESHOT | EV_DISPATCH));
        if (*count >= room) continue;
        if (note->event.flags & EV_CLEAR) note->file.news = 0;
        report(note, event, events, count);
    }
    if (rings) ring(queue);
}

int kqueue(void) {
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue) return -1;
    int *parts[] = {&queue->descriptor, &queue->reads, &queue->writes, &queue->alarm};
    for (int index = 0; index < 4; index++) {
        *parts[index] = index < 3 ? epoll_create1(EPOLL_CLOEXEC) : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (*parts[index] >= 0 && *parts[index] < DESCRIPTORS) continue;
        while (index-- > 0) syscall(SYS_close, *parts[index]);
        free(queue);
        errno = EMFILE;
        return -1;
    }
    for (int index = 1; index < 4; index++) {
        struct epoll_event event = {.events = EPOLLIN};
        epoll_ctl(queue->descriptor, EPOLL_CTL_ADD, *parts[index], &event);
    }
    queue->watches = -1;
    queues[queue->descriptor] = queue;
    return queue->descriptor;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Waits until something may have happened; a negative time is endless.
static int wait_for(int descriptor, long long nanoseconds) {
    struct epoll_event event;
    struct { long long seconds, nanoseconds; } limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    long found = syscall(441 /* epoll_pwait2 */, descriptor, &event, 1, nanoseconds < 0 ? NULL : &limit, NULL, 0L);
    if (found >= 0 || (errno != ENOSYS && errno != EPERM)) return (int)found;
    return epoll_wait(descriptor, &event, 1, nanoseconds < 0 ? -1 : (int)(nanoseconds / 1000000 + (nanoseconds > 0)));
}

int kevent(int descriptor, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *limit) {
    struct queue *queue = descriptor >= 0 && descriptor < DESCRIPTORS ? queues[descriptor] : NULL;
    if (!queue) {
        errno = EBADF;
        return -1;
    }
    int count = 0;
    pthread_mutex_lock(&lock);
    for (int index = 0; index < change_count; index++) {
        int error = apply(queue, &changes[index]);
        if (count < event_count && (error != 0 || changes[index].flags & EV_RECEIPT)) {
            events[count] = changes[index];
            events[count].flags |= EV_ERROR;
            events[count++].data = error;
        } else if (error != 0) {
            pthread_mutex_unlock(&lock);
            errno = error;
            return -1;
        }
    }
    pthread_mutex_unlock(&lock);
    if (count > 0 || event_count == 0) return count;
    long long time = limit ? limit->tv_sec * 1000000000LL + limit->tv_nsec : -1, end = limit ? now() + time : 0;
    for (;;) {
        if (wait_for(descriptor, time) < 0) return -1;
        pthread_mutex_lock(&lock);
        harvest(queue->reads, events, event_count, &count);
        harvest(queue->writes, events, event_count, &count);
        harvest_others(queue, events, event_count, &count);
        harvest_files(queue, events, event_count, &count);
        pthread_mutex_unlock(&lock);
        if (count > 0) return count;
        if (limit && (time = end - now()) <= 0) return 0;
    }
}

// A descriptor takes its knotes with it, also where another descriptor means the same socket.
static void forget(int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS || (!notes[descriptor] && !queues[descriptor])) return;
    pthread_mutex_lock(&lock);
    while (notes[descriptor]) drop(notes[descriptor]);
    struct queue *queue = queues[descriptor];
    if (queue) {
        queues[descriptor] = NULL;
        while (queue->others) drop(queue->others);
        for (int other = 0; other < DESCRIPTORS; other++) {
            for (struct knote *note = notes[other], *next; note; note = next) {
                next = note->next;
                if (note->queue == queue) drop(note);
            }
        }
        syscall(SYS_close, queue->reads);
        syscall(SYS_close, queue->writes);
        syscall(SYS_close, queue->alarm);
        if (queue->watches >= 0) syscall(SYS_close, queue->watches);
        free(queue);
    }
    pthread_mutex_unlock(&lock);
}

// These take the places of the C library's.
int close(int descriptor) {
    forget(descriptor);
    return (int)syscall(SYS_close, descriptor);
}

int dup2(int descriptor, int other) {
    if (descriptor != other && fcntl(descriptor, F_GETFD) >= 0) forget(other);
    if (descriptor == other) return fcntl(descriptor, F_GETFD) < 0 ? -1 : other;
    return (int)syscall(SYS_dup3, descriptor, other, 0);
}
