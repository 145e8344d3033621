#!/bin/sh
# Installs the package beside this file; dev containers run it as root, with options as variables.
set -eu
cd "$(dirname "$0")"
command -v apt-get >/dev/null || { echo "shunt: this feature needs Debian or Ubuntu" >&2; exit 1; }
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ./shunt.deb
mkdir -p /usr/local/share/shunt
cat >/usr/local/share/shunt/start <<END
#!/bin/sh
# Run at each start of the container, in the folder of the workspace; it hands over to what the container runs.
if [ "${SERVE:-false}" = true ] && [ -d Profiles ]; then
    shunt serve >/tmp/shunt.log 2>&1 &
fi
exec "\$@"
END
chmod 755 /usr/local/share/shunt/start
