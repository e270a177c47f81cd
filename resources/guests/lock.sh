# The lock of a test run on this guest: a file that only one run can make. stdin: "read", "take" or "free"; for "take" its
# text. Prints "none", "held" and the text, "taken", or "free".

umask 022
file=/var/tmp/hyperscope.lock
IFS= read -r what || exit 2

tell() {
    echo held
    if [ -L "$file" ] || [ ! -f "$file" ]; then
        echo "something that no test made"
    else
        head -c 4096 "$file" | head -n 1
    fi
}

is_there() { [ -e "$file" ] || [ -L "$file" ]; }

case $what in
read) if is_there; then tell; else echo none; fi ;;
take)
    IFS= read -r text || exit 2
    # It must not be there for a moment without its text: a file that has it gets a second name, which fails if it is there.
    ( set -C && printf '%s\n' "$text" > "$file.$$" ) 2> /dev/null || exit 3
    if is_there; then # in a folder, the second name would be put
        tell
    elif ln "$file.$$" "$file" 2> /dev/null; then
        echo taken
    elif is_there; then
        tell
    elif ( set -C && printf '%s\n' "$text" > "$file" ) 2> /dev/null; then # a file system without second names
        echo taken
    else
        rm -f "$file.$$"
        exit 3
    fi
    rm -f "$file.$$"
    ;;
free) rm -f "$file" && echo free ;;
*) exit 2 ;;
esac
