use std::{fs::File, io::Read, time::Instant};

fn measure(way: &str, count: u32, mut call: impl FnMut()) {
    let begin = Instant::now();
    for _ in 0..count {
        call();
    }
    println!("{way}\t{}", begin.elapsed().as_nanos() as f64 / f64::from(count));
}

fn main() {
    let count = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut random = File::open("/dev/urandom").unwrap();
    let mut id = [0; 16];
    measure("make(7, 1)", count, || {
        iuid::make(7, 1).unwrap();
    });
    measure("16 bytes of /dev/urandom", count, || random.read_exact(&mut id).unwrap());
}
