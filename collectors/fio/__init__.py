"""What fio measured: its JSON output and logs, read into histograms and series.

fio writes JSON with latency histograms (``--output-format=json+``) and text logs of intervals
(``write_iops_log`` and others). Both are untrusted text: numbers are checked, foreign fields ignored.
"""
