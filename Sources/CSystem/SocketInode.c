#define _GNU_SOURCE
#include "CSystem.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int diag_socket(void) { return socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG); }

// A socket belongs to the namespace in which its thread was when it was made.
static int diag_socket_in(const char *space) {
    int kernel = -1;
    int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    int other = open(space, O_RDONLY | O_CLOEXEC);
    if (own >= 0 && other >= 0 && setns(other, CLONE_NEWNET) == 0) {
        kernel = diag_socket();
        // A thread that stayed there would make the sockets of its next jobs in the wrong network namespace.
        if (setns(own, CLONE_NEWNET) != 0) abort();
    }
    if (own >= 0) close(own);
    if (other >= 0) close(other);
    return kernel;
}

int shunt_socket_inode(
    const char *space, int family, const void *own, unsigned short own_port, const void *peer,
    unsigned short peer_port, unsigned int interface, unsigned int *inode, unsigned int *user) {
    struct { struct nlmsghdr head; struct inet_diag_req_v2 request; } question = {
        .head = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .request = {
            .sdiag_family = (unsigned char)family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0u,
            .id = {
                .idiag_sport = htons(own_port), .idiag_dport = htons(peer_port), .idiag_if = interface,
                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
            },
        },
    };
    size_t size = family == AF_INET ? 4 : 16;
    memcpy(question.request.id.idiag_src, own, size);
    memcpy(question.request.id.idiag_dst, peer, size);
    union { struct nlmsghdr head; char bytes[1024]; } answer;
    struct inet_diag_msg found;
    int kernel = space ? diag_socket_in(space) : diag_socket();
    if (kernel < 0) return -1;
    ssize_t count = send(kernel, &question, sizeof question, 0);
    if (count > 0) count = recv(kernel, &answer, sizeof answer, 0);
    close(kernel);
    if (count < (ssize_t)(NLMSG_HDRLEN + sizeof found) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return 0;
    memcpy(&found, NLMSG_DATA(&answer.head), sizeof found);
    *user = found.idiag_uid;
    *inode = found.idiag_inode;
    return found.idiag_inode != 0;
}
#endif
