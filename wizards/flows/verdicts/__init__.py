"""The verdict of each test, as a pure function of what was measured (``judging.judge``).

A verdict finds its rounds by the word of their step; what a sweep varies is ``Round.setting``:

sioc-shares   off, equal, weighted; also alone, bursts, streams. Roles critical and competing; input
threshold_ms host-shares   equal, weighted. Roles critical and competing iops-limit    unlimited,
limited. Workers of the role competing are limited; input limit drs-balance   hand CASE, drs CASE; CASE
as in studies/drs.toml, or own. Roles heavy and light; fact migrations io-sweep      depth N or block N,
reads N, working set N, workers N cache-pair    baseline, accelerated. Input reads (percent); fact
hit_percent vm-density    baseline N, accelerated N, of N workers. Input reads storage-ab    a,
b dedup-prep    depth N, one block N. Inputs dedupe, compress, disks; facts dedup_percent, dedup_ratio
"""
