# iuid: make && make install && make installcheck, as for any PGXS extension.

EXTENSION = iuid iuid_regions
MODULE_big = iuid
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c src/*/*.c))

# The one place of the version is the control file.
version_of = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(1).control)
EXTVERSION := $(call version_of,iuid)
ifeq ($(EXTVERSION),)
$(error run make in the folder of the Makefile)
endif
ifneq ($(call version_of,iuid_regions),$(EXTVERSION))
$(error iuid.control and iuid_regions.control differ in default_version)
endif

# The scripts, each of its parts in this order: what is used comes first.
iuid_PARTS = iuid.sql \
	type/io.sql type/fields.sql \
	making/generate.sql making/derive.sql \
	type/planner.sql type/bounds.sql \
	type/compare.sql type/country_order.sql type/sort.sql type/operator_classes.sql \
	partitions/partition.sql partitions/partition_state.sql

iuid_regions_PARTS = iuid_regions.sql \
	registry/registry.sql registry/registry_trigger.sql registry/route_node.sql \
	registry/lookup.sql registry/generate_registered.sql registry/iso.sql \
	regions/country_view.sql regions/country_partitions.sql \
	regions/global_table.sql regions/global_view.sql regions/drop_global.sql \
	regions/run_on_nodes.sql regions/check_regions.sql

DATA_built = $(EXTENSION:=--$(EXTVERSION).sql)

# The server's headers count as the system's: their warnings are not ours.
PG_CPPFLAGS = -I$(srcdir)/src -DIUID_EXTENSION_VERSION='"$(EXTVERSION)"' \
	-isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -Wall -Wextra
SHLIB_LINK = -lsodium

# install comes first: it creates the extensions that the others use.
REGRESS = install $(filter-out install,$(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql))))
# Whatever encoding and locale the server's databases have.
ENCODING = UTF8
NO_LOCALE = 1
# make installcheck TAP_TESTS=1 runs these, too.  They need IPC::Run, and a user who is not root.
PROVE_TESTS = $(wildcard test/t/*.pl)

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

.SECONDEXPANSION:
$(DATA_built): %--$(EXTVERSION).sql: $$(addprefix src/,$$($$*_PARTS)) Makefile
	cat $(filter %.sql,$^) >$@
