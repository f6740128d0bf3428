# iuid: make && make install && make installcheck, as for any PGXS extension.
#
# This folder has the extensions iuid and iuid_gist; regions/ has iuid_regions, which is made with them.

EXTENSION = iuid iuid_gist
MODULE_big = iuid
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c src/*/*.c))
INCLUDE = src
SHLIB_LINK = -lsodium

iuid_PARTS = $(addprefix src/,iuid.sql \
	type/origins.sql type/io.sql valid.sql type/fields.sql \
	making/generate.sql making/derive.sql hiding/hide.sql \
	type/planner.sql type/estimate.sql type/bounds.sql \
	type/compare.sql type/origin_order.sql type/sort.sql type/in_range.sql type/operator_classes.sql type/skip_support.sql \
	run_as_owner.sql partitioned.sql name.sql lock.sql call.sql partitions/attach.sql partitions/bounds.sql \
	partitions/step.sql partitions/plan.sql partitions/lock.sql partitions/create.sql partitions/remove.sql \
	partitions/change.sql partitions/maintain.sql partitions/country.sql partitions/list.sql partitions/check.sql)
iuid_gist_PARTS = src/iuid_gist.sql

# install comes first: it creates the extension that the others use.
REGRESS = install $(filter-out install,$(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql))))
# make installcheck TAP_TESTS=1 runs these, too.  They need IPC::Run, and a user who is not root.
PROVE_TESTS = $(wildcard test/t/*.pl)

top = .
include extension.mk

src/module.o: iuid.control

install: install-pages
uninstall: uninstall-pages

# make with_regions=no needs no libpq.
ifneq ($(with_regions),no)
all: all-regions
install: install-regions
uninstall: uninstall-regions
clean: clean-regions
# Tests that are named, with REGRESS=name, are those of this folder.
ifneq ($(origin REGRESS),command line)
installcheck: installcheck-regions
endif
endif

install-regions: all-regions
%-regions:
	$(MAKE) -C regions $* TAP_TESTS=

# The pages, and what they link to, stand below one folder as they stand here, so that the links lead somewhere.  DOCS
# would put all of them beside those of other extensions, where README.md is the last one's.
pages = $(DESTDIR)$(docdir)/iuid
page_files = $(wildcard *.md LICENSE META.json tools/*.md tools/iuid/move/*.md test/bench/*.md test/bench/contention/*.md \
	test/drivers/*.tsv) doc examples clients tools/moving_in.sql tools/desk/README.md tools/desk/desk.png test/bench/floor.c

install-pages:
	$(MKDIR_P) '$(pages)'
	tar -cf - $(page_files) | tar -C '$(pages)' -xof -

uninstall-pages:
	rm -rf '$(pages)'

# What PGXN takes: the files of the last commit, whose version there has three parts.
dist: distribution = iuid-$(EXTVERSION).0
dist:
	git archive --format=zip --prefix=$(distribution)/ --output=$(distribution).zip HEAD

.PHONY: install-pages uninstall-pages dist
