/* Names of SSTables' files. See sstable_files.h. */
#include "collect/sstable_files.h"

#include <string.h>

#include "base/slice.h"

const char *const sstable_key_components[] = { "Summary.db", "Partitions.db", NULL };

const char *sstable_file_base(struct arena *a, const char *file)
{
	return arena_copy(a, (struct slice){ file, slice_rfind(slice_of(file), '-') + 1 });
}

bool sstable_file_has_keys(const char *file)
{
	bool named = strlen(file) > 3 && file[2] == '-';

	return named && (strncmp(file, "nc", 2) >= 0 || strstr(file, "-bti-"));
}
