/*
 * Compares the operations on codes of one width with loops over the rows. kernels.c includes this
 * file with WIDTH as u8, u16 and u32, and CODE as its type.
 */
#define PASTE_(name, width) name##_##width
#define PASTE(name, width)  PASTE_(name, width)
#define TEXT_(name)         #name
#define TEXT(name)          TEXT_(name)
#define OF(name)            PASTE(name, WIDTH)
#define NAME_OF(name)       TEXT(OF(name))

static const size_t OF(distinct)[] = { PASTE(DISTINCT, WIDTH) };

static CODE *OF(codes)(enum spread spread, size_t rows, size_t distinct)
{
	CODE *codes = exactly(rows, sizeof(*codes));
	size_t code = 0;

	for (size_t row = 0; row < rows; row++) {
		code = some_code(spread, distinct, code);
		codes[row] = (CODE)code;
	}
	return codes;
}

/* ---- match ----------------------------------------------------------------------------------- */

static void OF(check_match)(const CODE *codes, size_t rows, const uint8_t *wanted, size_t distinct)
{
	auto_free uint64_t *meant = no_rows(rows);

	for (size_t row = 0; row < rows; row++)
		put(meant, row, wanted[codes[row]]);
	EACH_SET(set)
	{
		auto_free uint64_t *found = answer(rows);
		set->OF(match)(codes, rows, wanted, distinct, found);
		check_rows(set, NAME_OF(match), found, meant, rows);
	}
}

static void OF(check_wanted)(const CODE *codes, size_t rows, size_t distinct, size_t first)
{
	size_t step = rows > MANY_ROWS ? 4 : 1;

	for (size_t i = first % step; i < PL_ARRAY_SIZE(wanted_counts); i += step) {
		auto_free uint8_t *wanted = some_wanted(distinct, wanted_counts[i], true);
		auto_free uint8_t *others = some_wanted(distinct, wanted_counts[i], false);
		OF(check_match)(codes, rows, wanted, distinct);
		OF(check_match)(codes, rows, others, distinct);
	}
}

static void OF(test_mirror_kernels__codes_are_matched)(void **state)
{
	size_t turn = 0;

	(void)state;
	EACH_LENGTH(rows)
	{
		for (size_t i = 0; i < PL_ARRAY_SIZE(OF(distinct)); i++, turn++) {
			enum spread spread = (enum spread)(turn % SPREADS);
			auto_free CODE *codes = OF(codes)(spread, rows, OF(distinct)[i]);
			OF(check_wanted)(codes, rows, OF(distinct)[i], turn);
		}
	}
}

/* ---- tally ----------------------------------------------------------------------------------- */

static void OF(check_tally)(const CODE *codes, size_t rows, const uint64_t *mask, size_t distinct)
{
	auto_free uint32_t *meant = some_counts(distinct);
	size_t listed = 0;

	for (size_t row = 0; row < rows; row++) {
		meant[codes[row]] += has(mask, row);
		listed += has(mask, row);
	}
	auto_free uint16_t *list = exactly(listed, sizeof(*list));
	for (size_t row = 0, i = 0; row < rows; row++) {
		if (has(mask, row))
			list[i++] = (uint16_t)row;
	}
	EACH_SET(set)
	{
		auto_free uint32_t *tallied = some_counts(distinct);
		auto_free uint32_t *gathered = some_counts(distinct);
		set->OF(tally)(codes, rows, mask, tallied, distinct);
		check_counts(set, NAME_OF(tally), rows, tallied, meant, distinct);
		set->OF(gather)(codes, list, listed, gathered);
		check_counts(set, NAME_OF(gather), rows, gathered, meant, distinct);
	}
}

/* Codes of the rows of one bitmap, counted where another one has them, too. */
static void OF(check_listed)(enum spread spread, size_t rows, const uint64_t *coded,
			     const uint64_t *mask, size_t distinct)
{
	auto_free uint32_t *meant = some_counts(distinct);
	size_t count = 0, listed = 0;

	for (size_t row = 0; row < rows; row++)
		count += has(coded, row);
	auto_free uint16_t *list = exactly(count, sizeof(*list));
	auto_free CODE *codes = OF(codes)(spread, count, distinct);
	for (size_t row = 0; row < rows; row++) {
		if (has(coded, row)) {
			list[listed] = (uint16_t)row;
			meant[codes[listed++]] += has(mask, row);
		}
	}
	EACH_SET(set)
	{
		auto_free uint32_t *found = some_counts(distinct);
		set->OF(tally_listed)(codes, list, count, mask, found);
		check_counts(set, NAME_OF(tally_listed), rows, found, meant, distinct);
	}
}

static void OF(test_mirror_kernels__codes_are_counted)(void **state)
{
	size_t turn = 0;

	(void)state;
	EACH_LENGTH(rows)
	{
		for (int shape = 0; shape < SHAPES; shape++, turn++) {
			auto_free uint64_t *mask = some_rows((enum shape)shape, rows);
			size_t step = rows > MANY_ROWS ? 3 : 1;
			for (size_t i = turn % step; i < PL_ARRAY_SIZE(OF(distinct)); i += step) {
				enum spread spread = (enum spread)((i + turn) % SPREADS);
				size_t distinct = OF(distinct)[i];
				auto_free CODE *codes = OF(codes)(spread, rows, distinct);
				auto_free uint64_t *coded = some_rows((enum shape)(i % SHAPES),
								      rows);
				OF(check_tally)(codes, rows, mask, distinct);
				OF(check_listed)(spread, rows, coded, mask, distinct);
			}
		}
	}
}

#undef PASTE_
#undef PASTE
#undef TEXT_
#undef TEXT
#undef OF
#undef NAME_OF
#undef WIDTH
#undef CODE
