# Begins a file "job" that VMware Tools start with sh: after this text come a script, its stdin, and nothing else.
# Their sizes in bytes stand in the file "sizes". What the script prints goes to "result", which appears when it has
# ended: a line with its exit code and the size of its output, the output, what it said to stderr.

umask 077
mkdir begun || exit 0
read -r script stdin < sizes || exit 2
tail -c "$((script + stdin))" job | head -c "$script" > script
tail -c "$stdin" job > stdin
sh ./script < stdin > out 2> err
echo "$? $(($(wc -c < out)))" > result.new
cat out err >> result.new
mv -f result.new result
exit 0
