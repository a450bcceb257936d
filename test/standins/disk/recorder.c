/*
 * Notes everything that a process writes to its database, and what it waits for, in the order in which it happens. Loaded
 * with LD_PRELOAD. DISK_FILES: the beginning of the names of the files; DISK_RECORD: where to note it.
 *
 * A record is four numbers of 64 bits, and the written bytes: kind, file, offset or the number of records that a sync
 * covers, length. Kinds: 1 open (the bytes are the name), 2 write, 3 sync, 4 truncate (the offset is the new size),
 * 5 remove (the bytes are the name).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { opened = 1, written = 2, synced = 3, truncated = 4, removed = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t count;
static int64_t files;
static int64_t file_of[4096];
static int record_file = -1;

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static int is_recorded(int fd) { return fd >= 0 && fd < 4096 && file_of[fd] != 0; }

/* The lock is held. */
static void note(int64_t kind, int64_t file, int64_t at, const void *bytes, int64_t length) {
  if (record_file < 0) {
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    record_file = real(getenv("DISK_RECORD"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  int64_t head[4] = {kind, file, at, length};
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (real(record_file, head, sizeof head) < 0) abort();
  if (length > 0 && real(record_file, bytes, length) < 0) abort();
  count += 1;
}

static int is_ours(const char *path) {
  const char *begin = getenv("DISK_FILES");
  if (!begin || !getenv("DISK_RECORD") || strncmp(path, begin, strlen(begin)) != 0) return 0;
  size_t length = strlen(path);
  /* Shared memory is mapped, not written, and is built again from the log. */
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

static int watch(const char *path, int fd) {
  if (fd < 0 || fd >= 4096 || !is_ours(path)) return fd;
  pthread_mutex_lock(&lock);
  file_of[fd] = ++files;
  note(opened, files, 0, path, (int64_t)strlen(path));
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(name)                                                        \
  int name(const char *path, int flags, ...) {                            \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    int mode = va_arg(rest, int);                                         \
    va_end(rest);                                                         \
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);        \
    return watch(path, real(path, flags, mode));                          \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (is_recorded(fd)) file_of[fd] = 0;
  return REAL(close, fd);
}

int unlink(const char *path) {
  if (is_ours(path)) {
    pthread_mutex_lock(&lock);
    note(removed, 0, 0, path, (int64_t)strlen(path));
    pthread_mutex_unlock(&lock);
  }
  return REAL(unlink, path);
}

#define PWRITE(name)                                                      \
  ssize_t name(int fd, const void *bytes, size_t length, off_t at) {      \
    ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, #name); \
    if (!is_recorded(fd)) return real(fd, bytes, length, at);             \
    pthread_mutex_lock(&lock);                                            \
    note(written, file_of[fd], at, bytes, (int64_t)length);               \
    ssize_t done = real(fd, bytes, length, at);                           \
    pthread_mutex_unlock(&lock);                                          \
    return done;                                                          \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name)                                                    \
  int name(int fd, off_t size) {                                          \
    int (*real)(int, off_t) = dlsym(RTLD_NEXT, #name);                    \
    if (!is_recorded(fd)) return real(fd, size);                          \
    pthread_mutex_lock(&lock);                                            \
    note(truncated, file_of[fd], size, 0, 0);                             \
    int done = real(fd, size);                                            \
    pthread_mutex_unlock(&lock);                                          \
    return done;                                                          \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

/* Covers what was written before it began; others may write while it waits. */
#define SYNC(name)                                                        \
  int name(int fd) {                                                      \
    int (*real)(int) = dlsym(RTLD_NEXT, #name);                           \
    if (!is_recorded(fd)) return real(fd);                                \
    pthread_mutex_lock(&lock);                                            \
    int64_t before = count;                                               \
    pthread_mutex_unlock(&lock);                                          \
    int done = real(fd);                                                  \
    pthread_mutex_lock(&lock);                                            \
    if (done == 0) note(synced, file_of[fd], before, 0, 0);               \
    pthread_mutex_unlock(&lock);                                          \
    return done;                                                          \
  }
SYNC(fsync)
SYNC(fdatasync)
