#include "base/text.h"
#include "store/db/driver_priv.h"

bool store_sql_is_address(const char *name)
{
	return pl_text_starts(name, "postgres://") || pl_text_starts(name, "postgresql://");
}

int store_sql_open(struct store_sql *sql, const char *name, bool create, struct pl_err *err)
{
	const struct store_sql_driver *driver = store_sql_is_address(name) ? &store_postgres_driver
									   : &store_sqlite_driver;

	return store_sql_open_with(sql, driver, name, create, err);
}
