/*
 * A main() for fuzz targets where the compiler has no fuzzer of its own: runs the target on every
 * file given as an argument, and on every file in a directory given as one.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 16 * 1024 * 1024 };

static size_t n_inputs;

static int replay_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(size ? size : 1);	/* exact, so that reading on is found */
	size_t n;

	if (!f || !data) {
		fprintf(stderr, "cannot read '%s'\n", path);
		free(data);
		return 1;
	}
	n = fread(data, 1, size, f);
	fclose(f);
	(void)LLVMFuzzerTestOneInput(data, n);
	free(data);
	n_inputs++;
	return 0;
}

static int replay(const char *path)
{
	struct stat st;
	struct dirent *e;
	int failed = 0;
	DIR *dir;

	if (stat(path, &st) != 0) {
		fprintf(stderr, "cannot find '%s'\n", path);
		return 1;
	}
	if (!S_ISDIR(st.st_mode))
		return st.st_size <= INPUT_MAX ? replay_file(path, (size_t)st.st_size) : 0;
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		char inner[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		failed |= replay(inner);
	}
	if (dir)
		closedir(dir);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	printf("%zu inputs\n", n_inputs);
	return failed || n_inputs == 0;
}
