#!/usr/bin/env python3
"""Compare the fibers of `stats --json` with what follows from `log --json` by the definitions, in the simplest way.

usage: fibers_oracle.py RTEVTOP FILE [...]

Percentiles may differ by one percent, as those of the program may; everything else must be equal.
"""
import json
import subprocess
import sys

CONTEXTS = {3: "switch", 4: "protect", 5: "sub", 6: "root", 7: "any"}
OWN = {"eio_linux", "run_worker", "iter", "filter_map", "all", "both", "pair"}  # names that Eio gives its own contexts
OBJECTS = {15: "promise", 16: "semaphore", 18: "stream", 19: "mutex"}


def number(data):
    return int.from_bytes(data, "little")


def text(data):
    return data.decode("utf-8", "surrogateescape")


def shown(words):
    """A text as JSON of the program has it: each invalid byte as one replacement character."""
    return None if words is None else "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in words)


def events_of(rtevtop, path):
    """The events of each domain in ring order; a loss is one of type lost."""
    domains = {}
    # Of a ring that has lost something, the status is 1.
    for line in subprocess.run([rtevtop, "log", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines():
        event = json.loads(line)
        domains.setdefault(event["domain"], []).append(event)
    return domains


WAIT = "domain_condition_wait"


def pauses_of(events):
    """The pauses of the collector on a domain: begins and ends of spans with no other around them, but for what the backup
    thread does while none of the domain's threads is seen to run.  From a begin of a wait on the stack has a WAIT for that, up to
    an event that shows one: any but a stw_handler in it with what is inside.  Waits themselves are no spans: several threads
    have theirs at once."""
    pauses, stack, waits, alone, handled = [], [], 0, True, False
    for e in events:
        kind, phase = e["type"], e.get("phase")
        if kind in ("lost", "corrupt"):
            stack, waits = [], 0
            continue
        if e.get("event") in ("domain_spawn", "ring_start"):
            waits, alone = 0, True
        idle = next((i for i, s in enumerate(stack) if s[0] == WAIT), None)
        if kind in ("begin", "end") and phase == WAIT:
            if kind == "begin":
                alone = alone and waits == 0
                waits, handled = waits + 1, handled and idle is not None
                stack += [(WAIT, e["ts"])] if idle is None else []
            else:
                waits = max(waits - 1, 0)
                stack = stack[:idle]
            continue
        if idle is not None and idle == len(stack) - 1 and phase != "stw_handler":
            # Of a domain with one thread the backup thread also leads, after a handler.
            if not (alone and handled and kind == "begin" and phase in ("major", "stw_leader")):
                alone = False
                stack.pop()
        if kind == "begin":
            stack.append((phase, e["ts"]))
        elif kind == "end":
            at = max((i for i, s in enumerate(stack) if s[0] == phase), default=None)
            if at is None:
                continue
            if at == 0:
                pauses.append((stack[0][1], e["ts"]))
            stack = stack[:at]
            handled = handled or bool(stack) and stack[-1][0] == WAIT
    return pauses


def marked(e):
    """The end of a domain, whose ring another one may get, a loss, and a pause of events, as events among those of Eio."""
    if e["type"] == "lifecycle" and e["event"] == "domain_terminate":
        return {"ts": e["ts"], "name": "eio.ended"}
    return dict(e, name="eio.lost") if e["type"] in ("lost", "corrupt", "paused") else None


class Oracle:
    def __init__(self, domains):
        self.parents, self.names, self.kinds, self.contexts = {}, {}, {}, set()
        self.made_in, self.inside, self.spans = {}, {}, {}
        self.homes, self.lost, self.missed = {}, False, False
        self.created, self.finished, self.runs, self.errors = [], [], [], []
        self.cancelled, self.timeouts, self.reasons = 0, 0, {}
        self.named, self.ended, self.blocked, self.waits = set(), set(), {}, []
        self.turns, self.shares = {}, {}
        self.end = max(e["ts"] for events in domains.values() for e in events if "ts" in e)
        self.pauses = {d: pauses_of(events) for d, events in domains.items()}
        self.domains = domains
        for domain in sorted(domains):
            self.read(domain, [marked(e) or e for e in self.stamped(domain) if marked(e) or e["type"] == "user" and e["name"].startswith("eio.")])

    def stamped(self, domain):
        """The events of a domain, losses with the stamps of the events around them."""
        events, before = [], None
        for i, e in enumerate(self.domains[domain]):
            if e["type"] in ("lost", "corrupt"):
                # How long it lasted is not told: up to the next event of Eio.
                after = next((x["ts"] for x in self.domains[domain][i + 1:] if x.get("name", "").startswith("eio.")), self.end)
                if before is None:  # what was overwritten before: fibers that it names may be alive
                    self.lost = self.lost or e["type"] == "lost"
                    continue
                self.lost = self.missed = True
                e = dict(e, ts=before, to=after)
            elif e["type"] == "lifecycle" and e["event"] == "ring_resume" and before is not None:
                self.missed = True
                e = {"type": "paused", "ts": before, "to": e["ts"]}
            before = e.get("to", e["ts"])
            events.append(e)
        return events

    def forget(self, domain):
        """What fibers of a domain do after a loss is not known until events tell it."""
        for fiber, home in self.homes.items():
            if home == domain:
                self.blocked.pop(fiber, None)
                self.inside.pop(fiber, None)  # in which context it is, and so its group
                self.spans.pop(fiber, None)

    def read(self, domain, events):
        running, turn, turns, reason = None, None, [], None
        asks, op = False, None  # whether it is known that each turn asks the system; of the last suspension
        for at, e in enumerate(events):
            ts, name = e["ts"], e["name"][4:]
            data = bytes.fromhex(e.get("data", ""))
            if name not in ("error", "exit_cc", "exit_span", "log", "get", "put", "lost", "ended"):
                reason = None  # the exception that is on its way out of a context
            if name in ("suspend_fiber", "fiber", "create_fiber", "create_cc", "exit_cc", "exit_fiber", "lost", "ended"):
                op = text(data[:248]) if name == "suspend_fiber" and running is not None else None
            if name == "suspend_domain" and e["kind"] == "span_begin":
                asks = asks or op == ""  # a fiber has yielded: one on io_uring would run it
                running = op = None
                if turn is not None and asks:
                    turns.append(ts - turn)
                turn = None
            elif name == "suspend_domain":
                running, turn = None, ts
            elif name == "lost":
                running = turn = None
                self.forget(domain)
            elif name == "ended":
                running = turn = None
            elif name == "fiber":
                running = e["value"]
                self.homes[running] = domain
                self.named.add(running)
                asks = asks or self.rooted(self.inside.get(running))
                if running in self.blocked:
                    since = self.blocked.pop(running)[0]
                    self.waits.append((running, ts - since, since, self.inside.get(running)))
                self.run(domain, events, at, running)
            elif name == "create_fiber":
                self.created.append(number(data[:8]))
                self.named.add(number(data[:8]))
                self.homes[number(data[:8])] = domain
                self.made_in[number(data[:8])] = self.inside[number(data[:8])] = number(data[8:])
            elif name == "create_cc":
                cc = number(data[:8])
                self.contexts.add(cc)
                self.parents[cc] = "none" if data[8] == 6 else self.inside.get(running)
                if running is not None:
                    self.inside[running] = cc
            elif name == "exit_cc" and running is not None:
                if self.inside.get(running) is not None:
                    reason = self.reasons.get(self.inside[running])
                parent = self.parents.get(self.inside.get(running))
                self.inside[running] = None if parent == "none" else parent
            elif name == "create_obj":
                self.kinds[number(data[:8])] = OBJECTS[data[8]]
            elif name == "name":
                self.names[number(data[:8])] = text(data[8:256])
            elif name == "exit_fiber":
                if e["value"] in self.blocked:
                    since = self.blocked.pop(e["value"])[0]
                    self.waits.append((e["value"], ts - since, since, self.inside.get(e["value"])))
                self.finished.append(e["value"])
                self.named.add(e["value"])
                self.ended.add(e["value"])
            elif name == "error":
                self.fail(ts, number(data[:8]), text(data[8:]), reason)
                reason = text(data[8:])
        if any(e["name"] != "eio.lost" and e["name"] != "eio.ended" for e in events):
            self.shares[domain] = self.share(domain, events)
            self.turns[domain] = sorted(turns) if asks else None

    def fail(self, ts, context, why, reason):
        """A context is cancelled: one failure, however many contexts around and below it follow."""
        if context in self.contexts:
            self.reasons.setdefault(context, why)
        if why == reason or why == "Stdlib.Exit":
            return
        if why == "Eio__Time.Timeout" or "Not_first" in why or why.startswith("Cancelled: "):
            self.cancelled += 1
            self.timeouts += why == "Eio__Time.Timeout"
        else:
            self.errors.append((ts, context, why.encode("utf-8", "surrogateescape")[:1016].decode("utf-8", "surrogateescape")))

    def share(self, domain, events):
        """The part of the time of a loop in which it does not wait."""
        seen, busy, state, since = 0, 0, None, None
        end = self.end
        if any(x["type"] == "lifecycle" and x["event"] == "ring_stop" for x in self.domains[domain]):
            end = max(x["ts"] for x in self.domains[domain] if "ts" in x)
        for e in events + [{"ts": end, "name": "eio.end"}]:
            name = e["name"][4:]
            if state == "after a loss" and name not in ("lost", "ended", "end"):
                state = "idle" if e.get("kind") == "span_end" else "busy"  # a loop that waits writes nothing until it is back
            if state in ("idle", "busy"):
                seen += e["ts"] - since
                busy += e["ts"] - since if state == "busy" else 0
            since = e["ts"]
            if name == "suspend_domain":
                state = "idle" if e["kind"] == "span_begin" else "busy"
            elif name == "ended":
                state = None
            elif name == "lost" and state is not None:
                state, since = "after a loss", e["to"]
        return busy / seen if seen > 0 else None

    def run(self, domain, events, at, fiber):
        """The run that begins at an eio.fiber; its spans are followed here, in the order of events."""
        begin, end, want, suspended = events[at]["ts"], None, None, None
        opened, covered = [begin] * len(self.spans.get(fiber, [])), {}

        def cover(depth, name, until):
            until = until if end is None else min(until, end)
            covered[depth, name] = covered.get((depth, name), 0) + max(0, until - opened[depth])
        context = self.inside.get(fiber)
        own = 0
        for e in events[at + 1:]:
            name, data = e["name"][4:], bytes.fromhex(e.get("data", ""))
            if name == "fiber" or (name == "suspend_domain" and e["kind"] == "span_begin"):
                break
            if name == "lost":
                return
            if name == "ended":
                if end is None:
                    return
                break
            if name == "suspend_fiber":
                end, suspended, own = e["ts"], text(data[:248]), 0
            elif name == "exit_fiber" and e["value"] == fiber:
                end, suspended = e["ts"], None
            elif name in ("create_fiber", "create_cc", "exit_cc") and suspended is not None:
                end, suspended = None, None
            elif name == "try_get":
                want = e["value"]
            elif name == "get" and e["value"] == want:
                want = None
            elif name == "enter_span":
                if end is None:
                    self.spans.setdefault(fiber, []).append(text(data[:248]))
                    opened.append(e["ts"])
                else:
                    own += 1
            elif name == "exit_span":
                if end is not None and own > 0:
                    own -= 1
                elif self.spans.get(fiber):
                    name = self.spans[fiber].pop()
                    cover(len(self.spans[fiber]), name, e["ts"])
                    opened.pop()
        else:
            e = None
        if e is None:  # the ring ends inside it: only what has ended is a run, but it may be blocked
            return
        if suspended is not None:
            self.blocked[fiber] = (end, suspended, want)
        end = e["ts"] if end is None else end
        for depth, name in enumerate(self.spans.get(fiber, [])):
            cover(depth, name, end)
        spans = [(2 * ns >= end - begin and depth + 1, ns, name) for (depth, name), ns in covered.items()]
        half = [s for s in spans if s[0]]
        span = max(half or spans, key=lambda s: (s[0], s[1]))[2] if spans else None
        collector = sum(max(0, min(end, b) - max(begin, a)) for a, b in self.pauses[domain])
        self.runs.append((end - begin, begin, fiber, domain, context, span, collector))

    def rooted(self, context):
        while context in self.contexts:
            context = self.parents[context]
        return context == "none"

    def path(self, context):
        names = []
        while context != "none":
            if context is None or context not in self.contexts:
                return "/".join(["?"] + names[::-1]) if names else None
            if context in self.names and self.names[context] not in OWN:
                names.append(self.names[context])
            context = self.parents[context]
        return "/".join(reversed(names))

    def groups(self):
        groups = {}

        def of(context):
            return groups.setdefault(shown(self.path(context)), [0, 0, 0, 0, 0, 0])
        for fiber in self.created:
            of(self.made_in.get(fiber))[0] += 1
        for fiber in self.finished:
            of(self.made_in.get(fiber))[1] += 1
        for length, _, _, _, context, *_ in self.runs:
            group = of(context)
            group[2] += 1
            group[3] += length
            group[4] = max(group[4], length)
        for _, waited, _, context in self.waits:
            of(context)[5] += waited
        for fiber, (since, *_) in self.blocked.items():
            if fiber not in self.ended:
                of(self.inside.get(fiber))[5] += self.end - since
        return groups


def near(a, b, part):
    return a == b or (a is not None and b is not None and abs(a - b) <= part * max(abs(a), abs(b)) + 1e-12)


def check(rtevtop, path):
    want = Oracle(events_of(rtevtop, path))
    got = json.loads(subprocess.run([rtevtop, "stats", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)["fibers"]
    faults = []

    def same(what, a, b):
        if a == b:
            return
        if isinstance(a, list):  # what differs of it, or its order
            a, b = ([x for x in a if x not in b] or a), ([x for x in b if x not in a] or b)
        faults.append(f"{what}: {a} in the report, {b} by the definitions")
    same("created", got["created"], len(want.created))
    same("finished", got["finished"], len(want.finished))
    same("errors", got["errors"], len(want.errors))
    same("cancelled", (got["cancelled"], got["timeouts"]), (want.cancelled, want.timeouts))
    same("alive", got["alive"], None if want.lost else len(want.named - want.ended))
    for d in got["domains"]:
        turns = want.turns[d["domain"]]
        same("turns", d["turns"], None if turns is None else len(turns))
        if not near(d["busy_share"], want.shares.get(d["domain"]), 1e-8):
            faults.append(f"busy_share of {d['domain']}: {d['busy_share']}, {want.shares.get(d['domain'])}")
        for key, rank in (("turn_p50_s", 0.5), ("turn_p99_s", 0.99)):
            exact = turns[-(-int(rank * 100) * len(turns) // 100) - 1] / 1e9 if turns else None
            if not near(d[key], exact, 0.01):
                faults.append(f"{key}: {d[key]}, {exact}")
        same("turn_max_s", d["turn_max_s"], turns[-1] / 1e9 if turns else None)
    same("domains", [d["domain"] for d in got["domains"]], sorted(want.turns))
    longest = sorted(want.runs, key=lambda r: (-r[0], r[1]))[:10]
    same("longest runs", [(round(r["duration_s"] * 1e9), r["ts"], r["fiber"], r["domain"], r["path"], r["span"], round(r["gc_s"] * 1e9))
                          for r in got["longest_runs"]],
         [(*r[:4], shown(want.path(r[4])), shown(r[5]), r[6]) for r in longest])
    same("groups", sorted(((g["path"] is None, g["path"], g["created"], g["finished"], g["runs"], round(g["run_total_s"] * 1e9),
                            round(g["run_max_s"] * 1e9), round(g["blocked_total_s"] * 1e9)) for g in got["groups"]), key=str),
         sorted(((p is None, p, *g) for p, g in want.groups().items()), key=str))
    blocked = {}
    for fiber, (since, op, object_id) in want.blocked.items():
        if fiber in want.ended:
            continue
        kind = "context" if object_id in want.contexts else want.kinds.get(object_id)
        name = want.names.get(object_id) if kind else None
        if kind is None and object_id in want.named - want.ended:  # what a fiber returns
            kind, inside = "fiber", want.inside.get(object_id)
            while inside in want.contexts and (want.names.get(inside) or "run_worker") in OWN:
                inside = want.parents[inside]
            name = want.names.get(inside)
        group = blocked.setdefault((shown(want.path(want.inside.get(fiber))), shown(op), kind, shown(name)), [0, 0])
        group[0] += 1
        group[1] = max(group[1], want.end - since)
    same("blocked", sorted(((b["path"], b["op"], b["object"], b["name"], b["count"], round(b["longest_s"] * 1e9)) for b in got["blocked"]),
                           key=str), sorted(((*k, *v) for k, v in blocked.items()), key=str))
    latest = [(*e[:2], shown(e[2]), shown(want.path(e[1]))) for e in sorted(want.errors)[:-11:-1]]
    told = [(e["ts"], e["context"], e["text"], e["path"]) for e in got["errors_last"]]
    if want.missed:  # a context that has ended, of which a loss left no fiber, is not known any more
        latest = [(*a[:3], b[3] and a[3]) for a, b in zip(latest, told)]
    same("errors_last", told, latest)
    return faults


def main(args):
    failed = 0
    for path in args[1:]:
        faults = check(args[0], path)
        failed += len(faults)
        for fault in faults:
            print(f"{path}: {fault}")
        if not faults:
            print(f"{path}: equal")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
