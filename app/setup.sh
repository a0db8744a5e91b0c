# Sourced by app/run and tests/run: sets `root`, installs what is missing, builds. POSIX sh.
#   setup_packages  installs the Debian packages below that are not there yet (through sudo when not root)
#   build TARGET..  configures the preset `release` once and builds the targets with Ninja

PACKAGES="g++ cmake ninja-build
qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev
libeigen3-dev zlib1g-dev nlohmann-json3-dev libcli11-dev
fonts-inter fonts-dejavu-core ca-certificates"

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

setup_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        say "This is not Debian or Ubuntu, so nothing is installed. Needed:" $PACKAGES
        return 0
    fi
    missing=
    for package in $PACKAGES; do
        is_installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0

    say "Installing from your distribution:$missing"
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "Not root, and there is no sudo. Run as root: apt-get install$missing"
        as_root=sudo
    fi
    log=$(mktemp)
    $as_root apt-get update -qq >"$log" 2>&1 </dev/null || say "apt-get update failed; trying with the lists that are there."
    wanted=
    for package in $missing; do # newer releases have folded some of the packages into others
        if apt-cache show "$package" >/dev/null 2>&1; then wanted="$wanted $package"; else say "(there is no $package here: skipped)"; fi
    done
    if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted \
        >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        fail "apt-get failed (the lines above are its last; all of them are in $log)."
    fi
    rm -f "$log"
}

# Quiet while nothing is wrong: the log is shown only when a step fails.
quietly() {
    log="$root/build/$1.log"
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        fail "That failed (the whole output is in $log)."
    fi
}

build() {
    mkdir -p "$root/build"
    cd "$root" || exit 1
    if [ ! -f build/release/build.ninja ]; then
        say "Configuring"
        quietly configure cmake --preset release ${CI:+-DAPPA_WERROR=ON}
    fi
    if [ -t 2 ]; then
        ninja -C build/release "$@" >&2 || fail "The build failed (see above)."
    else
        say "Building (a few minutes the first time)"
        quietly build ninja -C build/release "$@"
    fi
    cd "$started_in" || exit 1
}

started_in=$(pwd)
