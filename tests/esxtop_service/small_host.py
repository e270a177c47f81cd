"""A host small enough to read: few records with few fields, as its own CounterInfo says."""

from __future__ import annotations

COUNTER_INFO = """\
|Server|MinFetchIntervalInUsec,U64|TimeStampInUsec,U64|Time,S64|
|PCPU|NumOfLCPUs,U32|NumOfCores,U32|
|LCPU|LCPUID,U32|HaltTimeInUsec,U64|CoreHaltTimeInUsec,U64|ElapsedTimeInUsec,U64|
|Sched|NumOfSchedGroups,U32|
|SchedGroup|GroupID,U32|GroupName,STR|IsVM,B|VMName,STR|CPUAllocMax,S32|NumOfCPUClients,U32|
|CPUClient|CPUClientID,U32|NumOfVCPUs,U32|
|VCPU|VCPUID,U32|WorldName,STR|UpTimeInUsec,U64|RunTimeInUsec,U64|ReadyTimeInUsec,U64|CoStopTimeInUsec,U64|\
TotalWaitTimeInUsec,U64|
"""

REPLY = """\
==NUM-OF-OBJ==
|Server|PCPU,1|Sched,1|
|PCPU|LCPU,2|
|Sched|SchedGroup,2|
==COUNTER-VALUE==
|Server|2000000|40445292577250|1570529635|
|PCPU|2|1|
|LCPU|0|700|500|1000|
|LCPU|1|600|500|1000|
|Sched|2|
|SchedGroup|1|system|0|system|-1|1|
|CPUClient|65537|1|
|VCPU|65537|idle1|1000|900|100|0|0|
|SchedGroup|77|vm.100|1|web01|2000|2|
|CPUClient|100|1|
|VCPU|100|vmx|500|10|0|0|490|
|CPUClient|101|1|
|VCPU|103|vmx-vcpu-0:web01|500|100|50|25|325|
"""
