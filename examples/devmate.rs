use std::time::{Duration, Instant};
use tsuru::mate::{Limits, Solver};
use tsuru::shogi::{Position, Rules};
fn cpu() -> f64 { let mut t = libc::timespec{tv_sec:0,tv_nsec:0}; unsafe{libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID,&mut t)}; t.tv_sec as f64 + t.tv_nsec as f64*1e-9 }
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mb: usize = a[1].parse().unwrap();
    let secs: u64 = a[2].parse().unwrap();
    let filter = a.get(3).cloned().unwrap_or_default();
    let text = std::fs::read_to_string("/work/shared/positions/tsume.txt").unwrap();
    let mut solver = Solver::new(mb);
    let (mut total, mut slow, mut nodes) = (0.0, 0, 0u64);
    for (i, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.is_empty() { continue }
        let f: Vec<&str> = line.split(" ; ").collect();
        if !filter.is_empty() && !(f[1] == filter || f[3].contains(&filter)) { continue }
        if filter.is_empty() && f[1] == "1525" { continue }
        let p = Position::from_sfen(f[0], &Rules::default()).unwrap();
        let c = cpu();
        let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(secs)), ..Default::default() };
        let r = solver.solve(&p, &limits);
        let d = cpu() - c;
        total += d;
        let n: u64 = r.split("nodes ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        nodes += n;
        if d > 0.2 || r.contains("Open") || r.contains("LOST") || r.contains("STUCK") || r.contains("ENDLESS") || (r.starts_with("Disproved") != (f[1]=="nomate")) { slow += 1; println!("{i} {} {} {}: {d:.2}s {r}", f[1], f[2], f[3]); }
    }
    println!("total {total:.2}s slow {slow} nodes {nodes} {:.0} kn/s", nodes as f64/total/1000.0);
}
