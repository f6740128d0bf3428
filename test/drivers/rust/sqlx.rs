// Only newest: Debian 12 does not have sqlx.
mod checks;

use checks::{kind, look_up, report, Answer, A, B, BEGIN, CREATE, END, FLUSH, READ, ROWS};
use sqlx::postgres::{PgArguments, PgConnection, PgRow};
use sqlx::{query::Query, AssertSqlSafe, Connection, Postgres, Row};

mod as_it_is {
    pub type Iuid = uuid::Uuid;
}
#[allow(unused_imports)]
use as_it_is::*;

// SET-UP

fn sqlstate(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    Some(error.downcast_ref::<sqlx::Error>()?.as_database_error()?.code()?.to_string())
}

fn check<T: std::fmt::Display>(name: &str, run: impl FnOnce() -> Answer<T>) {
    checks::check(name, sqlstate, run)
}

/// A statement with its parameters.
macro_rules! query {
    ($sql:expr $(, $parameter:expr)*) => {
        sqlx::query(AssertSqlSafe($sql.to_string()))$(.bind($parameter))*
    };
}

fn main() -> Answer<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let connection = std::cell::RefCell::new(runtime.block_on(PgConnection::connect(&checks::url()))?);
    let row = |query: Query<'_, Postgres, PgArguments>| -> Answer<PgRow> {
        Ok(runtime.block_on(query.fetch_one(&mut *connection.borrow_mut()))?)
    };
    let execute = |sql: &str| runtime.block_on(sqlx::raw_sql(AssertSqlSafe(sql.to_string())).execute(&mut *connection.borrow_mut()));
    let count = |query: Query<'_, Postgres, PgArguments>| -> Answer<i64> { Ok(row(query)?.try_get(0)?) };
    let rows_read = || {
        execute(FLUSH)?;
        count(query!(READ))
    };
    let in_range = |bound: &str| {
        let end = bound.replace("$1", "$2");
        Ok(count(query!(format!("SELECT count(*) FROM orders WHERE id >= {bound} AND id < {end}"), BEGIN, END))? == 2)
    };
    let country = |call: &str| -> Answer<bool> {
        Ok(row(query!(format!("SELECT iuid_country({call})"), 125, 1))?.try_get::<i32, _>(0)? == 125)
    };
    let (a, b) = (Iuid::from(A), Iuid::from(B));

    report("version", checks::version("librust-sqlx-dev"));
    execute(CREATE)?;
    execute("CREATE TABLE copies (id iuid, note text)")?;
    report("table", "–");
    check("default", || Ok(row(query!("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)"))?.try_get::<i32, _>(0)? == 125));
    check("UUID", || {
        let made = row(query!("WITH made AS (INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING *)
            SELECT id::text FROM made WHERE note = 'A'", a, b))?;
        Ok(made.try_get::<String, _>(0)? == A.to_string())
    });
    execute(ROWS)?;
    check("look-up", || look_up(|| Ok(count(query!("SELECT count(*) FROM orders WHERE id = $1 AND note = 'A'", a))? == 1), rows_read));
    check("IN", || Ok(count(query!("SELECT count(*) FROM orders WHERE id IN ($1, $2)", a, b))? == 2));
    check("= ANY", || Ok(count(query!("SELECT count(*) FROM orders WHERE id = ANY ($1)", vec![a, b]))? == 2));
    check("reads as", || Ok(kind(&row(query!("SELECT id FROM orders WHERE note = 'A'"))?.try_get::<Iuid, _>(0)?)));
    check("array", || {
        let ids: Vec<Iuid> = row(query!("SELECT array_agg(id) FROM orders"))?.try_get(0)?;
        Ok(format!("{}[]", kind(&ids[0])))
    });
    check("COPY text", || {
        runtime.block_on(async {
            let mut connection = connection.borrow_mut();
            let mut copy = connection.copy_in_raw("COPY copies FROM STDIN").await?;
            copy.send(format!("{A}\tA\n").as_bytes()).await?;
            copy.finish().await?;
            Ok(sqlx::query("SELECT id::text FROM copies").fetch_one(&mut *connection).await?.try_get::<String, _>(0)? == A.to_string())
        })
    });
    report("COPY binary", "–");
    check("id >= $1", || in_range("$1"));
    check("id >= iuid_floor($1)", || in_range("iuid_floor($1)"));
    check("id >= $1::timestamptz", || in_range("$1::timestamptz"));
    check("gen_iuid($1, $2)", || country("gen_iuid($1, $2)"));
    check("gen_iuid($1::int, $2::int)", || country("gen_iuid($1::int, $2::int)"));
    Ok(())
}
