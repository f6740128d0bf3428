"""The files of libpq on this machine: services, by whose names nodes are reached, and passwords."""

import contextlib
import os
import re
import stat

from sessions import Stop, say


def service_file():
    path = os.environ.get("PGSERVICEFILE") or os.path.expanduser("~/.pg_service.conf")
    if os.path.exists(path):
        return path
    return os.path.join(os.environ.get("PGSYSCONFDIR", "/etc/postgresql-common"), "pg_service.conf")


def password_file():
    return os.environ.get("PGPASSFILE") or os.path.expanduser("~/.pgpass")


def read(path):
    try:
        with open(path, encoding="utf8") as file:
            return file.read()
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}") from error


def replace(path, text):
    """With the owner and the rights of the file that was there."""
    path = os.path.realpath(path)
    new = path + ".new"
    try:
        there = os.stat(path)
        with contextlib.suppress(FileNotFoundError):
            os.remove(new)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf8") as file:
            file.write(text)
        with contextlib.suppress(PermissionError):
            os.chown(new, there.st_uid, there.st_gid)
        os.chmod(new, stat.S_IMODE(there.st_mode))
        os.replace(new, path)
    except OSError as error:
        raise Stop(f"{error.filename}: {error.strerror}") from error


def services():
    """The names in the file of services."""
    return re.findall(r"^\[(.+)\]\s*$", read(service_file()), re.MULTILINE)


def roots_of_services():
    """The files of roots that they name."""
    return [file for file in re.findall(r"^sslrootcert\s*=\s*(.+?)\s*$", read(service_file()), re.MULTILINE) if file != "system"]


def section_of(node):
    return re.compile(rf"^\[{re.escape(node)}\]\s*$.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)


def change_service(node, what, change, dry):
    """Gives the section of a node to a function, for another one."""
    path = service_file()
    before = read(path)
    after = section_of(node).sub(lambda found: change(found[0]), before)
    if after != before:
        say(node, f"-- {path}: {what}")
        if not dry:
            replace(path, after)


def ways_to(nodes):
    """The hosts, ports and databases of services, as the file of passwords has them."""
    text = read(service_file())
    for node in nodes:
        for section in section_of(node).findall(text):
            options = dict(re.findall(r"^\s*(\w+)\s*=\s*(.*?)\s*$", section, re.MULTILINE))
            hosts = options.get("host") or options.get("hostaddr") or "localhost"
            for host in filter(None, hosts.split(",")):
                yield from ((host, port, options.get("dbname", "")) for port in options.get("port", "5432").split(","))


def change_password(role, password, nodes, dry):
    """Gives the lines of a role another password, as far as they are for nodes.

    A line is host:port:database:role:password, in which \\ comes before : and \\.
    """
    path = password_file()
    if not os.path.exists(path):
        return
    before = read(path)
    part = r"((?:[^:\\\n]|\\.)*)"
    ways = list(ways_to(nodes))
    quoted = {text: re.sub(r"([\\:])", r"\\\1", text) for text in (role, password)}
    line = re.compile(rf"^{part}:{part}:{part}:{re.escape(quoted[role])}:.*$", re.MULTILINE)

    def changed(found):
        given = [re.sub(r"\\(.)", r"\1", each) for each in found.groups()]
        ours = any(all(here in ("*", there) for here, there in zip(given, way)) for way in ways)
        return ":".join([*found.groups(), quoted[role], quoted[password]]) if ours else found[0]

    after = line.sub(changed, before)
    if after != before:
        print(f"{path} has the password of {role}.")
        if not dry:
            replace(path, after)
