/*
 * Names that earlier versions wrote or accepted, and their present names. They are translated where they come in, before
 * the document is checked, and never written.
 *
 *   FORMER_KEY(place, former, name)        a key
 *   FORMER_VALUE(place, key, former, name) a value of the key `key`, by its present name
 *     place  TOP: of the document; RUN: of each object of its list `runs`
 * Undefined macros are skipped; a file that defines a macro undefines it after the include.
 */
#ifndef FORMER_KEY
#define FORMER_KEY(place, former, name)
#define NO_FORMER_KEY
#endif
#ifndef FORMER_VALUE
#define FORMER_VALUE(place, key, former, name)
#define NO_FORMER_VALUE
#endif

/* requests to the dashboard: members of the body and of the query string */
FORMER_KEY(TOP, "on_known", "on_conflict")
FORMER_KEY(TOP, "colour", "color")
FORMER_KEY(TOP, "colour_choices", "color_choices")
FORMER_KEY(TOP, "near", "neighbors")
FORMER_VALUE(TOP, "form", "near", "neighbors")

/* summary.json and sweep.jsonl of a sweep, and plans in the database */
FORMER_KEY(TOP, "left_out", "redacted")
FORMER_KEY(RUN, "cell", "combination")
FORMER_KEY(RUN, "point", "parameters")
FORMER_KEY(RUN, "gone", "removed")
FORMER_VALUE(RUN, "status", "falls_out", "skipped")
FORMER_VALUE(RUN, "status", "not_sent", "not_uploaded")

/* the head of a plan in the database */
FORMER_KEY(TOP, "falls_out", "skipped")
FORMER_KEY(TOP, "gone", "removed")

#ifdef NO_FORMER_KEY
#undef FORMER_KEY
#undef NO_FORMER_KEY
#endif
#ifdef NO_FORMER_VALUE
#undef FORMER_VALUE
#undef NO_FORMER_VALUE
#endif
