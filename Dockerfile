# The official image of PostgreSQL with iuid in it: docker build --build-arg PG_MAJOR=18 -t postgres-iuid .
#
# Not run as an image, for lack of a container engine: ./dev images runs its RUN lines in chroots of Debian.

ARG PG_MAJOR=18

FROM postgres:${PG_MAJOR}-trixie AS build
RUN apt-get update \
	&& apt-get install -y --no-install-recommends gcc libc6-dev libpq-dev libsodium-dev make "postgresql-server-dev-$PG_MAJOR" \
	&& rm -rf /var/lib/apt/lists/*
COPY . /build
RUN make -C /build with_llvm=no PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" \
	&& make -C /build with_llvm=no PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" DESTDIR=/installed install

FROM postgres:${PG_MAJOR}-trixie
RUN apt-get update \
	&& apt-get install -y --no-install-recommends libpq5 libsodium23 \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /installed /
