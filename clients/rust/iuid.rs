//! Identifiers that carry their time, country and entity, as the PostgreSQL extension iuid makes them.
//!
//! ```ignore
//! let id = iuid::make(125, 1)?;                     // new, of this moment: country 125, entity 1
//! id.time(); id.country(); id.entity();
//! let id: Iuid = "019b76da-a87b-807d-8041-23456789abcd".parse()?;
//! let id = iuid::from_name(125, 1, "order 4711");   // the same input always gives the same identifier
//! let uuid = uuid::Uuid::from_u128(id.into());      // and Iuid::try_from(uuid.as_u128())?
//! ```
//!
//! Identifiers compare by time.  R1 and so on are the rules of doc/format.md.
//!
//! Installed, or copied as a module, this file needs Rust 1.63, and no crate.  The random bits come
//! from /dev/urandom; where there is none, give a [`Maker`] another source, such as the crate getrandom.
//!
//! Copyright (c) 2026, the iuid authors.  SPDX-License-Identifier: PostgreSQL

use std::cmp::Ordering;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::str::FromStr;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An identifier: the number of its 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Iuid(u128);

/// What is refused (R6).  A country or entity above 255 does not fit its type.
#[derive(Debug)]
pub enum Error {
    /// A text that is not read, or that is no identifier.
    Syntax(String),
    /// A UUID that is no identifier.
    NotIuid(u128),
    /// Only UUIDs of versions 1, 6 and 7 have a time.
    NoTime(u128),
    /// Nil, Max and the layouts 2-15 are not hidden.
    NotHidden(Iuid),
    /// The time of a UUID is before 1970.
    TooEarly(u128),
    /// A country or an entity above 256.
    Origin(&'static str, u16),
    /// A time outside the 48 bits of milliseconds.
    Time(SystemTime),
    /// The clock, or the identifier after the last one, is outside the 48 bits.
    Clock,
    /// There are no random bytes.
    Random(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Syntax(text) => write!(f, "invalid input syntax for type iuid: \"{}\"", text),
            Error::NotIuid(uuid) => write!(f, "uuid \"{}\" is not an iuid", Text(*uuid)),
            Error::NoTime(uuid) => write!(f, "uuid \"{}\" has no time for an iuid: only UUIDs of versions 1, 6 and 7 have one", Text(*uuid)),
            Error::NotHidden(id) => write!(f, "iuid \"{}\" cannot be hidden", id),
            Error::TooEarly(uuid) => write!(f, "uuid \"{}\" has no time for an iuid: its time is before 1970", Text(*uuid)),
            Error::Origin(what, number) => write!(f, "{} {} is out of range for type iuid: 0 to 256", what, number),
            Error::Time(at) => write!(f, "time {:?} is out of range for type iuid", at),
            Error::Clock => write!(f, "system clock is out of range for type iuid"),
            Error::Random(error) => write!(f, "no random bytes: {}", error),
        }
    }
}

impl std::error::Error for Error {}

const LAST_MS: u128 = (1 << 48) - 1;
const RANDOM_MAX: u128 = (1 << 54) - 1;
const TEN_SECONDS: u128 = 10_000 << 12;

/// R1.
fn compose(ms: u128, layout: u8, country: u8, entity: u8, random: u128) -> Iuid {
    Iuid(ms << 80 | 8 << 76 | u128::from(layout) << 72 | u128::from(country) << 64 | 2 << 62 | u128::from(entity) << 54 | random)
}

// --- fields (R4) and orders (R7) -----------------------------------------------------------------

impl Iuid {
    /// The ends of the key space (R5).
    pub const NIL: Iuid = Iuid(0);
    pub const MAX: Iuid = Iuid(u128::MAX);

    pub fn layout(self) -> Option<u8> {
        Some((self.0 >> 72) as u8 & 0xf).filter(|_| self != Self::NIL && self != Self::MAX)
    }

    /// Milliseconds since 1970.
    pub fn ms(self) -> Option<u64> {
        Some((self.0 >> 80) as u64).filter(|_| self.layout() == Some(0))
    }

    pub fn time(self) -> Option<SystemTime> {
        self.ms().map(|ms| UNIX_EPOCH + Duration::from_millis(ms))
    }

    pub fn country(self) -> Option<u8> {
        self.known(self.origin().0)
    }

    pub fn entity(self) -> Option<u8> {
        self.known(self.origin().1)
    }

    pub fn random(self) -> Option<u64> {
        self.known((self.0 & RANDOM_MAX) as u64)
    }

    fn known<T>(self, field: T) -> Option<T> {
        Some(field).filter(|_| matches!(self.layout(), Some(0 | 1)))
    }

    fn origin(self) -> (u8, u8) {
        ((self.0 >> 64) as u8, (self.0 >> 54) as u8)
    }

    /// Order by origin: country, entity, bytes.
    pub fn cmp_country(&self, other: &Iuid) -> Ordering {
        (self.origin(), self).cmp(&(other.origin(), other))
    }
}

// --- texts (R2, R3) and numbers (R5) -------------------------------------------------------------

struct Text(u128);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let n = self.0;
        write!(f, "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", n >> 96, n >> 80 & 0xffff, n >> 64 & 0xffff, n >> 48 & 0xffff, n & 0xffff_ffff_ffff)
    }
}

impl fmt::Display for Iuid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(&Text(self.0), f)
    }
}

impl fmt::Debug for Iuid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(&Text(self.0), f)
    }
}

fn read_digits(text: &str) -> Option<u128> {
    let inner = match text.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}')?,
        None => text,
    };
    let (mut number, mut digits, mut last) = (0, 0, '-');
    for c in inner.chars() {
        if c != '-' {
            number = number << 4 | u128::from(c.to_digit(16)?);
            digits += 1;
        } else if last == '-' || digits % 4 != 0 || digits == 32 {
            return None;
        }
        if digits > 32 {
            return None;
        }
        last = c;
    }
    Some(number).filter(|_| digits == 32)
}

impl FromStr for Iuid {
    type Err = Error;

    /// Reads every text that the server reads.
    fn from_str(text: &str) -> Result<Iuid, Error> {
        let id = read_digits(text).and_then(|number| Iuid::try_from(number).ok());
        id.ok_or_else(|| Error::Syntax(text.to_string()))
    }
}

impl TryFrom<u128> for Iuid {
    type Error = Error;

    fn try_from(uuid: u128) -> Result<Iuid, Error> {
        let valid = uuid >> 76 & 0xf == 8 && uuid >> 62 & 3 == 2;
        if valid || uuid == 0 || uuid == u128::MAX {
            Ok(Iuid(uuid))
        } else {
            Err(Error::NotIuid(uuid))
        }
    }
}

impl TryFrom<[u8; 16]> for Iuid {
    type Error = Error;

    fn try_from(bytes: [u8; 16]) -> Result<Iuid, Error> {
        Iuid::try_from(u128::from_be_bytes(bytes))
    }
}

impl From<Iuid> for u128 {
    fn from(id: Iuid) -> u128 {
        id.0
    }
}

impl From<Iuid> for [u8; 16] {
    fn from(id: Iuid) -> [u8; 16] {
        id.0.to_be_bytes()
    }
}

// --- new identifiers (R10 to R15) ----------------------------------------------------------------

type Clock = Box<dyn FnMut() -> SystemTime + Send>;
type Random = Box<dyn FnMut(&mut [u8]) -> io::Result<()> + Send>;

/// Makes identifiers that ascend.  Most programs call [`make`], which is that of one Maker for the process.
pub struct Maker {
    clock: Clock,
    random: Random,
    reading: u128,      // in 4096ths of a millisecond since 1970
    last: Option<u128>, // the lower 42 bits are the tail, the others the time
}

impl Maker {
    pub fn new<C, R>(clock: C, random: R) -> Maker
    where
        C: FnMut() -> SystemTime + Send + 'static,
        R: FnMut(&mut [u8]) -> io::Result<()> + Send + 'static,
    {
        Maker { clock: Box::new(clock), random: Box::new(random), reading: 0, last: None }
    }

    pub fn make(&mut self, country: u8, entity: u8) -> Result<Iuid, Error> {
        let since_1970 = (self.clock)().duration_since(UNIX_EPOCH).map_err(|_| Error::Clock)?;
        if since_1970.as_millis() > LAST_MS {
            return Err(Error::Clock);
        }
        let now = since_1970.as_nanos() * 4096 / 1_000_000;
        let bits = self.draw(6)?;
        let next = match self.last {
            Some(last) if self.reading <= now + TEN_SECONDS && now <= last >> 42 => last + 1 + (bits & 0xffff_ffff),
            _ => {
                self.reading = now;
                now << 42 | bits & ((1 << 42) - 1)
            }
        };
        self.last = Some(next).filter(|next| next >> 54 <= LAST_MS);
        self.last.ok_or(Error::Clock)?;
        Ok(compose(next >> 54, 0, country, entity, next & RANDOM_MAX))
    }

    /// A new identifier of a given time; all its random bits are random (R14).
    pub fn make_at(&mut self, country: u8, entity: u8, at: SystemTime) -> Result<Iuid, Error> {
        let ms = ms_of(at)?;
        Ok(compose(ms, 0, country, entity, self.draw(8)? & RANDOM_MAX))
    }

    fn draw(&mut self, count: usize) -> Result<u128, Error> {
        let mut bytes = [0; 16];
        (self.random)(&mut bytes[16 - count..]).map_err(Error::Random)?;
        Ok(u128::from_be_bytes(bytes))
    }
}

/// The Maker of the process with this id: a child that was forked makes another one (R15).
static PROCESS: Mutex<Option<(u32, Maker)>> = Mutex::new(None);

fn with_process<T>(call: impl FnOnce(&mut Maker) -> Result<T, Error>) -> Result<T, Error> {
    let mut process = PROCESS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match &mut *process {
        Some((id, maker)) if *id == std::process::id() => call(maker),
        other => {
            let mut source = BufReader::new(File::open("/dev/urandom").map_err(Error::Random)?);
            let maker = Maker::new(SystemTime::now, move |bytes| source.read_exact(bytes));
            call(&mut other.insert((std::process::id(), maker)).1)
        }
    }
}

pub fn make(country: u8, entity: u8) -> Result<Iuid, Error> {
    with_process(|maker| maker.make(country, entity))
}

pub fn make_at(country: u8, entity: u8, at: SystemTime) -> Result<Iuid, Error> {
    with_process(|maker| maker.make_at(country, entity, at))
}

// --- bounds (R8, R9) -----------------------------------------------------------------------------

/// The smallest identifier at or after a time.
pub fn floor(at: SystemTime) -> Iuid {
    match at.duration_since(UNIX_EPOCH) {
        Err(_) => Iuid::NIL,
        Ok(since) if since > Duration::from_millis(LAST_MS as u64) => Iuid::MAX,
        Ok(since) => compose((since.as_nanos() + 999_999) / 1_000_000, 0, 0, 0, 0),
    }
}

/// The smallest identifier of a country and entity in order by origin; both can be 256.
pub fn country_floor(country: u16, entity: u16) -> Result<Iuid, Error> {
    for (what, number) in [("country", country), ("entity", entity)] {
        if number > 256 {
            return Err(Error::Origin(what, number));
        }
    }
    let (country, entity) = if entity == 256 { (country + 1, 0) } else { (country, entity) };
    Ok(if country > 255 { Iuid::MAX } else { compose(0, 0, country as u8, entity as u8, 0) })
}

fn ms_of(at: SystemTime) -> Result<u128, Error> {
    let ms = at.duration_since(UNIX_EPOCH).ok().map(|since| since.as_millis());
    ms.filter(|ms| *ms <= LAST_MS).ok_or(Error::Time(at))
}

// --- derived identifiers (R16 to R19) ------------------------------------------------------------

/// The identifier of a string or of bytes.
pub fn from_name(country: u8, entity: u8, name: impl AsRef<[u8]>) -> Iuid {
    let digest = digest(b"iuid.name", name.as_ref());
    compose(digest >> 80, 1, country, entity, digest & RANDOM_MAX)
}

/// The same with a time, in layout 0.
pub fn from_name_at(country: u8, entity: u8, name: impl AsRef<[u8]>, at: SystemTime) -> Result<Iuid, Error> {
    Ok(compose(ms_of(at)?, 0, country, entity, digest(b"iuid.name", name.as_ref()) & RANDOM_MAX))
}

/// The identifier of a UUID of version 1, 6 or 7, with its time.
pub fn from_uuid(uuid: u128, country: u8, entity: u8) -> Result<Iuid, Error> {
    let version = if uuid >> 62 & 3 == 2 { uuid >> 76 & 0xf } else { 0 };
    let ticks = match version {
        1 => (uuid >> 64 & 0xfff) << 48 | (uuid >> 80 & 0xffff) << 32 | uuid >> 96,
        6 => uuid >> 80 << 12 | uuid >> 64 & 0xfff,
        7 => return Ok(compose(uuid >> 80, 0, country, entity, (uuid >> 64 & 0xfff) << 42 | uuid >> 20 & ((1 << 42) - 1))),
        _ => return Err(Error::NoTime(uuid)),
    };
    // Of 100 ns, from 1582-10-15 to 1970.
    let ticks = ticks.checked_sub(0x01B2_1DD2_1381_4000).ok_or(Error::TooEarly(uuid))?;
    Ok(compose(ticks / 10_000, 0, country, entity, digest_of(uuid)))
}

/// The identifier of any UUID and a time.
pub fn from_uuid_at(uuid: u128, country: u8, entity: u8, at: SystemTime) -> Result<Iuid, Error> {
    Ok(compose(ms_of(at)?, 0, country, entity, digest_of(uuid)))
}

fn digest_of(uuid: u128) -> u128 {
    digest(b"iuid.uuid", &uuid.to_be_bytes()) & RANDOM_MAX
}

// --- hidden identifiers (R20, R21) ---------------------------------------------------------------

const ROUNDS: u64 = 30;
const HALF: u64 = (1 << 61) - 1;

/// A UUID of version 4 that tells nothing without the key.
pub fn hide(id: Iuid, key: &[u8; 32]) -> Result<u128, Error> {
    id.country().ok_or(Error::NotHidden(id))?;
    let keys = round_keys(key);
    let (mut left, mut right) = halves(id.0);
    for round in 0..ROUNDS {
        (left, right) = (right, left ^ sip_hash(keys, round, right) & HALF);
    }
    Ok(join(left, right, 4))
}

/// The identifier that was hidden; None for a UUID that no identifier gives.
pub fn reveal(hidden: u128, key: &[u8; 32]) -> Option<Iuid> {
    if hidden >> 76 & 0xf != 4 || hidden >> 62 & 3 != 2 {
        return None;
    }
    let keys = round_keys(key);
    let (mut left, mut right) = halves(hidden);
    for round in (0..ROUNDS).rev() {
        (left, right) = (right ^ sip_hash(keys, round, left) & HALF, left);
    }
    let id = Iuid(join(left, right, 8));
    id.country().map(|_| id)
}

/// BLAKE2b with a key, whose first block is the key.
fn round_keys(key: &[u8; 32]) -> [u64; 2] {
    let mut block = [0; 128];
    block[..32].copy_from_slice(key);
    words(&keyed_digest(b"iuid.hide", 32, &block).to_be_bytes())
}

/// The 122 bits without version and variant.
fn halves(number: u128) -> (u64, u64) {
    let bits = number >> 80 << 74 | (number >> 64 & 0xfff) << 62 | number & ((1 << 62) - 1);
    ((bits >> 61) as u64, bits as u64 & HALF)
}

fn join(left: u64, right: u64, version: u128) -> u128 {
    let bits = u128::from(left) << 61 | u128::from(right);
    bits >> 74 << 80 | version << 76 | (bits >> 62 & 0xfff) << 64 | 2 << 62 | bits & ((1 << 62) - 1)
}

/// SipHash-2-4 of two words.
fn sip_hash([k0, k1]: [u64; 2], first: u64, second: u64) -> u64 {
    let mut v = [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573];
    for word in [first, second, 16 << 56] {
        v[3] ^= word;
        sip_rounds(&mut v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    sip_rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_rounds(v: &mut [u64; 4], rounds: usize) {
    for _ in 0..rounds {
        v[0] = v[0].wrapping_add(v[1]);
        v[2] = v[2].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].rotate_left(32).wrapping_add(v[3]);
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].rotate_left(32);
    }
}

// --- BLAKE2b with personalization, which Rust's library does not have (R16) ----------------------

const IV: [u64; 8] = [
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
];

/// The order of the words of a block in each round: RFC 7693, section 2.7.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().unwrap());
    }
    words
}

fn digest(personal: &[u8], message: &[u8]) -> u128 {
    keyed_digest(personal, 0, message)
}

/// The 16 bytes as a big-endian number.  A key is the first block of the message.
fn keyed_digest(personal: &[u8], key_length: u8, message: &[u8]) -> u128 {
    // The parameter block: 16 bytes of digest, the key, fanout and depth 1; from byte 48 the personalization.
    let mut parameters = [0; 64];
    parameters[..4].copy_from_slice(&[16, key_length, 1, 1]);
    parameters[48..48 + personal.len()].copy_from_slice(personal);
    let mut h: [u64; 8] = words(&parameters);
    for (h, iv) in h.iter_mut().zip(IV) {
        *h ^= iv;
    }
    let mut done = 0;
    loop {
        let part = &message[done..message.len().min(done + 128)];
        let mut block = [0; 128];
        block[..part.len()].copy_from_slice(part);
        done += part.len();
        compress(&mut h, &words(&block), done as u64, done == message.len());
        if done == message.len() {
            return u128::from(h[0].swap_bytes()) << 64 | u128::from(h[1].swap_bytes());
        }
    }
}

/// The function F of RFC 7693, section 3.2.
fn compress(h: &mut [u64; 8], m: &[u64; 16], done: u64, last: bool) {
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..].copy_from_slice(&IV);
    v[12] ^= done;
    if last {
        v[14] = !v[14];
    }
    for round in 0..12 {
        let s = &SIGMA[round % 10];
        for i in 0..4 {
            mix(&mut v, [i, 4 + i, 8 + i, 12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
        }
        for i in 0..4 {
            mix(&mut v, [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4], m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
        }
    }
    for i in 0..8 {
        h[i] ^= v[i] ^ v[i + 8];
    }
}

fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}
