# iuid: make && make install && make installcheck, as for any PGXS extension.

EXTENSION = iuid iuid_regions iuid_gist
MODULE_big = iuid
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c src/*/*.c))

# The one place of the version is the control file.
version_of = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(1).control)
EXTVERSION := $(call version_of,iuid)
ifeq ($(EXTVERSION),)
$(error run make in the folder of the Makefile)
endif
ifneq ($(sort $(foreach extension,$(EXTENSION),$(call version_of,$(extension)))),$(EXTVERSION))
$(error the control files differ in default_version)
endif

# The scripts, each of its parts in this order: what is used comes first.
iuid_PARTS = iuid.sql \
	type/origins.sql type/io.sql type/fields.sql \
	making/generate.sql making/derive.sql hiding/hide.sql \
	type/planner.sql type/estimate.sql type/bounds.sql \
	type/compare.sql type/origin_order.sql type/sort.sql type/in_range.sql type/operator_classes.sql type/skip_support.sql \
	run_as_owner.sql partitioned.sql lock.sql partitions/attach.sql partitions/bounds.sql \
	partitions/step.sql partitions/plan.sql partitions/lock.sql partitions/create.sql partitions/remove.sql partitions/call.sql \
	partitions/change.sql partitions/maintain.sql partitions/country.sql partitions/list.sql partitions/check.sql

iuid_regions_PARTS = iuid_regions.sql \
	registry/registry.sql registry/route_node.sql registry/lookup.sql registry/iso.sql \
	regions/countries.sql regions/view.sql regions/country_view.sql regions/change.sql regions/country_partitions.sql \
	regions/global_table.sql regions/global_view.sql regions/drop_global.sql \
	regions/run_on_nodes.sql regions/row_type.sql regions/select_on_nodes.sql regions/find.sql \
	regions/check_servers.sql regions/check_global.sql regions/check_table.sql regions/check_view.sql regions/check_nodes.sql regions/check_regions.sql

iuid_gist_PARTS = iuid_gist.sql

DATA_built = $(EXTENSION:=--$(EXTVERSION).sql)

PG_CONFIG = pg_config
PG_MAJOR := $(shell $(PG_CONFIG) --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')

# The server's headers count as the system's: their warnings are not ours.
PG_CPPFLAGS = -I$(srcdir)/src -DIUID_EXTENSION_VERSION='"$(EXTVERSION)"' \
	-isystem $(shell $(PG_CONFIG) --includedir-server) -isystem $(shell $(PG_CONFIG) --includedir)
PG_CFLAGS = -Wall -Wextra
# New compilers take C23 by default, which the headers of PostgreSQL 15 are not.
ifeq ($(PG_MAJOR),15)
PG_CFLAGS += -std=gnu17
endif
SHLIB_LINK = $(libpq) -lsodium

# install comes first: it creates the extensions that the others use.
REGRESS = install $(filter-out install,$(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql))))
# Whatever encoding and locale the server's databases have.
ENCODING = UTF8
NO_LOCALE = 1
# make installcheck TAP_TESTS=1 runs these, too.  They need IPC::Run, and a user who is not root.
PROVE_TESTS = $(wildcard test/t/*.pl)

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Without sequential scans every plan looks expensive, and the server would compile it, which takes longer
# than to run it.
installcheck: export PGOPTIONS += -c jit=off

# The pages stand below one folder as they stand here, so that their links lead somewhere.  DOCS would
# put all of them beside those of other extensions, where README.md is the last one's.
pages = $(DESTDIR)$(docdir)/iuid

install: install-pages
install-pages:
	$(MKDIR_P) '$(pages)/doc/plots'
	$(INSTALL_DATA) $(wildcard *.md) '$(pages)/'
	$(INSTALL_DATA) $(wildcard doc/*.md) '$(pages)/doc/'
	$(INSTALL_DATA) $(wildcard doc/plots/*) '$(pages)/doc/plots/'

uninstall: uninstall-pages
uninstall-pages:
	rm -rf '$(pages)'

# What PGXN takes: the files of the last commit, whose version there has three parts.
dist: distribution = iuid-$(EXTVERSION).0
dist:
	git archive --format=zip --prefix=$(distribution)/ --output=$(distribution).zip HEAD

.PHONY: install-pages uninstall-pages dist

.SECONDEXPANSION:
$(DATA_built): %--$(EXTVERSION).sql: $$(addprefix src/,$$($$*_PARTS)) Makefile
	cat $(filter %.sql,$^) >$@
