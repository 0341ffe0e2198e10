//! Whatever was sent before and whatever the settings are: a patched message says what a fresh one
//! says, with exact widths in the very same bytes, and what was lent stays as it was.

#[path = "common/oracle.rs"]
mod oracle;
#[path = "common/step.rs"]
mod step;

use std::panic::{AssertUnwindSafe, catch_unwind};

use castile_codec::Draft;
use castile_diff::{Match, Options, Pieces, Stuffing, Template, Templates};
use castile_testkit::Rng;

use step::{MESSAGES, Step, options};

struct Sender {
    template: Template,
    exact: bool,
}

impl Sender {
    fn new(options: Options) -> Sender {
        Sender {
            exact: !options.pad,
            template: Template::new(options),
        }
    }

    fn send(&mut self, step: &Step) -> Pieces {
        let template = &mut self.template;
        MESSAGES.send(step, self.exact, |draft| template.patch(draft))
    }
}

/// Messages of a sequence.
const SEQUENCE: u64 = 40;

/// Messages to try: `make soak` asks for more.
fn messages() -> u64 {
    let asked = std::env::var("CASTILE_SOAK_MESSAGES");
    asked.map_or(6000, |asked| {
        asked.parse().expect("CASTILE_SOAK_MESSAGES is a number")
    })
}

#[test]
fn a_patched_message_says_what_a_fresh_one_says() {
    let mut paused = 0;
    for seed in 0..messages().div_ceil(SEQUENCE) {
        paused += sequence(seed);
        if (seed + 1).is_multiple_of(1000) {
            eprintln!("{} messages", (seed + 1) * SEQUENCE);
        }
    }
    assert!(paused > 0, "keeping never paused");
}

/// Senders at the same time, with random settings and keys, of which some fail or panic.
#[test]
fn each_of_several_senders_says_what_it_means() {
    let rounds = messages().div_ceil(SEQUENCE * THREADS);
    for seed in 0..rounds {
        let mut rng = Rng::new(seed + 77);
        let options = Options {
            copies_max: rng.below(4),
            budget_bytes: *rng.pick(&[usize::MAX, 20_000]),
            ..options(&mut rng)
        };
        let exact = !options.pad;
        let templates = Templates::new(options);
        let first = Step::random(&mut rng);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (templates, step) = (&templates, first.clone());
                scope.spawn(move || concurrent(templates, step, exact, seed * THREADS + thread));
            }
        });
        if (seed + 1).is_multiple_of(250) {
            eprintln!(
                "{} messages of {THREADS} threads",
                (seed + 1) * THREADS * SEQUENCE
            );
        }
    }
}

const THREADS: u64 = 4;

/// What one of them sends: to two keys whose arrays may be shared, and to two that are apart.
fn concurrent(templates: &Templates<u32>, mut step: Step, exact: bool, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut lent: Vec<(Pieces, Vec<u8>)> = Vec::new();
    for _ in 0..SEQUENCE {
        let key = rng.below(4) as u32;
        let encode = |draft: &Draft<'_>| match key {
            0 | 1 => templates.encode(key, draft),
            _ => templates.encode_apart(key, draft),
        };
        match rng.below(20) {
            0 => MESSAGES.fail(&step, encode),
            1 => {
                // Somebody panics after his message was made: what he holds is let go.
                let send = || {
                    MESSAGES.send(&step, exact, encode);
                    std::panic::resume_unwind(Box::new(()))
                };
                let sent: Result<(), _> = catch_unwind(AssertUnwindSafe(send));
                assert!(sent.is_err());
            }
            _ => {
                let pieces = MESSAGES.send(&step, exact, encode);
                lent.push((pieces.clone(), pieces.to_vec()));
                lent.truncate(rng.below(6));
            }
        }
        for _ in 0..rng.below(3) {
            step.edit(&mut rng);
        }
    }
    for (pieces, bytes) in &lent {
        assert!(pieces.to_vec() == *bytes, "seed {seed}: lent bytes changed");
    }
}

/// Messages of two operations that may share arrays, with random settings; gives how many parts were not kept.
fn sequence(seed: u64) -> u64 {
    let mut rng = Rng::new(seed);
    let options = options(&mut rng);
    let (mut sender, mut twin) = (Sender::new(options.clone()), Sender::new(options));
    let mut step = Step::random(&mut rng);
    // Connections that are slow, or were cancelled: what they hold must not change under them.
    let mut lent: Vec<(Pieces, Vec<u8>)> = Vec::new();
    let (mut paused, mut renewed) = (0, 0);
    for _ in 0..SEQUENCE {
        let sender = if rng.once_in(3) { &mut twin } else { &mut sender };
        let pieces = sender.send(&step);
        paused += pieces.report.paused;
        if rng.once_in(3) {
            lent.push((pieces.clone(), pieces.to_vec()));
        }
        if rng.once_in(4) {
            lent.drain(..rng.below(lent.len() + 1));
        }
        if rng.once_in(15) {
            // For some messages everything changes each time.
            renewed = rng.below(25);
        }
        if renewed > 0 {
            renewed -= 1;
            step.renew(&mut rng);
        } else {
            (0..rng.below(4)).for_each(|_| step.edit(&mut rng));
        }
    }
    for (pieces, bytes) in &lent {
        assert!(pieces.to_vec() == *bytes, "seed {seed}: lent bytes changed");
    }
    paused
}

fn steady() -> (Sender, Step) {
    let mut step = Step::random(&mut Rng::new(5));
    step.a = vec![0.125; 3000];
    (Sender::new(Options::default()), step)
}

#[test]
fn the_four_matches_are_told_apart() {
    let (mut sender, mut step) = steady();
    assert_eq!(sender.send(&step).report.kind, Match::FirstTime);
    let same = sender.send(&step).report;
    assert_eq!((same.kind, same.bytes_rewritten), (Match::Content, 0));
    step.a[1500] = 0.375;
    let fits = sender.send(&step).report;
    assert_eq!((fits.kind, fits.values_rewritten), (Match::PerfectStructural, 1));
    step.a[1500] = 0.123456789;
    let grew = sender.send(&step).report;
    assert_eq!((grew.kind, grew.widths_stolen), (Match::PartialStructural, 0));
    assert!((1..17_000).contains(&grew.bytes_shifted), "within a chunk");
    step.number = 7;
    assert_eq!(sender.send(&step).report.kind, Match::PerfectStructural);
    step.number = 77;
    assert_eq!(sender.send(&step).report.kind, Match::PartialStructural);
}

#[test]
fn a_value_that_grows_takes_the_spaces_of_a_neighbour() {
    let (mut sender, mut step) = steady();
    step.a[1003] = 0.123456789;
    sender.send(&step);
    step.a[1003] = 5.0;
    sender.send(&step);
    step.a[1000] = 0.12345;
    let report = sender.send(&step).report;
    assert_eq!(report.widths_stolen, 1);
    assert!(report.bytes_shifted < 200, "{report:?}");
}

#[test]
fn what_is_stuffed_to_its_greatest_width_never_moves() {
    let (_, mut step) = steady();
    let mut sender = Sender::new(Options {
        stuffing: Stuffing::Max,
        ..Options::default()
    });
    (step.flag, step.mesh) = (Vec::new(), Vec::new());
    step.a = vec![0.0; 200];
    step.b = vec![0.0; 200];
    step.wide = vec![0; 200];
    sender.send(&step);
    step.a[7] = -2.225_073_858_507_201_4e-308;
    step.b[7] = -0.000_012_345_679;
    step.wide[7] = i64::MIN;
    let report = sender.send(&step).report;
    assert_eq!(
        (report.values_rewritten, report.bytes_shifted),
        (3, 0),
        "{report:?}"
    );
}

#[test]
fn rows_that_come_and_go_cost_their_own_bytes() {
    let (mut sender, mut step) = steady();
    step.a = (0..50_000).map(|i| f64::from(i) / 7.0).collect();
    let whole = sender.send(&step).report;
    step.a.splice(20_000..20_000, [1.5, 2.5, 3.5]);
    let inserted = sender.send(&step).report;
    assert_eq!(inserted.values_written, 3);
    step.a.drain(100..200);
    let removed = sender.send(&step).report;
    assert_eq!(removed.values_written, 0);
    assert!(inserted.bytes_rewritten + removed.bytes_rewritten < whole.bytes_rewritten / 100);
}

#[test]
fn rows_that_come_and_go_again_and_again_leave_no_crumbs() {
    let (mut sender, mut step) = steady();
    let pieces = sender.send(&step).iter().count();
    for round in 0..200 {
        step.a.insert(round * 13, 0.5);
        step.a.remove(round * 7 + 1);
        step.a.push(1.5);
        sender.send(&step);
    }
    assert!(sender.send(&step).iter().count() < 3 * pieces);
}

#[test]
fn a_message_that_cannot_be_written_spoils_nothing() {
    let (mut sender, mut step) = steady();
    sender.send(&step);
    step.a[7] = 99.0;
    // The arrays before it are patched when this is found out.
    let template = &mut sender.template;
    MESSAGES.fail(&step, |draft| template.patch(draft));
    sender.send(&step);
}
