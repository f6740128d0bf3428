// What the programs in this folder share: two identifiers, a second around them, and a check.

use std::{env, error::Error, fmt::Display};

use time::{macros::datetime, OffsetDateTime};
use uuid::{uuid, Uuid};

pub const A: Uuid = uuid!("019b76da-a87b-807d-8041-23456789abcd");
pub const B: Uuid = uuid!("019b76da-a87b-807d-8041-23456789abce");
pub const BEGIN: OffsetDateTime = datetime!(2026-01-01 00:00:00 UTC);
pub const END: OffsetDateTime = datetime!(2026-01-01 00:00:01 UTC);

pub const CREATE: &str = "CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)";
pub const FLUSH: &str = "SELECT pg_stat_force_next_flush()::text";
pub const READ: &str = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'";
/// The rows of the other checks, where the client takes no UUID.
pub const ROWS: &str = "INSERT INTO orders VALUES ('019b76da-a87b-807d-8041-23456789abcd', 'A'),
    ('019b76da-a87b-807d-8041-23456789abce', 'B') ON CONFLICT DO NOTHING";

pub type Answer<T> = Result<T, Box<dyn Error>>;

pub fn url() -> String {
    let of = |name| env::var(name).unwrap();
    format!("postgres://{}@127.0.0.1:{}/{}", of("PGUSER"), of("PGPORT"), of("PGDATABASE"))
}

pub fn report(name: &str, result: impl Display) {
    println!("{name}\t{result}");
}

/// The version of a package of Debian: the sources do not say it.
pub fn version(name: &str) -> String {
    let arguments = ["--show", "--showformat=${source:Upstream-Version}", name];
    let output = std::process::Command::new("dpkg-query").args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Reports what a check gives, or its error: the SQLSTATE, if the error has one.
pub fn check<T: Display>(name: &str, sqlstate: fn(&(dyn Error + 'static)) -> Option<String>, run: impl FnOnce() -> Answer<T>) {
    let result = match run() {
        Ok(value) => value.to_string(),
        Err(error) => sqlstate(error.as_ref()).unwrap_or("error".into()),
    };
    report(name, match result.as_str() { "true" => "ok", "false" => "wrong", other => other });
}

/// Whether a look-up finds its row, and reads one entry of the index for that.
pub fn look_up(found: impl FnOnce() -> Answer<bool>, rows_read: impl Fn() -> Answer<i64>) -> Answer<&'static str> {
    let before = rows_read()?;
    if !found()? {
        return Ok("false");
    }
    Ok(if rows_read()? == before + 1 { "index" } else { "scan" })
}

/// The name of a type without those of its modules.
pub fn kind<T>(_: &T) -> &'static str {
    std::any::type_name::<T>().rsplit("::").next().unwrap()
}
