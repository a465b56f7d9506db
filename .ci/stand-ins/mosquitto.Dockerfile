# Stands in for the official image of Mosquitto: Debian's package, with the user, the folders and the volumes of that image.
FROM haltless-ci/debian
RUN groupadd --system --gid 1883 mosquitto && useradd --system --uid 1883 --gid mosquitto --home-dir /var/empty mosquitto \
  && apt-get update && apt-get install -y --no-install-recommends mosquitto && rm -rf /var/lib/apt/lists/* \
  && install -d -o mosquitto -g mosquitto /mosquitto /mosquitto/config /mosquitto/data /mosquitto/log
VOLUME ["/mosquitto/data", "/mosquitto/log"]
EXPOSE 1883
CMD ["/usr/sbin/mosquitto", "-c", "/mosquitto/config/mosquitto.conf"]
