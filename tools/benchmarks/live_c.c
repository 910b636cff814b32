/* A plain sender and receiver in C, to measure ours against.
 *
 * live_c near|far stream|echo FOLDER WARMUP COUNT CONNECTIONS LENGTH BUFFER
 *
 * The far process listens at FOLDER/socket, the near one connects; messages of LENGTH bytes go
 * over CONNECTIONS Unix sockets in turn, in one thread, blocking: one way, or there and back.
 * After WARMUP messages both measure COUNT of them and print wall and processor time, and of
 * round trips two percentiles, as tools/benchmarks/contenders.py does.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64
#define TRIES 5000 /* of 2 ms each */

static void fail(const char *what) {
    fprintf(stderr, "live_c: %s: %s\n", what, strerror(errno));
    exit(1);
}

static long long clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int open_socket(int buffer) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    return fd;
}

static void accept_all(struct sockaddr_un *address, int *fds, int count, int buffer) {
    int listener = open_socket(buffer);
    if (bind(listener, (struct sockaddr *)address, sizeof *address) || listen(listener, count))
        fail(address->sun_path);
    for (int i = 0; i < count; i++) {
        if ((fds[i] = accept(listener, NULL, NULL)) < 0)
            fail("accept");
        setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    }
}

static void connect_all(struct sockaddr_un *address, int *fds, int count, int buffer) {
    for (int i = 0; i < count; i++) {
        int tries = 0;
        fds[i] = open_socket(buffer);
        while (connect(fds[i], (struct sockaddr *)address, sizeof *address)) {
            if (++tries == TRIES)
                fail(address->sun_path);
            usleep(2000);
        }
    }
}

static void move_message(int receives, int fd, char *data, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t moved = receives ? read(fd, data + done, length - done)
                                 : write(fd, data + done, length - done);
        if (moved > 0)
            done += moved;
        else if (moved == 0 || errno != EINTR)
            fail("the other end went away");
    }
}

static int compare(const void *one, const void *other) {
    long long a = *(const long long *)one, b = *(const long long *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc != 9) {
        fprintf(stderr, "see the comment at the beginning of the source\n");
        return 2;
    }
    int far = strcmp(argv[1], "far") == 0, echo = strcmp(argv[2], "echo") == 0;
    long warmup = atol(argv[4]), count = atol(argv[5]);
    int connections = atoi(argv[6]), buffer = atoi(argv[8]);
    size_t length = strtoul(argv[7], NULL, 10);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", argv[3]);
    int fds[CONNECTIONS_MAX];
    char *data = calloc(1, length);
    long long *trips_ns = calloc(count, sizeof *trips_ns);
    if (!data || !trips_ns || connections > CONNECTIONS_MAX)
        fail("too much");
    (far ? accept_all : connect_all)(&address, fds, connections, buffer);

    long long wall_ns = 0, cpu_ns = 0;
    for (long i = 0; i < warmup + count; i++) {
        if (i == warmup) {
            wall_ns = -clock_ns(CLOCK_MONOTONIC);
            cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        }
        long long sent_ns = echo ? clock_ns(CLOCK_MONOTONIC) : 0;
        move_message(far, fds[i % connections], data, length);
        if (echo) {
            move_message(!far, fds[i % connections], data, length);
            if (i >= warmup)
                trips_ns[i - warmup] = clock_ns(CLOCK_MONOTONIC) - sent_ns;
        }
    }
    wall_ns += clock_ns(CLOCK_MONOTONIC);
    cpu_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    printf("{\"wall_ns\": %lld, \"cpu_ns\": %lld", wall_ns, cpu_ns);
    if (echo) {
        qsort(trips_ns, count, sizeof *trips_ns, compare);
        printf(", \"p50_ns\": %lld, \"p99_ns\": %lld", trips_ns[count / 2],
               trips_ns[count * 99 / 100]);
    }
    printf("}\n");
    return 0;
}
