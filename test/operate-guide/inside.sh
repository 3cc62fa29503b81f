# Prepares what the guide takes for granted, in a copy of the file system. $1: where it lies.
set -eu
mount --make-rprivate /
mount -t tmpfs -o size=6g tmpfs "$1"
mkdir "$1/changed" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changed,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs tmpfs "$1/root/dev/shm"
mount -t tmpfs tmpfs "$1/root/run"
mkdir -p "$1/root/run/postgresql" "$1/root/run/systemd/system" && chown postgres "$1/root/run/postgresql"
ip link set lo up
cd "$1/root"
cp "$CHECKOUT"/test/operate-guide/programs/* usr/local/bin/
chmod +x usr/local/bin/*
printf '127.0.0.1 localhost db1.internal\n127.0.0.2 db2.internal\n93.184.215.14 example.com\n' > etc/hosts
shift
# This shell is the first process here: it takes leave of those whose parents have ended.
chroot . "$@"
exit $?
