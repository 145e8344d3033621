#include <sys/resource.h>
#include "CSystem.h"
#include "Spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__GLIBC__)
#include <malloc.h>
#endif

int shunt_spawn_attributes(posix_spawnattr_t *attributes, short flags, const int *usual, size_t count) {
    int error = posix_spawnattr_init(attributes);
    if (error != 0) return error;
    sigset_t none, signals;
    sigemptyset(&none);
    sigemptyset(&signals);
    for (size_t at = 0; at < count; at++) sigaddset(&signals, usual[at]);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &signals);
    posix_spawnattr_setflags(attributes, (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    return 0;
}

extern char **environ;

// Between fork and exec: nothing but async-signal-safe calls. Returns where the program cannot be started.
static void lead_group(char *const words[], char *const environment[], int guarding) {
    setpgid(0, 0);
    int32_t own = getpid();
    // Before the program begins, so that nothing of it is left, whenever the caller is killed.
    while (guarding >= 0 && write(guarding, &own, sizeof own) < 0 && errno == EINTR) {}
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action;
        if (sigaction(signal, NULL, &action) != 0) continue;
        if (action.sa_handler == SIG_IGN && signal != SIGPIPE) continue;
        action.sa_handler = SIG_DFL;
        action.sa_flags = 0;
        sigaction(signal, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    environ = (char **)environment;
    execvp(words[0], words);
}

int shunt_spawn_group(pid_t *pid, char *const words[], char *const environment[], int guarding) {
    int ends[2];
    if (pipe(ends) != 0) return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    sigset_t all, before;
    sigfillset(&all);
    // No handler of this process runs in the other one.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        lead_group(words, environment, guarding);
        int32_t failed = errno;
        _exit(write(ends[1], &failed, sizeof failed) < 0 ? 126 : 127);
    }
    int error = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (child > 0) {
        int32_t failed;
        ssize_t count;
        do count = read(ends[0], &failed, sizeof failed);
        while (count < 0 && errno == EINTR);
        if (count == sizeof failed) {
            error = failed;
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        }
    }
    close(ends[0]);
    *pid = child;
    return error;
}

int shunt_system(const char *command) { return system(command); }
FILE *shunt_popen(const char *command, const char *mode) { return popen(command, mode); }
int shunt_pclose(FILE *stream) { return pclose(stream); }

void shunt_leave_caller(int first) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
#if defined(__linux__)
    if (syscall(436 /* close_range */, first, ~0U, 0) == 0) return;
#endif
    for (int descriptor = first; descriptor < 1024; descriptor++) close(descriptor);
}

// Between fork and exec: nothing but async-signal-safe calls.
static void guard(int input, const char *folder) {
    dup2(input, 0);
    // A reader of the command's output would wait for this process, too.
    shunt_leave_caller(1);
    int32_t group = 0, told;
    for (;;) {
        ssize_t count = read(0, &told, sizeof told);
        if (count < 0 && errno == EINTR) continue;
        if (count != sizeof told) break;
        if (told < 0) _exit(0);
        group = told;
    }
    if (group > 1) kill(-group, SIGKILL);
    execl("/bin/rm", "rm", "-rf", "--", folder, (char *)0);
    _exit(0);
}

int shunt_start_guard(const char *folder, pid_t *pid) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    *pid = fork();
    if (*pid == 0) {
        guard(ends[0], folder);
    }
    int error = errno;
    close(ends[0]);
    if (*pid > 0) return ends[1];
    close(ends[1]);
    errno = error;
    return -1;
}

#ifndef SHUNT_COMMIT
#define SHUNT_COMMIT ""
#endif

const char *shunt_commit(void) { return SHUNT_COMMIT; }

char **shunt_environment(void) { return environ; }

void shunt_disable_core_dumps(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
    // Also keeps dumps from programs that the kernel pipes them to.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void shunt_release_free_memory(void) {
#if defined(__APPLE__)
    malloc_zone_pressure_relief(NULL, 0);
#elif defined(__GLIBC__)
    malloc_trim(0);
#endif
}

void shunt_adopt_orphans(void) {
#if defined(__linux__)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}
