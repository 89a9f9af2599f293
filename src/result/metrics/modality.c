#include "result/metrics/modality.h"

#include <stdlib.h>

#include "base/mem.h"
#include "result/metrics/part.h"

enum modality { TEXT, IMAGE, VIDEO, AUDIO, MIXED, MODALITIES };

static const char *const names[MODALITIES] = { "text", "image", "video", "audio", "mixed" };

/* Each request has one: those with several kinds of media are mixed. */
static enum modality modality_of(const struct res_record *record)
{
	int kinds = (record->images > 0) + (record->videos > 0) + (record->audio_s > 0);

	if (kinds != 1)
		return kinds == 0 ? TEXT : MIXED;
	return record->images > 0 ? IMAGE : record->videos > 0 ? VIDEO : AUDIO;
}

static json_t *modality_json(enum modality modality, const struct res_outcome *part,
			     const struct res_how *how, bool has_cached)
{
	json_t *json = json_pack("{s:s}", "modality", names[modality]);
	int64_t images = 0, videos = 0;
	double audio_s = 0;

	for (size_t i = 0; i < part->count; i++) {
		const struct res_record *record = &part->records[i];
		if (!record->ok)
			continue;
		images += record->images;
		videos += record->videos;
		audio_s += record->audio_s;
	}
	json_object_set_new(json, "images", json_integer((json_int_t)images));
	json_object_set_new(json, "videos", json_integer((json_int_t)videos));
	json_object_set_new(json, "audio_s", pl_json_number(audio_s));
	res_part_add(part, how, has_cached, json);
	return json;
}

void res_modality_write(const struct res_outcome *outcome, const struct res_how *how,
			json_t *results)
{
	auto_free struct res_record *chosen = pl_alloc_array(outcome->count, sizeof(*chosen));
	bool some = false;

	for (size_t i = 0; i < outcome->count && !some; i++)
		some = modality_of(&outcome->records[i]) != TEXT;
	if (!some)
		return;
	bool has_cached = res_part_has_cached(outcome->records, outcome->count);
	json_t *list = json_array();
	for (int modality = 0; modality < MODALITIES; modality++) {
		struct res_outcome part = { .records = chosen };
		for (size_t i = 0; i < outcome->count; i++) {
			if ((int)modality_of(&outcome->records[i]) == modality)
				chosen[part.count++] = outcome->records[i];
		}
		if (part.count > 0)
			json_array_append_new(list, modality_json((enum modality)modality, &part,
								  how, has_cached));
	}
	json_object_set_new(results, "by_modality", list);
}
