// Only newest: Debian 12 has a Rust that does not take these programs.
mod checks;

use checks::{kind, look_up, report, Answer, A, B, BEGIN, CREATE, END, FLUSH, READ, ROWS};
use futures_util::{pin_mut, SinkExt, TryStreamExt};
use tokio_postgres::binary_copy::BinaryCopyInWriter;

mod as_it_is {
    pub type Iuid = uuid::Uuid;
}
#[allow(unused_imports)]
use as_it_is::*;

// SET-UP

type Parameters<'a> = &'a [&'a (dyn tokio_postgres::types::ToSql + Sync)];

fn sqlstate(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    Some(error.downcast_ref::<tokio_postgres::Error>()?.code()?.code().to_string())
}

fn check<T: std::fmt::Display>(name: &str, run: impl FnOnce() -> Answer<T>) {
    checks::check(name, sqlstate, run)
}

fn main() -> Answer<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (client, connection) = runtime.block_on(tokio_postgres::connect(&checks::url(), tokio_postgres::NoTls))?;
    runtime.spawn(connection);
    let row = |sql: &str, parameters: Parameters| runtime.block_on(client.query_one(sql, parameters));
    let execute = |sql: &str| runtime.block_on(client.batch_execute(sql));
    let count = |condition: &str, parameters: Parameters| -> Answer<i64> {
        Ok(row(&format!("SELECT count(*) FROM orders WHERE {condition}"), parameters)?.try_get(0)?)
    };
    let rows_read = || {
        execute(FLUSH)?;
        Ok(row(READ, &[])?.try_get(0)?)
    };
    let in_range = |bound: &str| {
        let end = bound.replace("$1", "$2");
        Ok(count(&format!("id >= {bound} AND id < {end}"), &[&BEGIN, &END])? == 2)
    };
    let country = |call: &str| -> Answer<bool> {
        Ok(row(&format!("SELECT iuid_country({call})"), &[&125, &1])?.try_get::<_, i32>(0)? == 125)
    };
    let (a, b) = (Iuid::from(A), Iuid::from(B));

    report("version", checks::version("librust-tokio-postgres-dev"));
    execute(CREATE)?;
    execute("CREATE TABLE copies (id iuid, note text)")?;
    report("table", "–");
    check("default", || Ok(row("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)", &[])?.try_get::<_, i32>(0)? == 125));
    check("UUID", || {
        let made = row("WITH made AS (INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING *)
            SELECT id::text FROM made WHERE note = 'A'", &[&a, &b])?;
        Ok(made.try_get::<_, String>(0)? == A.to_string())
    });
    execute(ROWS)?;
    check("look-up", || look_up(|| Ok(count("id = $1 AND note = 'A'", &[&a])? == 1), rows_read));
    check("IN", || Ok(count("id IN ($1, $2)", &[&a, &b])? == 2));
    check("= ANY", || Ok(count("id = ANY ($1)", &[&vec![a, b]])? == 2));
    check("reads as", || Ok(kind(&row("SELECT id FROM orders WHERE note = 'A'", &[])?.try_get::<_, Iuid>(0)?)));
    check("array", || {
        let ids: Vec<Iuid> = row("SELECT array_agg(id) FROM orders", &[])?.try_get(0)?;
        Ok(format!("{}[]", kind(&ids[0])))
    });
    check("COPY text", || {
        runtime.block_on(async {
            let sink = client.copy_in("COPY copies FROM STDIN").await?;
            pin_mut!(sink);
            sink.send(bytes::Bytes::from(format!("{A}\tA\n"))).await?;
            sink.finish().await?;
            let back = client.copy_out("COPY copies TO STDOUT").await?;
            let lines: Vec<_> = back.try_collect().await?;
            Ok(lines.concat() == format!("{A}\tA\n").into_bytes())
        })
    });
    check("COPY binary", || {
        runtime.block_on(async {
            let types = [client.prepare("SELECT id FROM copies").await?.columns()[0].type_().clone(), tokio_postgres::types::Type::TEXT];
            let sink = client.copy_in("COPY copies FROM STDIN (FORMAT binary)").await?;
            let writer = BinaryCopyInWriter::new(sink, &types);
            pin_mut!(writer);
            writer.as_mut().write(&[&b, &"B"]).await?;
            writer.finish().await?;
            let text: String = client.query_one("SELECT id::text FROM copies WHERE note = 'B'", &[]).await?.try_get(0)?;
            Ok(text == B.to_string())
        })
    });
    check("id >= $1", || in_range("$1"));
    check("id >= iuid_floor($1)", || in_range("iuid_floor($1)"));
    check("id >= $1::timestamptz", || in_range("$1::timestamptz"));
    check("gen_iuid($1, $2)", || country("gen_iuid($1, $2)"));
    check("gen_iuid($1::int, $2::int)", || country("gen_iuid($1::int, $2::int)"));
    Ok(())
}
