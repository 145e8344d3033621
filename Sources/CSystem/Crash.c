// What is called in a signal's handler is async-signal-safe: no allocation, no lock, nothing of the C library's stdio.
#define _DEFAULT_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS = 8, REQUEST_SIZE = 127, THREADS = 256 };

struct requests {
    pthread_t thread;
    unsigned count;
    struct {
        unsigned char length;
        char text[REQUEST_SIZE];
    } request[REQUESTS];
};

static struct requests *_Atomic known[THREADS];

void *shunt_requests_make(void) {
    struct requests *requests = calloc(1, sizeof *requests);
    for (int index = 0; requests && index < THREADS; index++) {
        struct requests *none = NULL;
        if (atomic_compare_exchange_strong(&known[index], &none, requests)) break;
    }
    return requests;
}

void shunt_requests_free(void *requests) {
    for (int index = 0; index < THREADS; index++) {
        struct requests *same = requests;
        if (atomic_compare_exchange_strong(&known[index], &same, NULL)) break;
    }
    free(requests);
}

void shunt_requests_note(void *of, const void *method, size_t method_length, const void *path, size_t path_length) {
    struct requests *requests = of;
    if (requests->count == 0) requests->thread = pthread_self();
    unsigned place = requests->count++ % REQUESTS;
    char *text = requests->request[place].text;
    if (method_length > 16) method_length = 16;
    if (path_length > REQUEST_SIZE - 1 - method_length) path_length = REQUEST_SIZE - 1 - method_length;
    memcpy(text, method, method_length);
    text[method_length] = ' ';
    memcpy(text + method_length + 1, path, path_length);
    requests->request[place].length = (unsigned char)(method_length + 1 + path_length);
}

void shunt_crash_stack(void) {
    // Enough for the handler, also where vector registers are long.
    enum { SIZE = 64 << 10 };
    stack_t stack = {.ss_sp = malloc(SIZE), .ss_size = SIZE};
    if (stack.ss_sp) sigaltstack(&stack, NULL);
}

void shunt_crash_stack_free(void) {
    stack_t none = {.ss_flags = SS_DISABLE, .ss_size = 64 << 10}, old;
    if (sigaltstack(&none, &old) == 0 && !(old.ss_flags & SS_DISABLE)) free(old.ss_sp);
}

static const int numbers[] = {SIGILL, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGTRAP};
static const char *const names[] = {"SIGILL", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGTRAP"};
enum { SIGNALS = sizeof numbers / sizeof numbers[0] };

static struct {
    char *path, *begin, *end;
} plan;
static atomic_int has_crashed;

static struct {
    size_t count;
    char text[8192];
} note;

static void put(const char *text, size_t count) {
    if (count > sizeof note.text - note.count) count = sizeof note.text - note.count;
    memcpy(note.text + note.count, text, count);
    note.count += count;
}

static void say(const char *text) { put(text, strlen(text)); }

static void number(long long value, int width) {
    char digits[24];
    int at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || (int)sizeof digits - at < width);
    put(digits + at, sizeof digits - (size_t)at);
}

// 2026-11-26T13:32:27Z (the algorithm of CalendarDate.swift).
static void date(long long seconds) {
    long long days = seconds / 86400 + 719468, rest = seconds % 86400, era = days / 146097, day = days % 146097;
    long long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    long long shifted = (5 * day + 2) / 153, month = shifted < 10 ? shifted + 3 : shifted - 9;
    number(year + era * 400 + (month <= 2), 4), say("-");
    number(month, 2), say("-");
    number(day - (153 * shifted + 2) / 5 + 1, 2), say("T");
    number(rest / 3600, 2), say(":");
    number(rest / 60 % 60, 2), say(":");
    number(rest % 60, 2), say("Z");
}

// Whether a part of a path looks like a word of an API, and not like a number or a token.
static int is_word(const char *text, size_t count) {
    size_t digits = 0, capitals = 0;
    for (size_t index = 0; index < count; index++) {
        char c = text[index];
        if (c >= '0' && c <= '9') digits++;
        else if (c >= 'A' && c <= 'Z') capitals++;
        else if (!(c >= 'a' && c <= 'z') && c != '-' && c != '_' && c != '.') return 0;
    }
    return count <= 20 && digits <= 2 && capitals <= 3;
}

// The method and the path; parts of it that are no words are a star.
static void request(const char *text, size_t count) {
    say("  ");
    size_t at = 0;
    while (at < count && text[at] != ' ') at++;
    put(text, at < count ? at + 1 : at);
    for (at++; at < count;) {
        size_t end = at;
        while (end < count && text[end] != '/') end++;
        if (is_word(text + at, end - at)) put(text + at, end - at);
        else say("*");
        if (end < count) say("/");
        at = end + 1;
    }
    say("\n");
}

static void thread_requests(const struct requests *requests) {
    for (unsigned back = 1; back <= REQUESTS && back <= requests->count; back++) {
        unsigned place = (requests->count - back) % REQUESTS;
        request(requests->request[place].text, requests->request[place].length);
    }
}

static void last_requests(void) {
    say("\nThe last requests that it began to serve, the newest first, without queries; * is what may be a secret.\n");
    for (int own = 1; own >= 0; own--) {
        for (int index = 0; index < THREADS; index++) {
            struct requests *requests = atomic_load(&known[index]);
            if (!requests || requests->count == 0) continue;
            if ((pthread_equal(requests->thread, pthread_self()) != 0) != own) continue;
            say(own ? "On the thread that crashed:\n" : "On another thread:\n");
            thread_requests(requests);
        }
    }
}

static int open_note(void) { return open(plan.path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600); }

static void on_crash(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    if (atomic_exchange(&has_crashed, 1)) {
        // Another thread writes the note; this one must not end the process before.
        poll(NULL, 0, 2000);
    } else {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        say(plan.begin);
        for (int index = 0; index < SIGNALS; index++) {
            if (numbers[index] == signal_number) say(names[index]);
        }
        say(" at ");
        date(now.tv_sec);
        if (info->si_code <= 0 && info->si_pid != getpid()) say(", sent by another process");
        say(".\n");
        last_requests();
        say("\n");
        say(plan.end);
        int file = open_note();
        if (file < 0 && errno == EMFILE) {
            // The input is needed no more.
            close(0);
            file = open_note();
        }
        for (size_t sent = 0; file >= 0 && sent < note.count;) {
            ssize_t count = write(file, note.text + sent, note.count - sent);
            if (count <= 0) break;
            sent += (size_t)count;
        }
    }
    // The signal has its default action again: the process ends by it when this returns.
    raise(signal_number);
}

void shunt_crash_install(const char *path, const char *begin, const char *end) {
    plan.path = strdup(path);
    plan.begin = strdup(begin);
    plan.end = strdup(end);
    if (!plan.path || !plan.begin || !plan.end) return;
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < SIGNALS; index++) sigaction(numbers[index], &action, NULL);
}
