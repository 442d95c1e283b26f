//! What charts in a terminal are drawn on.

/// The dots of a letter of the block Braille Patterns, by row and column, as Unicode counts them.
const BRAILLE_DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// The letter of that block that has no dots.
const BRAILLE: u32 = 0x2800;

/// The letters that a chart is made of, in UTF-8 or in ASCII.
pub(crate) struct Letters {
    /// Dots of a letter: across, and from its top to its bottom.
    pub(crate) dots: [usize; 2],
    /// A letter by the dots that it has: bit 0 is the first of the first row, and so on.
    line: fn(u32) -> char,
    pub(crate) side: char,
    /// Where a part of the scale is left out.
    pub(crate) broken: char,
    pub(crate) tick: char,
    pub(crate) corner: char,
    pub(crate) rule: char,
    pub(crate) mark: char,
    pub(crate) bar: char,
    pub(crate) bar_ends: [char; 2],
    pub(crate) average: char,
}

const UTF_8: Letters = Letters {
    dots: [2, 4],
    line: |dots| char::from_u32(BRAILLE + dots).unwrap_or(' '),
    side: '│',
    broken: '┊',
    tick: '┤',
    corner: '└',
    rule: '─',
    mark: '┴',
    bar: '─',
    bar_ends: ['├', '┤'],
    average: '●',
};

const ASCII: Letters = Letters {
    dots: [1, 1],
    line: |_| '*',
    side: '|',
    broken: ':',
    tick: '+',
    corner: '+',
    rule: '-',
    mark: '+',
    bar: '-',
    bar_ends: ['|', '|'],
    average: '*',
};

impl Letters {
    pub(crate) fn new(is_utf8: bool) -> &'static Self {
        if is_utf8 { &UTF_8 } else { &ASCII }
    }
}

/// Lines of dots.
pub(crate) struct Canvas {
    letters: &'static Letters,
    rows: Vec<Vec<u32>>,
}

impl Canvas {
    pub(crate) fn new(letters: &'static Letters, width: usize, height: usize) -> Self {
        Self { letters, rows: vec![vec![0; width]; height] }
    }

    /// Draws the dots of a line in a column of dots, from the upper to the lower.
    pub(crate) fn line(&mut self, column: usize, from: usize, to: usize) {
        let [across, down] = self.letters.dots;
        for dot in from..=to {
            let bit = BRAILLE_DOTS[dot % down][column % across];
            if let Some(row) = self.rows.get_mut(dot / down) {
                row[column / across] |= bit;
            }
        }
    }

    /// What is drawn, a text a row.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = String> {
        let line = self.letters.line;
        let drawn = move |dots| if dots == 0 { ' ' } else { line(dots) };
        self.rows.into_iter().map(move |row| row.into_iter().map(drawn).collect())
    }
}

/// The lowest and the highest value of a line through some values within each of some columns.
pub(crate) fn spans(values: &[f64], columns: usize) -> Vec<[f64; 2]> {
    let last = values.len().saturating_sub(1) as f64;
    let at = |place: f64| {
        let [before, behind] = [place.floor(), place.ceil()].map(|index| values[index as usize]);
        before + (behind - before) * place.fract()
    };
    let span = |column: usize| {
        let [from, to] = [column, column + 1].map(|end| last * end as f64 / columns as f64);
        let within = values.iter().take(to.floor() as usize + 1).skip(from.ceil() as usize);
        let ends = [at(from), at(to.min(last))];
        within.chain(&ends).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(*value), high.max(*value)]
        })
    };
    (0..columns).map(span).collect()
}
