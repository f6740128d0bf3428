# iuid: make && make install && make installcheck, as for any PGXS extension.

EXTENSION = iuid
VERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(EXTENSION).control)

MODULE_big = iuid
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c))
DATA = $(wildcard src/iuid--*.sql)

# The server's headers count as the system's: their warnings are not ours.
PG_CPPFLAGS = -DIUID_EXTENSION_VERSION='"$(VERSION)"' \
	-isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -Wall -Wextra
SHLIB_LINK = -lsodium

# install comes first: it creates the extension that the others use.
REGRESS = install $(filter-out install,$(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql))))
TAP_TESTS = 1
PROVE_TESTS = $(wildcard test/t/*.pl)

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Calls within the library need no look-up.
ifeq ($(PORTNAME), linux)
SHLIB_LINK += -Wl,-Bsymbolic
endif
