import sys
import timeit
import uuid

import iuid

ways = {"make(7, 1)": lambda: iuid.make(7, 1), "uuid.uuid4()": uuid.uuid4}
if hasattr(uuid, "uuid7"):
    ways["uuid.uuid7()"] = uuid.uuid7
for way, call in ways.items():
    count = int(sys.argv[1])
    print(way, timeit.timeit(call, number=count) / count * 1e9, sep="\t")
