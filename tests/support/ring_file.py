"""ring_file.py - make ring files, record by record, for tests in shell and Python.

    ring = Ring(domains=2, words=1024)
    ring.name(0, b"http.request")
    ring.begin(0, 100, 11)            domain, stamp, number of the phase
    ring.save(path)
"""
import struct

HEADER, RING_HEADER, NAMES, NAME = 64, 80, 8192, 128
LIFECYCLE, BEGIN, END, COUNTER, ALLOC = 1, 2, 3, 4, 5
UNIT, INT, SPAN_BEGIN, SPAN_END, CUSTOM = range(5)


class Ring:
    """Rings that are large enough for what is put into them: nothing is overwritten."""

    def __init__(self, domains=1, words=1 << 12, max_domains=None, names=True):
        self.words = words
        self.max_domains = max_domains or domains
        self.rings = [[] for _ in range(self.max_domains)]
        self.names = {} if names else None

    def name(self, event, text):
        self.names[event] = text

    def record(self, domain, ts, kind, number, *payload, user=False):
        length = 2 + len(payload)
        header = length << 54 | user << 53 | kind << 49 | number << 36
        at = len(self.rings[domain])
        rest = self.words - at % self.words
        if rest < length:
            self.rings[domain] += [rest << 54] + [0] * (rest - 1)
        self.rings[domain] += [header, ts] + [value & (1 << 64) - 1 for value in payload]
        assert len(self.rings[domain]) < self.words, "more than the ring can hold"

    def begin(self, domain, ts, phase):
        self.record(domain, ts, BEGIN, phase)

    def end(self, domain, ts, phase):
        self.record(domain, ts, END, phase)

    def counter(self, domain, ts, counter, value):
        self.record(domain, ts, COUNTER, counter, value)

    def lifecycle(self, domain, ts, event, data=None):
        self.record(domain, ts, LIFECYCLE, event, *([] if data is None else [data]))

    def user(self, domain, ts, kind, event, *payload):
        self.record(domain, ts, kind, event, *payload, user=True)

    def custom(self, domain, ts, event, data):
        """A custom event: whole words, the last byte of which says how many before it are not of the payload."""
        words = len(data) // 8 + 1
        padded = data + bytes(8 * words - 1 - len(data)) + bytes([8 * words - 1 - len(data)])
        self.user(domain, ts, CUSTOM, event, *struct.unpack(f"={words}Q", padded))

    def named(self, domain, ts, name, *value, kind=None):
        """A user event by its name: custom with bytes, int with a number, else unit or as `kind` says."""
        event = next((i for i, text in self.names.items() if text == name.encode()), len(self.names))
        self.names[event] = name.encode()
        if value and isinstance(value[0], bytes):
            self.custom(domain, ts, event, value[0])
        else:
            self.user(domain, ts, kind if kind is not None else INT if value else UNIT, event, *value)

    def save(self, path):
        data_offset = HEADER + RING_HEADER * self.max_domains
        names_offset = data_offset + 8 * self.words * self.max_domains
        with open(path, "wb") as file:
            file.write(struct.pack("=8Q", 1, self.max_domains, RING_HEADER, 8 * self.words, self.words, HEADER,
                                   data_offset, names_offset if self.names is not None else 0))
            for ring in self.rings:
                file.write(struct.pack("=2Q", 0, len(ring)) + bytes(RING_HEADER - 16))
            for i, ring in enumerate(self.rings):
                if ring:
                    file.seek(data_offset + 8 * self.words * i)
                    file.write(struct.pack(f"={len(ring)}Q", *ring))
            for event, text in (self.names or {}).items():
                file.seek(names_offset + NAME * event)
                file.write(text)
            file.truncate(names_offset + (NAMES * NAME if self.names is not None else 0))
