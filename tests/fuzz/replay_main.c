/*
 * Feeds every file of a corpus folder to a fuzz target, so that what a fuzzer once found is tried
 * again on every test run, with any compiler.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return -1;
	size_t size = 0, room = 1 << 20;
	uint8_t *data = malloc(room);
	size = fread(data, 1, room, file);
	fclose(file);
	/* an exact-size copy, so that a read past the end is seen by the sanitizer */
	uint8_t *exact = malloc(size > 0 ? size : 1);
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	size_t count = 0;
	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		if (dir == NULL) {
			fprintf(stderr, "replay: no corpus folder '%s'\n", argv[i]);
			return 1;
		}
		struct dirent *entry;
		while ((entry = readdir(dir)) != NULL) {
			if (entry->d_name[0] == '.')
				continue;
			char path[4096];
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			if (replay_file(path) == 0)
				count++;
		}
		closedir(dir);
	}
	printf("%zu inputs replayed\n", count);
	return count > 0 ? 0 : 1;
}
