# Stands in for the official image of PostgreSQL 18: the server of the embedded package, and what docker-compose.yml uses of that image.
FROM haltless-ci/debian
RUN groupadd --system --gid 999 postgres && useradd --system --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
  && install -d -o postgres -g postgres -m 3777 /var/run/postgresql && install -d -o postgres -g postgres /var/lib/postgresql
COPY native /usr/lib/postgresql/18
# packages of npm have no symbolic links
RUN ldconfig -n /usr/lib/postgresql/18/lib
COPY --chmod=755 postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
COPY --chmod=755 pg_isready.sh /usr/local/bin/pg_isready
ENV PATH=$PATH:/usr/lib/postgresql/18/bin LANG=C.UTF-8 PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
