#include "base/hub.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

char *pl_hub_expand(const char *path, pl_hub_env *env, const void *user)
{
	const char *home = env(user, "HOME");

	if (home == NULL || (strcmp(path, "~") != 0 && !pl_text_starts(path, "~/")))
		return pl_strdup(path);
	return pl_asprintf("%s%s", home, path + 1);
}

char *pl_hub_folder(pl_hub_env *env, const void *user)
{
	const char *hub = env(user, "HF_HUB_CACHE");
	const char *older = env(user, "HUGGINGFACE_HUB_CACHE");
	const char *hf_home = env(user, "HF_HOME");
	const char *xdg = env(user, "XDG_CACHE_HOME");
	auto_free char *plain = NULL;

	if (hub != NULL || older != NULL)
		return pl_hub_expand(hub != NULL ? hub : older, env, user);
	if (hf_home != NULL)
		plain = pl_asprintf("%s/hub", hf_home);
	else if (xdg != NULL)
		plain = pl_asprintf("%s/huggingface/hub", xdg);
	else
		plain = pl_strdup("~/.cache/huggingface/hub");
	return pl_hub_expand(plain, env, user);
}

bool pl_hub_is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_./";
	const char *slash = strchr(text, '/');

	return text[0] != '\0' && text[0] != '/' && text[0] != '.' &&
	       text[strspn(text, letters)] == '\0' && strstr(text, "..") == NULL &&
	       strlen(text) <= 200 &&
	       (slash == NULL || (slash[1] != '\0' && strchr(slash + 1, '/') == NULL));
}

char *pl_hub_repository(const char *folder, const char *kind, const char *name)
{
	auto_buf plain = PL_BUF(1024);

	for (const char *at = name; *at != '\0'; at++) {
		if (*at == '/')
			pl_buf_add_text(&plain, "--");
		else
			pl_buf_add_char(&plain, *at);
	}
	return pl_asprintf("%s/%s--%s", folder, kind, pl_buf_text(&plain));
}
