# The official image of PostgreSQL with iuid in it: docker build --build-arg PG_MAJOR=18 -t postgres-iuid .
#
# Not run as it stands: no container engine was at hand.  Its RUN lines ran in a chroot of Debian 12.

ARG PG_MAJOR=18

FROM postgres:${PG_MAJOR} AS build
RUN apt-get update \
	&& apt-get install -y --no-install-recommends gcc libc6-dev libpq-dev libsodium-dev make "postgresql-server-dev-$PG_MAJOR"
COPY . /build
RUN make -C /build with_llvm=no PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" \
	&& make -C /build with_llvm=no PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" DESTDIR=/installed install

FROM postgres:${PG_MAJOR}
RUN apt-get update \
	&& apt-get install -y --no-install-recommends libpq5 libsodium23 \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /installed /
