//! clients/rust for check.py.
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iuid::{Error, Iuid, Maker};

struct Given {
    clock: SystemTime,
    bits: Vec<u8>,
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn uuid(text: &str) -> u128 {
    u128::from_str_radix(&text.replace('-', ""), 16).unwrap()
}

/// Nanoseconds since 1970, which can be before it.
fn instant(nanoseconds: i128) -> SystemTime {
    let span = nanoseconds.unsigned_abs();
    let span = Duration::new((span / 1_000_000_000) as u64, (span % 1_000_000_000) as u32);
    if nanoseconds < 0 { UNIX_EPOCH - span } else { UNIX_EPOCH + span }
}

fn time(microseconds: &str) -> SystemTime {
    instant(microseconds.parse::<i128>().unwrap() * 1000)
}

fn clock(seconds: &str) -> SystemTime {
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let nanoseconds: i128 = format!("{:0<9}", fraction).parse().unwrap();
    instant(whole.parse::<i128>().unwrap() * 1_000_000_000 + nanoseconds)
}

fn maker(given: &Arc<Mutex<Given>>) -> Maker {
    let (one, other) = (given.clone(), given.clone());
    Maker::new(move || one.lock().unwrap().clock, move |bytes| {
        bytes.copy_from_slice(&other.lock().unwrap().bits);
        Ok(())
    })
}

fn sorted(texts: &[&str], compare: impl FnMut(&Iuid, &Iuid) -> std::cmp::Ordering) -> String {
    let mut ids: Vec<Iuid> = texts.iter().map(|text| text.parse().unwrap()).collect();
    ids.sort_by(compare);
    ids.iter().map(Iuid::to_string).collect::<Vec<_>>().join(" ")
}

fn fields(id: Iuid) -> String {
    fn show<T: ToString>(field: Option<T>) -> String {
        field.map_or("~".to_string(), |field| field.to_string())
    }
    assert_eq!(id.time().map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_millis()), id.ms().map(u128::from));
    [show(id.ms()), show(id.country()), show(id.entity()), show(id.random()), show(id.layout())].join(" ")
}

/// What does not fit the type of a country or an entity is refused by the compiler, and here by this.
fn origin<T: TryFrom<i64>>(country: &str, entity: &str) -> Result<(T, T), String> {
    let fit = |what, text: &str| {
        T::try_from(text.parse().unwrap()).map_err(|_| format!("{} {} is out of range", what, text))
    };
    Ok((fit("country", country)?, fit("entity", entity)?))
}

fn answer(given: &Arc<Mutex<Given>>, maker_of: &mut Maker, a: &[&str]) -> Result<String, String> {
    let say = |result: Result<Iuid, Error>| result.map(|id| id.to_string()).map_err(|error| error.to_string());
    let name = |bytes: Vec<u8>| {
        let (country, entity) = origin(a[1], a[2])?;
        say(match a[4] {
            "~" => Ok(iuid::from_name(country, entity, bytes)),
            at => iuid::from_name_at(country, entity, bytes, time(at)),
        })
    };
    match a[0] {
        "read" => say(String::from_utf8(unhex(a[1])).unwrap().parse()),
        "from_uuid_bits" => say(Iuid::try_from(uuid(a[1]).to_be_bytes())),
        "fields" => Ok(fields(a[1].parse().unwrap())),
        "floor" => Ok(iuid::floor(time(a[1])).to_string()),
        "country_floor" => {
            let (country, entity) = origin(a[1], a[2])?;
            say(iuid::country_floor(country, entity))
        }
        "byte_order" => Ok(sorted(&a[1..], Iuid::cmp)),
        "country_order" => Ok(sorted(&a[1..], Iuid::cmp_country)),
        "name" | "name_bytes" => name(unhex(a[3])),
        "uuid" => {
            let (country, entity) = origin(a[2], a[3])?;
            say(match a[4] {
                "~" => iuid::from_uuid(uuid(a[1]), country, entity),
                at => iuid::from_uuid_at(uuid(a[1]), country, entity, time(at)),
            })
        }
        "hide" | "reveal" => {
            let key = unhex(a[2]).try_into().map_err(|_| "the compiler says: a key must have 32 bytes")?;
            if a[0] == "hide" {
                let hidden = iuid::hide(a[1].parse().unwrap(), &key).map_err(|error| error.to_string())?;
                let digits = format!("{:032x}", hidden);
                return Ok([&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-"));
            }
            Ok(iuid::reveal(uuid(a[1]), &key).map_or("~".to_string(), |id| id.to_string()))
        }
        "start" => {
            *maker_of = maker(given);
            Ok("~".to_string())
        }
        "make_at" | "make" => {
            let (country, entity) = origin(a[1], a[2])?;
            given.lock().unwrap().bits = unhex(a[4]);
            if a[0] == "make_at" {
                return say(maker_of.make_at(country, entity, time(a[3])));
            }
            given.lock().unwrap().clock = clock(a[3]);
            say(maker_of.make(country, entity))
        }
        other => panic!("{}", other),
    }
}

fn vectors(out: &mut impl Write) -> io::Result<()> {
    let given = Arc::new(Mutex::new(Given { clock: UNIX_EPOCH, bits: Vec::new() }));
    let mut maker = maker(&given);
    for line in io::stdin().lock().lines() {
        let line = line?;
        match answer(&given, &mut maker, &line.split('\t').collect::<Vec<_>>()) {
            Ok(value) => writeln!(out, "= {}", value)?,
            Err(error) => writeln!(out, "! {}", error.replace(['\n', '\r'], " "))?,
        }
    }
    Ok(())
}

fn make_in_threads(count: usize, out: &mut impl Write) -> io::Result<()> {
    let together = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let together = together.clone();
            std::thread::spawn(move || {
                together.wait();
                (0..count).map(|_| iuid::make(7, 1).unwrap()).collect::<Vec<_>>()
            })
        })
        .collect();
    for (number, thread) in threads.into_iter().enumerate() {
        for id in thread.join().unwrap() {
            writeln!(out, "{} {}", number, id)?;
        }
    }
    Ok(())
}

fn take_turns(out: &mut impl Write) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        line?;
        writeln!(out, "{}", iuid::make(7, 1).unwrap())?;
        out.flush()?;
    }
    Ok(())
}

extern "C" {
    fn fork() -> i32;
    fn pipe(ends: *mut i32) -> i32;
    fn read(file: i32, bytes: *mut u8, count: usize) -> isize;
    fn write(file: i32, bytes: *const u8, count: usize) -> isize;
    fn _exit(status: i32) -> !;
}

fn own() {
    let id = iuid::make(125, 1).unwrap();
    assert_eq!(Iuid::try_from(u128::from(id)).unwrap(), id);
    assert_eq!(Iuid::try_from(<[u8; 16]>::from(id)).unwrap(), id);
    assert_eq!(format!("{:?}", id), id.to_string());
    assert!(Iuid::NIL < id && id < Iuid::MAX);
    assert!(matches!("".parse::<Iuid>(), Err(Error::Syntax(_))));
    assert!(matches!(iuid::make_at(1, 2, UNIX_EPOCH - Duration::from_nanos(1)), Err(Error::Time(_))));
    assert_eq!(iuid::make_at(1, 2, id.time().unwrap()).unwrap().ms(), id.ms());

    // What fails in a Maker leaves it as it was.
    let mut turn = 0;
    let panics_once = move || {
        turn += 1;
        assert_ne!(turn, 2, "expected");
        UNIX_EPOCH
    };
    let mut maker = Maker::new(panics_once, |bytes| Ok(bytes.fill(0xff)));
    let first = maker.make(7, 1).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| maker.make(7, 1).is_ok())).is_err());
    std::panic::set_hook(hook);
    assert!(first < maker.make(7, 1).unwrap());

    // R15: a child that was forked has other random bits than its parent.
    let mut ends = [0; 2];
    let mut bytes = [0; 16];
    unsafe {
        assert_eq!(pipe(ends.as_mut_ptr()), 0);
        if fork() == 0 {
            let made: [u8; 16] = iuid::make(7, 1).unwrap().into();
            write(ends[1], made.as_ptr(), 16);
            _exit(0);
        }
        assert_eq!(read(ends[0], bytes.as_mut_ptr(), 16), 16);
    }
    let tail = |id: Iuid| id.random().unwrap() & ((1 << 42) - 1);
    assert_ne!(tail(Iuid::try_from(bytes).unwrap()), tail(iuid::make(7, 1).unwrap()));
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let mut out = io::BufWriter::new(io::stdout());
    match arguments[1].as_str() {
        "vectors" => vectors(&mut out)?,
        "make" => make_in_threads(arguments[2].parse().unwrap(), &mut out)?,
        "turns" => take_turns(&mut out)?,
        _ => own(),
    }
    out.flush()
}
