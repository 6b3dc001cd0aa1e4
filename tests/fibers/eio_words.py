#!/usr/bin/env python3
"""Print the events of Eio in `log --json` as "ns domain words", one a line.  usage: eio_words.py LOG"""
import json
import sys

CONTEXTS = {3: "switch", 4: "protect", 5: "sub", 6: "root", 7: "any"}
OBJECTS = {15: "promise", 16: "semaphore", 18: "stream", 19: "mutex"}


def words(name, kind, value, data):
    number, text = int.from_bytes(data[:8], "little"), data.decode("utf-8", "replace")
    rest = data[8:].decode("utf-8", "replace")
    return {
        "create_fiber": lambda: f"create fiber {number} in CC {int.from_bytes(data[8:], 'little')}",
        "create_cc": lambda: f"create {CONTEXTS[data[8]]} CC {number}",
        "create_obj": lambda: f"create {OBJECTS[data[8]]} {number}",
        "name": lambda: f'{number} is named "{rest}"',
        "fiber": lambda: f"fiber {value} is now running",
        "suspend_fiber": lambda: f"fiber suspended: {text}",
        "try_get": lambda: f"waiting to get from {value}",
        "get": lambda: f"get from {value}",
        "put": lambda: f"put {value}",
        "exit_fiber": lambda: f"fiber {value} finishes",
        "exit_cc": lambda: "CC finishes",
        "error": lambda: f'{number} fails: "{rest}"',
        "enter_span": lambda: f'enter span "{text}"',
        "exit_span": lambda: "exit span",
        "log": lambda: f'log "{text}"',
        "suspend_domain": lambda: "domain suspend" if kind == "span_begin" else "domain resume",
        "domain_spawn": lambda: f"domain spawned by fiber {value}",
    }[name]()


found = 0
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    if event["type"] == "user" and event["name"].startswith("eio."):
        found += 1
        data = bytes.fromhex(event.get("data", ""))
        print(event["ts"], event["domain"], words(event["name"][4:], event["kind"], event.get("value"), data))
sys.exit(0 if found > 0 else 1)
