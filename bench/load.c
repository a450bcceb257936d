/*
 * A load generator that costs little: it shares the machine with the server it measures.
 *
 * load <port> <connections> <requests> <rate>   sends the request on its standard input again and again. Each run of
 *   eight # in it becomes a number that was not used before. Rate 0: each connection sends its next request as soon as
 *   the last was answered. Otherwise so many a second are due, and time counts from when each was due.
 * load sink <port>   connects, and reads whatever comes for as long as it comes.
 *
 * Prints one line of JSON: seconds, failed, p50 and p99 in milliseconds.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define LARGEST 65536

struct line {
  int fd;
  int busy;
  double due;
  size_t have;
  char answer[LARGEST];
};

static char request[LARGEST], filled[LARGEST];
static size_t size;
static unsigned long number, sent, answered, failed, requests;
static double *times;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int dial(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) die("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

static void sink(int port) {
  static char bytes[1 << 20];
  int fd = dial(port);
  while (read(fd, bytes, sizeof bytes) > 0) continue;
}

static void send_next(struct line *line, double due) {
  memcpy(filled, request, size);
  for (char *at = filled; (at = memmem(at, filled + size - at, "########", 8)); at += 8) {
    char digits[9];
    /* All over the place, as people's numbers are, and each once. */
    snprintf(digits, sizeof digits, "%08lu", 10000000 + (++number * 7919771) % 89999971);
    memcpy(at, digits, 8);
  }
  line->due = due;
  line->busy = 1;
  line->have = 0;
  sent++;
  if (write(line->fd, filled, size) != (ssize_t)size) die("write");
}

/* True once the whole answer is there. */
static int is_whole(struct line *line) {
  char *head = memmem(line->answer, line->have, "\r\n\r\n", 4);
  if (!head) return 0;
  line->answer[line->have < LARGEST ? line->have : LARGEST - 1] = 0;
  char *length = strcasestr(line->answer, "content-length:");
  size_t body = length && length < head ? strtoul(length + 15, NULL, 10) : 0;
  return line->have >= (size_t)(head + 4 - line->answer) + body;
}

static void hear(struct line *line) {
  ssize_t got = read(line->fd, line->answer + line->have, LARGEST - 1 - line->have);
  if (got <= 0) die("read");
  line->have += got;
  if (!is_whole(line)) return;
  if (memcmp(line->answer + 9, "20", 2) != 0) {
    if (failed++ == 0) fprintf(stderr, "%.*s\n", (int)line->have, line->answer);
  }
  times[answered++] = now() - line->due;
  line->busy = 0;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int count, char **given) {
  if (count == 3 && strcmp(given[1], "sink") == 0) {
    sink(atoi(given[2]));
    return 0;
  }
  if (count != 5) return 2;
  int port = atoi(given[1]), connections = atoi(given[2]);
  double rate = atof(given[4]);
  requests = strtoul(given[3], NULL, 10);
  size = fread(request, 1, sizeof request, stdin);
  times = calloc(requests, sizeof *times);
  /* Numbers of one run must not be those of the run before. */
  number = (unsigned long)(now() * 1e6);
  struct line *lines = calloc(connections, sizeof *lines);
  int poll = epoll_create1(0), clock = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  for (int n = 0; n < connections; n++) {
    lines[n].fd = dial(port);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &lines[n]};
    epoll_ctl(poll, EPOLL_CTL_ADD, lines[n].fd, &event);
  }
  if (rate > 0) {
    struct itimerspec beat = {{0, 500000}, {0, 500000}};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    timerfd_settime(clock, 0, &beat, NULL);
    epoll_ctl(poll, EPOLL_CTL_ADD, clock, &event);
  }
  double started = now();
  if (rate == 0)
    for (int n = 0; n < connections && sent < requests; n++) send_next(&lines[n], now());
  int turn = 0;
  while (answered < requests) {
    struct epoll_event events[256];
    int ready = epoll_wait(poll, events, 256, 10000);
    if (ready == 0) {
      fprintf(stderr, "nothing came for ten seconds\n");
      return 1;
    }
    for (int n = 0; n < ready; n++) {
      struct line *line = events[n].data.ptr;
      unsigned long beats;
      if (!line) {
        if (read(clock, &beats, sizeof beats) < 0 && errno != EAGAIN) die("timer");
        continue;
      }
      hear(line);
      if (rate == 0 && !line->busy && sent < requests) send_next(line, now());
    }
    /* Whatever is due and finds a free connection; what finds none is late, and counted as late. */
    for (int tries = 0; rate > 0 && sent < requests && tries < connections; tries++) {
      double due = started + sent / rate;
      if (due > now()) break;
      struct line *line = &lines[turn++ % connections];
      if (line->busy) continue;
      send_next(line, due);
      tries = -1;
    }
  }
  double seconds = now() - started;
  qsort(times, answered, sizeof *times, compare);
  printf("{\"seconds\":%.6f,\"failed\":%lu,\"p50\":%.4f,\"p99\":%.4f}\n", seconds, failed,
         times[answered / 2] * 1e3, times[answered * 99 / 100] * 1e3);
  return 0;
}
