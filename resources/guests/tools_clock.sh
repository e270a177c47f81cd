# Prints when each file on stdin was made, in nanoseconds since 1970 (seconds, where `date` knows no more), and removes it.

while IFS= read -r file; do
    date -r "$file" +%s%N
    rm -f -- "$file"
done
