# What the libraries of both extensions are built with.

PG_CONFIG = pg_config

# The one place of the version is the control file of iuid.
version_of = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(1))
EXTVERSION := $(call version_of,$(top)/iuid.control)
ifeq ($(EXTVERSION),)
$(error run make in the folder of the Makefile)
endif
ifneq ($(sort $(foreach extension,$(EXTENSION),$(call version_of,$(extension).control))),$(EXTVERSION))
$(error the control files differ in default_version)
endif

# The server's headers count as the system's: their warnings are not ours.
PG_CPPFLAGS = $(addprefix -I,$(INCLUDE)) -DIUID_EXTENSION_VERSION='"$(EXTVERSION)"' \
	-isystem $(shell $(PG_CONFIG) --includedir-server) -isystem $(shell $(PG_CONFIG) --includedir)
# New compilers take C23 by default, which the headers of PostgreSQL 15 are not.
PG_CFLAGS = -Wall -Wextra $(if $(filter 15,$(MAJORVERSION)),-std=gnu17)

DATA_built = $(EXTENSION:=--$(EXTVERSION).sql)

# Whatever encoding and locale the server's databases have.
ENCODING = UTF8
NO_LOCALE = 1

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Without sequential scans every plan looks expensive, and the server would compile it, which takes longer
# than to run it.
installcheck: export PGOPTIONS += -c jit=off

# The scripts, each of its parts in the order of NAME_PARTS: what is used comes first.
.SECONDEXPANSION:
$(DATA_built): %--$(EXTVERSION).sql: $$($$*_PARTS) Makefile
	cat $(filter %.sql,$^) >$@
