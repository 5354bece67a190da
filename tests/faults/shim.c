// Calls of the C library that change files, made to fail: preloaded, it counts those on paths in one folder, and before
// or after the n-th it kills the process, or has it fail. Nothing happens until `faults_arm` was called.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

enum { WATCH, KILL_BEFORE, KILL_AFTER, KILL_MIDWAY, FAIL_ONCE, FAIL_ON, SHORT_WRITE };
enum { MOST_FILES = 4096 };

static char folder[4096];
static long place, count;
static int way = -1, error, record = -1;
static char open_files[MOST_FILES];  // by number: whether it is one in the folder

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/// `where` is a folder. At the n-th call `how` happens; `code` is what a call that fails says. What was called is
/// written to the open file `log`, unless that is negative.
void faults_arm(const char *where, long at, int how, int code, int log) {
  snprintf(folder, sizeof folder, "%s", where);
  place = at, count = 0, way = how, error = code, record = log;
}

void faults_disarm(void) { way = -1; }

long faults_count(void) { return count; }

static int is_inside(const char *path) {
  const size_t length = strlen(folder);
  return way >= 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int is_ours(int file) { return way >= 0 && file >= 0 && file < MOST_FILES && open_files[file]; }

/// Count a call, and say what is to happen to it.
static int met(const char *call, const char *what) {
  ++count;
  if (record >= 0) dprintf(record, "%s %s\n", call, what);
  if (way == FAIL_ON) return count >= place ? FAIL_ON : WATCH;
  if (count != place) return WATCH;
  if (way == KILL_BEFORE) kill(getpid(), SIGKILL);
  return way;
}

/// The same for a call with two paths.
static int met_both(const char *call, const char *path, const char *target) {
  char what[8400];
  snprintf(what, sizeof what, "%s\t%s", path, target);
  return met(call, what);
}

static int met_file(const char *call, int file, size_t n_bytes) {
  char what[64];
  snprintf(what, sizeof what, "%d %zu", file, n_bytes);
  return met(call, what);
}

static int fails(int fate) {
  if (fate != FAIL_ONCE && fate != FAIL_ON) return 0;
  errno = error;
  return 1;
}

static void end(int fate) {
  const int kept = errno;
  if (fate == KILL_AFTER || fate == KILL_MIDWAY) kill(getpid(), SIGKILL);
  errno = kept;
}

#define CALL(is_met, met, call) \
  if (!(is_met)) return call; \
  const int fate = met; \
  if (fails(fate)) return -1; \
  const int result = call; \
  end(fate); \
  return result;
#define ON_PATH(name, call) CALL(is_inside(path), met(name, path), call)
#define ON_PATHS(name, call) CALL(is_inside(path) || is_inside(target), met_both(name, path, target), call)
#define ON_FILE(name, call) CALL(is_ours(file), met_file(name, file, 0), call)

#define OPEN(name, parameters, call) \
  int name parameters { \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    const int ours = is_inside(path), fate = ours ? met("open", path) : WATCH; \
    if (fails(fate)) return -1; \
    const int file = call; \
    if (file >= 0 && file < MOST_FILES) open_files[file] = (char)ours; \
    if (ours && record >= 0) dprintf(record, "= %d\n", file); \
    end(fate); \
    return file; \
  }

OPEN(open, (const char *path, int flags, ...), REAL(open)(path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), REAL(open64)(path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), REAL(openat)(at, path, flags, mode))
OPEN(openat64, (int at, const char *path, int flags, ...), REAL(openat64)(at, path, flags, mode))

#define WRITE(name, parameters, call) \
  ssize_t name parameters { \
    if (!is_ours(file)) return call; \
    const int fate = met_file("write", file, size); \
    if (fails(fate)) return -1; \
    if ((fate == SHORT_WRITE || fate == KILL_MIDWAY) && size > 1) size /= 2; \
    const ssize_t result = call; \
    end(fate); \
    return result; \
  }

WRITE(write, (int file, const void *bytes, size_t size), REAL(write)(file, bytes, size))
WRITE(pwrite, (int file, const void *bytes, size_t size, off_t at), REAL(pwrite)(file, bytes, size, at))
WRITE(pwrite64, (int file, const void *bytes, size_t size, off64_t at), REAL(pwrite64)(file, bytes, size, at))

int fsync(int file) { ON_FILE("fsync", REAL(fsync)(file)) }

int fdatasync(int file) { ON_FILE("fsync", REAL(fdatasync)(file)) }

int ftruncate(int file, off_t size) { ON_FILE("ftruncate", REAL(ftruncate)(file, size)) }

int ftruncate64(int file, off64_t size) { ON_FILE("ftruncate", REAL(ftruncate64)(file, size)) }

int flock(int file, int operation) { ON_FILE("flock", REAL(flock)(file, operation)) }

/// A file is closed also if that is reported as an error.
int close(int file) {
  const int fate = is_ours(file) ? met_file("close", file, 0) : WATCH;
  if (file >= 0 && file < MOST_FILES) open_files[file] = 0;
  const int result = REAL(close)(file);
  end(fate);
  return fails(fate) ? -1 : result;
}

int chmod(const char *path, mode_t mode) { ON_PATH("chmod", REAL(chmod)(path, mode)) }

int fchmodat(int at, const char *path, mode_t mode, int flags) {
  ON_PATH("chmod", REAL(fchmodat)(at, path, mode, flags))
}

int unlink(const char *path) { ON_PATH("unlink", REAL(unlink)(path)) }

int unlinkat(int at, const char *path, int flags) { ON_PATH("unlink", REAL(unlinkat)(at, path, flags)) }

int rename(const char *path, const char *target) { ON_PATHS("rename", REAL(rename)(path, target)) }

int renameat(int at, const char *path, int there, const char *target) {
  ON_PATHS("rename", REAL(renameat)(at, path, there, target))
}

int link(const char *path, const char *target) { ON_PATHS("link", REAL(link)(path, target)) }

int linkat(int at, const char *path, int there, const char *target, int flags) {
  ON_PATHS("link", REAL(linkat)(at, path, there, target, flags))
}
