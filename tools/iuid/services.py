"""The files of libpq on this machine: services, by whose names nodes are reached, and passwords."""

import os
import re
import shutil

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
    """With the rights of the file that was there."""
    with open(path + ".new", "w", encoding="utf8") as file:
        os.chmod(path + ".new", 0o600)
        file.write(text)
    shutil.copymode(path, path + ".new")
    os.replace(path + ".new", path)


def services():
    """The names in the file of services."""
    return re.findall(r"^\[(.+)\]\s*$", read(service_file()), re.MULTILINE)


def roots_of_services():
    """The files of roots that they name."""
    return [file for file in re.findall(r"^sslrootcert\s*=\s*(.+?)\s*$", read(service_file()), re.MULTILINE) if file != "system"]


def change_service(node, what, change, dry):
    """Gives the section of a node to a function, for another one."""
    path = service_file()
    before = read(path)
    section = re.compile(rf"^\[{re.escape(node)}\]\s*$.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
    after = section.sub(lambda found: change(found[0]), before)
    if after != before:
        say(node, f"-- {path}: {what}")
        if not dry:
            replace(path, after)


def change_password(role, password, dry):
    """Gives the lines of a role another password: host:port:database:role:password, in which \\ comes before : and \\."""
    path = password_file()
    if not os.path.exists(path):
        return
    before = read(path)
    part = r"(?:[^:\\\n]|\\.)*"
    quoted = {text: re.sub(r"([\\:])", r"\\\1", text) for text in (role, password)}
    line = re.compile(rf"^({part}:{part}:{part}:{re.escape(quoted[role])}:).*$", re.MULTILINE)
    after = line.sub(lambda found: found[1] + quoted[password], before)
    if after != before:
        print(f"{path} has the password of {role}.")
        if not dry:
            replace(path, after)
