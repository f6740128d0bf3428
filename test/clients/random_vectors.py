"""Vectors of random values, in the form of clients/vectors.json."""
import random

import identifiers as model

HEX = "0123456789abcdefABCDEF"
OTHER = "-{} g\u0661\uff11\u00df+_\n"
RFC_VARIANT = 2 << 62


def vectors(seed, count=1000):
    chance = random.Random(seed)
    answers = []

    def vector(rule, call, *given, gives=None, error=None):
        given = [g if g is None else str(g) for g in given]
        answers.append({"rule": rule, "call": call, "given": given, **({"error": error} if error else {"gives": gives})})

    def some_id():
        return model.make(chance.randrange(2**48), chance.randrange(256), chance.randrange(256), chance.randrange(2**54), chance.randrange(16))

    def some_text():
        """That of an identifier, with hyphens after some groups of four, and at times something else."""
        digits = f"{some_id():032x}"
        groups = [digits[n:n + 4] + chance.choice(["", "-"]) * (n < 28) for n in range(0, 32, 4)]
        text = chance.choice(["{%s}", "%s"]) % "".join(groups)
        for _ in range(chance.choice([0, 0, 1, 2])):
            place = chance.randrange(len(text) + 1)
            text = text[:place] + chance.choice(["", chance.choice(HEX), chance.choice(OTHER)]) + text[place + chance.randrange(2):]
        return text

    for _ in range(3 * count):
        text = some_text()
        number = model.read(text)
        if number is not None and model.is_valid(number):
            vector("R3", "read", text, gives=model.text(number))
        else:
            vector("R3", "read", text, error="22P02")

    for _ in range(count):
        iuid = some_id()
        time = model.time(iuid)
        fields = (time if time is None else time // 1000, model.country(iuid), model.entity(iuid), model.random_bits(iuid), model.layout(iuid))
        vector("R1", "fields", model.text(iuid), gives=[f if f is None else str(f) for f in fields])

        us = chance.choice([chance.randrange(2**48) * 1000 + chance.randrange(-2, 3), chance.randrange(2**58)])
        vector("R8", "floor", us, gives=model.text(model.floor(us)))

        name = chance.randbytes(chance.randrange(400))
        vector("R16", "name_bytes", 7, 1, name.hex(), None, gives=model.text(model.from_name(7, 1, name)))

        version = chance.choice([1, 6, 7])
        uuid = chance.getrandbits(128) & ~(0xF << 76 | 3 << 62) | version << 76 | RFC_VARIANT
        if model.uuid_ms(uuid) >= 0:
            vector("R17", "uuid", model.text(uuid), 7, 1, None, gives=model.text(model.from_uuid(uuid, 7, 1)))
        else:
            vector("R19", "uuid", model.text(uuid), 7, 1, None, error="22008")

    for _ in range(count // 4):
        iuid, key = some_id() & ~(0xE << 72), chance.randbytes(32)
        hidden = model.hide(iuid, key)
        vector("R20", "hide", model.text(iuid), key.hex(), gives=model.text(hidden))
        vector("R21", "reveal", model.text(hidden), key.hex(), gives=model.text(iuid))

    # A clock that stands still, goes on by about a 4096th, or jumps by about ten seconds.
    maker = model.Maker()
    vector("R10", "start")
    clock = 1767225600 * 10**9
    for _ in range(3 * count):
        clock += chance.choice([0, 0, 1, 244, 245, 5 * 10**5, chance.randrange(10**6), -chance.randrange(10**6), 10**10, -10**10 + chance.randrange(-500, 500)])
        bits = chance.choice([chance.getrandbits(48), 2**48 - 1, 0])
        country, entity = chance.randrange(256), chance.randrange(256)
        vector("R12", "make", country, entity, f"{clock // 10**9}.{clock % 10**9:09d}", f"{bits:012x}",
               gives=model.text(maker.make(country, entity, clock, bits)))
    return answers
