"""Pages and terms: sessions that add, delete, rename and remove at once, in unordered batches.

Each call leaves its mark on some pages.  It takes a number before it, one before its commit while it
holds its locks, and one after; so the changes of a page stand in the order of their second
numbers, and the model repeats them in that order.  A call that did nothing to a page must have seen
a state of the page, between its first number and its second, in which there was nothing to do.
"""

import collections
import random

from psycopg import errors

import identifiers
import model

FIELDS = ["tag", "language", "author", "word", ""]


def derived(entity, name):
    """The identifier of a name in country 125."""
    return identifiers.text(identifiers.from_name(125, entity, name.encode()))


def urls(count):
    """URLs of every sort: long, of other alphabets, and such that differ in little."""
    made = ["", " ", "a", "a ", "A", "é", "e\u0301", "'", '"', "\\", "{,}", "NULL", "a:b"]
    while len(made) < count:
        n = len(made)
        made.append(f"https://host-{n % 50}.example.org/страница/{n}" + "/x" * (n % 5000 if n % 50 == 0 else 0))
    return made[:count]


def terms(count):
    """Terms of several fields; some would be the same without their field."""
    return [(FIELDS[n % len(FIELDS)], f"{'' if n % 3 else ':'}term {n // 10}") for n in range(count)]


class Job:
    """What a session is to do: a kind, and pages, and for each of them terms."""

    def __init__(self, number, pages, all_terms):
        """Jobs that run at the same time often take from the same few, most of which are new."""
        self.kind = random.choices(["add", "set", "delete", "rename", "remove"], [45, 20, 12, 18, 5])[0]

        def pick(things, many, few=random.random() < 0.5, skew=random.choice([1, 9])):
            if few:
                return [things[(number // 6 * 20 + random.randrange(20)) % len(things)] for _ in range(many)]
            return [things[int(len(things) * random.random() ** skew)] for _ in range(many)]

        size = random.choice([1, 3, 10, 30, 100])
        if self.kind == "add":
            self.triples = [(url, *term) for url, term in zip(pick(pages, size), pick(all_terms, size, random.random() < 0.5))]
            self.triples += random.sample(self.triples, size // 10)
        elif self.kind == "set":
            self.field = random.choice(FIELDS)
            self.urls = pick(pages, 1)
            self.terms = [term for field, term in pick(all_terms, random.choice([0, size])) if field == self.field]
            self.terms += self.terms[:1]
        else:
            self.urls = pick(pages, 2 if self.kind == "rename" else 1 if self.kind == "remove" else size)
            self.term = random.choice(all_terms)


def turn(connection):
    return connection.execute("SELECT nextval('turn')").fetchone()[0]


def work(connection, job):
    """One call.  Gives the job, its three numbers, the time of its transaction, and what it said."""
    begin = turn(connection)
    try:
        with connection.transaction():
            now = connection.execute("SELECT now()").fetchone()[0]
            said = CALLS[job.kind](connection, job)
            end = turn(connection)
    except REFUSALS.get(job.kind, ()) as error:
        now, said, end = None, type(error), turn(connection)
    return job, begin, end, turn(connection), now, said


def add(connection, job):
    given = [list(column) for column in zip(*job.triples)]
    return connection.execute("SELECT page, term FROM add_postings(%s, %s, %s)", given).fetchall()


def set_terms(connection, job):
    return connection.execute("SELECT changed, added FROM set_postings(%s, %s, %s::text[])",
                              [job.urls[0], job.field, job.terms]).fetchall()


def delete(connection, job):
    found = connection.execute("SELECT url FROM delete_pages(%s)", [job.urls]).fetchall()
    return {url for (url,) in found}


def rename(connection, job):
    return connection.execute("SELECT url FROM rename_page(%s, %s)", job.urls).fetchone()[0]


# A stub to which nothing moved, and a term without postings, by hand: no function removes rows.
def remove(connection, job):
    gone = connection.execute(
        "DELETE FROM pages AS p WHERE id = page_id(%(url)s) AND url = %(url)s AND status <> 'live'"
        " AND NOT EXISTS (SELECT FROM pages WHERE moved_to = p.id)", {"url": job.urls[0]}).rowcount
    connection.execute(
        "DELETE FROM terms AS t WHERE id = term_id(%s, %s)"
        " AND NOT EXISTS (SELECT FROM postings WHERE term = t.id)", job.term)
    return gone


CALLS = {"add": add, "set": set_terms, "delete": delete, "rename": rename, "remove": remove}

# What may be refused: a row that is referred to since the statement began is not removed.
REFUSALS = {"rename": (errors.NoDataFound, errors.InvalidParameterValue), "remove": errors.ForeignKeyViolation}

# What is known of a page; None where there is none.
Page = collections.namedtuple("Page", "status moved_to created_at terms")


class History:
    """The states of each page, with the numbers of the change that made each of them."""

    def __init__(self):
        self.states = collections.defaultdict(lambda: [(0, 0, None)])
        self.wrong = []

    def now(self, url):
        return self.states[url][-1][2]

    def change(self, url, end, after, page):
        self.states[url].append((end, after, page))

    def seen(self, url, begin, end, holds, what):
        """A call between two numbers must have seen a state that holds."""
        states = self.states[url]
        for (made, _, page), (_, gone, _) in zip(states, states[1:] + [(None, 2**62, None)]):
            if made < end and gone > begin and holds(page):
                return
        self.wrong.append((what, url))


def live(page):
    return page is not None and page.status == "live"


def repeat(calls, page_of, term_of):
    """The history of all pages, from what the calls said; whatever they saw must hold."""
    history = History()
    calls.sort(key=lambda call: call[2])
    unchanged = []
    for job, begin, end, after, now, said in calls:
        def idle(url, holds):
            unchanged.append((url, begin, end, holds, job.kind))

        if job.kind == "add":
            wanted, new = collections.defaultdict(set), collections.defaultdict(set)
            for url, field, term in job.triples:
                wanted[url].add((field, term))
            for page, term in said:
                new[page_of[page]].add(term_of[term])
            for url, those in wanted.items():
                old = history.now(url)
                if not new[url]:
                    idle(url, lambda page, those=those: live(page) and those <= page.terms)
                    continue
                had = old.terms if live(old) else frozenset()
                if new[url] != those - had:
                    history.wrong.append(("new postings", url, new[url], those - had))
                created = old.created_at if old else now
                history.change(url, end, after, Page("live", None, created, had | those))
            if set(new) - set(wanted):
                history.wrong.append(("postings of others", set(new) - set(wanted)))
        elif job.kind == "set":
            url, = job.urls
            those = {(job.field, term) for term in job.terms}
            if not said:
                idle(url, lambda page, those=those, field=job.field:
                     {term for term in (page.terms if live(page) else ()) if term[0] == field} == those)
                continue
            old = history.now(url)
            had = old.terms if live(old) else frozenset()
            of_field = {term for term in had if term[0] == job.field}
            changed = {((job.field, term), added) for term, added in said}
            if len(changed) != len(said) or changed != {(term, term in those) for term in of_field ^ those}:
                history.wrong.append(("terms that came and went", url, said, of_field, those))
            history.change(url, end, after, Page("live", None, old.created_at if old else now, had - of_field | those))
        elif job.kind == "delete":
            for url in set(job.urls) - said:
                idle(url, lambda page: not live(page))
            for url in said:
                if not live(history.now(url)):
                    history.wrong.append(("deleted what is not live", url))
                    continue
                history.change(url, end, after, Page("deleted", None, history.now(url).created_at, frozenset()))
        elif job.kind == "rename":
            old, new = job.urls
            if old == new:
                if said is not errors.InvalidParameterValue:
                    history.wrong.append(("moved to itself", old))
            elif said is errors.NoDataFound:
                idle(old, lambda page: not live(page))
            elif said != new or not live(history.now(old)):
                history.wrong.append(("moved what is not live", old, said))
            else:
                source, target = history.now(old), history.now(new)
                had = target.terms if live(target) else frozenset()
                created = min(source.created_at, target.created_at if target else now)
                history.change(old, end, after, Page("moved", new, source.created_at, frozenset()))
                history.change(new, end, after, Page("live", None, created, had | source.terms))
        elif said == 1:
            if history.now(job.urls[0]) is None or live(history.now(job.urls[0])):
                history.wrong.append(("removed what is not a stub", job.urls[0]))
            history.change(job.urls[0], end, after, None)
    for url, begin, end, holds, what in unchanged:
        history.seen(url, begin, end, holds, what)
    return history


def read(pages, all_terms):
    """A reader: what it finds at a time is whole, and its questions never fail."""
    def once(connection):
        field, term = random.choice(all_terms)
        found = connection.execute(
            "SELECT url, status FROM pages_with(%s, %s)", [field, term]).fetchall()
        if any(status != "live" for _, status in found):
            raise AssertionError(f"a page that is not live has the term {field}:{term}")
        url = random.choice(pages)
        for status, leads_to in connection.execute(
                "SELECT p.status, l.url FROM page(%(url)s) AS p LEFT JOIN live_page(%(url)s) AS l ON true",
                {"url": url}):
            if (status == "deleted") == (leads_to is not None) and status != "moved":
                raise AssertionError(f"{url} is {status} and leads to {leads_to}")
    return once


def rules():
    """What the example refuses, and what it reads."""
    old_snapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
    model.outcomes(
        ("00000", "INSERT INTO pages (url) VALUES ('r')", "UPDATE pages SET url = url WHERE url = 'r'"),
        ("23001", "INSERT INTO pages (url) VALUES ('r')", "UPDATE pages SET url = 's' WHERE url = 'r'"),
        ("23001", "SELECT add_pages('{r}', '{r}')", "UPDATE terms SET field = 'label' WHERE term = 'r'"),
        ("23505", "INSERT INTO pages (url) VALUES ('r')", "INSERT INTO pages (url) VALUES ('r')"),
        ("428C9", "INSERT INTO pages (id, url) VALUES (gen_iuid(125, 4), 'r')"),
        ("428C9", "UPDATE pages SET id = gen_iuid(125, 4)"),
        ("23503", "SELECT add_pages('{r}', '{r}')", "DELETE FROM pages WHERE url = 'r'"),
        ("23514", "SELECT add_postings('{r}', '{r:}', '{r}')"),
        ("00000", "SELECT add_pages('{}', '{}')"),
        ("00000", "SELECT delete_pages('{r, NULL}')"),
        ("22004", "SELECT add_pages('{r, s}', '{r}')"),
        ("22004", "SELECT add_pages('{r, NULL}', '{r, r}')"),
        ("22004", "SELECT add_pages('{r}', NULL)"),
        ("22004", "SELECT set_postings('r', 'tag', NULL)"),
        ("22004", "SELECT set_postings('r', 'tag', '{r, NULL}')"),
        ("22004", "SELECT set_postings('r', NULL, '{r}')"),
        ("25001", old_snapshot, "SELECT set_postings('r', 'tag', '{r}')"),
        ("22023", "SELECT rename_page('r', NULL)"),
        ("25001", old_snapshot, "SELECT add_pages('{r}', '{r}')"),
        ("25001", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SELECT delete_pages('{r}')"),
        ("25001", old_snapshot, "SELECT rename_page('r', 's')"))
    model.reads(
        ({"pages_pkey"}, "SELECT * FROM page('r')"),
        ({"terms_pkey", "postings_pkey", "pages_pkey"},
         "SELECT add_pages('{r}', '{r}')", "SELECT * FROM pages_with('tag', 'r')"))


def main():
    given = model.arguments(20_000)
    model.make_database("examples/digest.sql")
    model.make_database("examples/digest/schema.sql")
    # As many calls as take about so many triples and URLs.
    jobs, pages, all_terms = [], urls(30 + given.rows // 5), terms(20 + given.rows // 10)
    size = 0
    while size < given.rows:
        jobs.append(Job(len(jobs), pages, all_terms))
        size += len(jobs[-1].triples if jobs[-1].kind == "add" else jobs[-1].urls)
    with model.connect() as connection:
        connection.execute("CREATE SEQUENCE turn")
    reader = read(pages, all_terms)
    with model.beside(reader, 0.01), model.beside(reader, 0.01), model.timed("changes", size):
        calls = model.in_sessions(given.sessions, work, jobs)
    print(collections.Counter(job.kind for job in jobs))

    page_of = {derived(4, url): url for url in pages}
    term_of = {derived(5, ":".join(term)): term for term in all_terms}
    history = repeat(calls, page_of, term_of)
    model.same("what calls said that no order explains", [], [str(wrong) for wrong in history.wrong])

    expected = {url: history.now(url) for url in pages if history.now(url) is not None}
    model.same("pages", {url: page[:3] for url, page in expected.items()}, {
        url: (status, moved_to, created_at) for url, status, moved_to, created_at in model.rows(
            "SELECT p.url, p.status, m.url, p.created_at FROM pages AS p LEFT JOIN pages AS m ON m.id = p.moved_to")})
    model.same("postings", [(url, *term) for url, page in expected.items() for term in page.terms],
               model.rows("SELECT url, field, t.term FROM postings AS o LEFT JOIN pages AS p ON p.id = o.page"
                          " LEFT JOIN terms AS t ON t.id = o.term"))
    model.same("identifiers", {url: derived(4, url) for url in expected}, dict(model.rows("SELECT url, id FROM pages")))
    model.same("pages with a term", [(url, *term) for url, page in expected.items() for term in page.terms],
               model.rows("SELECT p.url, field, term FROM terms, pages_with(field, term) AS p"))
    way = {url: url if page.moved_to is None else page.moved_to for url, page in expected.items()}
    while way != {url: way[target] for url, target in way.items()}:
        way = {url: way[target] for url, target in way.items()}
    model.same("live pages", {url: target for url, target in way.items() if live(expected[target])},
               dict(model.rows("SELECT p.url, l.url FROM pages AS p, live_page(p.url) AS l")))
    rules()
    model.finish()


main()
