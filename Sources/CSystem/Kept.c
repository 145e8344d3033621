#include "CSystem.h"
#include "Spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Milliseconds between SIGTERM and SIGKILL, and after that until a process which does not even end then is left.
enum { grace = 3000, patience = 2000, step = 10 };

// Between fork and exec, as all functions here: nothing but async-signal-safe calls.
static void note(int signal) { (void)signal; }

// Takes the children that have ended; false where there are no more.
static int reap(pid_t child, int32_t *status, int *has_ended) {
    for (;;) {
        int found;
        pid_t gone = waitpid(-1, &found, WNOHANG);
        if (gone == 0) return 1;
        if (gone < 0 && errno == EINTR) continue;
        if (gone < 0) return 0;
        if (gone != child) continue;
        *status = found;
        *has_ended = 1;
    }
}

// Signals processes that have left the group, and became children of this one when their parents ended.
static void signal_strays(pid_t group, int signal, pid_t *known, size_t *count, size_t room) {
#if defined(__linux__)
    int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) return;
    char text[4096];
    ssize_t length = read(list, text, sizeof text);
    close(list);
    pid_t pid = 0;
    for (ssize_t at = 0; at < length; at++) {
        if (text[at] >= '0' && text[at] <= '9') {
            pid = pid * 10 + (text[at] - '0');
            continue;
        }
        if (pid > 1 && getpgid(pid) != group) {
            size_t place = 0;
            while (place < *count && known[place] != pid) place++;
            int is_new = place == *count;
            if (is_new && *count < room) known[(*count)++] = pid;
            if (is_new || signal == SIGKILL) kill(pid, signal);
        }
        pid = 0;
    }
#else
    (void)group, (void)signal, (void)known, (void)count, (void)room;
#endif
}

// A program may have to do something when it ends: SIGTERM comes first.
static void end(pid_t child, int32_t *status, int *has_ended) {
    pid_t known[256];
    size_t count = 0;
    for (int waited = 0; waited <= grace + patience; waited += step) {
        int has_children = reap(child, status, has_ended);
        if (!has_children && kill(-child, 0) != 0) return;
        int signal = waited < grace ? SIGTERM : SIGKILL;
        if (waited == 0 || signal == SIGKILL) kill(-child, signal);
        signal_strays(child, signal, known, &count, sizeof known / sizeof *known);
        struct timespec pause = {0, step * 1000000L};
        nanosleep(&pause, NULL);
    }
}

static void keep(
    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, char *const words[], char *const environment[],
    int control, int told, int output) {
    dup2(control, 0);
    dup2(told, 1);
    dup2(output, 2);
    shunt_leave_caller(3);
#if defined(__linux__)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
    struct sigaction action = {0};
    action.sa_handler = note;
    sigaction(SIGCHLD, &action, NULL);
    pid_t child = 0;
    int32_t begin[2] = {posix_spawn(&child, words[0], actions, attributes, words, environment), 0};
    begin[1] = child;
    // Its reader is to see the end of what the program writes.
    close(2);
    if (write(1, begin, sizeof begin) != sizeof begin || begin[0] != 0) _exit(0);
    sigset_t others;
    sigfillset(&others);
    sigdelset(&others, SIGCHLD);
    int32_t status = 0;
    int has_ended = 0;
    while (reap(child, &status, &has_ended) && !has_ended) {
        fd_set input;
        FD_ZERO(&input);
        FD_SET(0, &input);
        if (pselect(1, &input, NULL, NULL, NULL, &others) > 0) break;
    }
    end(child, &status, &has_ended);
    if (write(1, &status, sizeof status) < 0) _exit(1);
    _exit(0);
}

int shunt_start_kept(
    pid_t *keeper, char *const words[], char *const environment[], int control, int told, int output) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    const int usual[] = {SIGPIPE, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
    int error = shunt_spawn_attributes(&attributes, POSIX_SPAWN_SETPGROUP, usual, sizeof usual / sizeof *usual);
    if (error != 0) return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        posix_spawnattr_destroy(&attributes);
        return error;
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
    pid_t pid = fork();
    if (pid == 0) keep(&actions, &attributes, words, environment, control, told, output);
    error = pid < 0 ? errno : 0;
    *keeper = pid;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}
