/* Which source reads what --from names. See source.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deadline.h"
#include "collect/archive.h"
#include "collect/files.h"
#include "collect/source.h"

enum { HEAD_BYTES = 512 };

static size_t read_head(int fd, char *head)
{
	size_t n = 0;

	while (n < HEAD_BYTES) {
		ssize_t got = read(fd, head + n, HEAD_BYTES - n);

		if (got < 0 && errno == EINTR && !deadline_passed())
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n;
}

const struct source_ops *source_for(const char *where)
{
	bool loose = files_is_loose(where), is_archive = false;
	int fd = open(where, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char head[HEAD_BYTES];
	struct stat st;

	if (fd < 0)
		return &source_files;	/* standard input, or it says why */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		is_archive = archive_is_likely((struct slice){ head, read_head(fd, head) });
	close(fd);
	if (is_archive)
		return &source_archive;
	return loose ? &source_files : &source_bundle;
}
