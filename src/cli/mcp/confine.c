#include "cli/mcp/confine.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* access rights of Landlock's first version; later ones are added if the kernel knows them */
#define READ_FOLDER (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define READ_FILE   (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)
#define FIRST_RIGHTS                                                                \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | READ_FOLDER | \
	 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |           \
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |               \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |               \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |             \
	 LANDLOCK_ACCESS_FS_MAKE_SYM)
#define ABI_REFER    2
#define REFER_RIGHT  (1ULL << 13)
#define ABI_TRUNCATE 3
#define TRUNCATE     (1ULL << 14)

/* a sanitizer reads the maps and the threads of its process, for tests only */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PROCESS_FOLDER "/proc"
#else
#define PROCESS_FOLDER "/proc/sys"
#endif

static const char *const folders[] = {
	"/usr",         "/lib",         "/lib64",   "/bin",
	"/opt",         "/etc/ssl",     "/etc/pki", "/etc/ca-certificates",
	PROCESS_FOLDER, "/proc/driver", "/sys"
};
static const char *const files_read[] = {
	"/etc/ld.so.cache",   "/etc/ld.so.preload", "/etc/resolv.conf", "/etc/hosts",
	"/etc/nsswitch.conf", "/etc/host.conf",     "/etc/gai.conf",    "/etc/localtime",
	"/etc/services",      "/proc/cpuinfo",      "/proc/meminfo",    "/proc/stat",
	"/proc/uptime"
};

static int abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool cli_mcp_confine_works(void)
{
	return abi() > 0;
}

/* Ignores a path that does not exist. */
static void allow(int rules, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rights &= READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
	struct landlock_path_beneath_attr rule = { .allowed_access = rights, .parent_fd = fd };
	(void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

/* Models that are on this host: vLLM and ProfLLM look for them there. */
static void allow_cache(int rules)
{
	static const char *const names[] = { "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME" };
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const char *cache = getenv(names[i]);
		if (cache != NULL)
			allow(rules, cache, READ_FOLDER);
	}
	if (home != NULL &&
	    snprintf(path, sizeof(path), "%s/.cache/huggingface", home) < (int)sizeof(path))
		allow(rules, path, READ_FOLDER);
}

void cli_mcp_confine(const char *folder, const char *const *files)
{
	int version = abi();
	struct landlock_ruleset_attr attr = { .handled_access_fs = FIRST_RIGHTS };
	char self[PATH_MAX];

	if (version <= 0)
		return;
	if (version >= ABI_REFER)
		attr.handled_access_fs |= REFER_RIGHT;
	if (version >= ABI_TRUNCATE)
		attr.handled_access_fs |= TRUNCATE;
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs),
				 0);
	if (rules < 0)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(folders); i++)
		allow(rules, folders[i], READ_FOLDER | LANDLOCK_ACCESS_FS_EXECUTE);
	for (size_t i = 0; i < PL_ARRAY_SIZE(files_read); i++)
		allow(rules, files_read[i], LANDLOCK_ACCESS_FS_READ_FILE);
	allow(rules, "/dev", READ_FOLDER | LANDLOCK_ACCESS_FS_WRITE_FILE);
	allow(rules, folder, READ_FOLDER);
	for (size_t i = 0; files[i] != NULL; i++)
		allow(rules, files[i], READ_FILE);
	allow_cache(rules);
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		allow(rules, self, READ_FILE);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}
