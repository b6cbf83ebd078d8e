import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const CITING = ['src/**/*.ts', 'sdk/src/**/*.ts', 'docs/**/*.md'];

/** The formats of lines, as described at the top of `index.txt`. */
const LINE =
  /^(?:#.*|== (?<section>\S.*)|(?<number>\d{3,5}) {2}(?<title>\S.*)| {6}(?<files>(?:src|sdk|docs)\S*(?: \S+)*)| {6}(?:(?<full>full)|(?<extent>partly|not): +(?<text>\S.*))| {14}(?<more>\S.*)|)$/;

interface Entry {
  section: string;
  number: number;
  title: string;
  files: string[];
  /** The extents of the entry: `full`, `partly` or `not`. */
  extents: string[];
  texts: string[];
}

/** Parses the text of `index.txt`. @throws AssertionError if a line is invalid or misplaced */
function readIndex(text: string): Entry[] {
  const entries: Entry[] = [];
  let section: string | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const found = LINE.exec(line)?.groups;
    assert.ok(found, `line ${at + 1}: ${line}`);
    const { number, title = '', files, full, extent, more } = found;
    section = found['section'] ?? section;
    if (number !== undefined) {
      assert.ok(section, `line ${at + 1}: no section above it`);
      entries.push({ section, number: Number(number), title, files: [], extents: [], texts: [] });
    }
    const extentWord = full ?? extent;
    const added = found['text'] ?? more;
    if (files === undefined && extentWord === undefined && added === undefined) continue;
    const entry = entries.at(-1);
    assert.ok(entry !== undefined && entry.section === section, `line ${at + 1}: no entry above it`);
    if (more !== undefined)
      assert.notEqual(entry.texts.length, 0, `line ${at + 1}: a continuation without a text above it`);
    if (files !== undefined) entry.files.push(...files.split(' '));
    if (extentWord !== undefined) entry.extents.push(extentWord);
    if (added !== undefined) entry.texts.push(added);
  }
  return entries;
}

/** Returns the numbers of cited RFCs, also for `RFC 2045 to 2047`, `RFCs 3464, 5965 and 6533`, and citations across comment lines. */
function citedIn(text: string): number[] {
  const joined = text.replaceAll(/\s*\n\s*(?:\*|\/\/|>)?\s*/g, ' ');
  return [...joined.matchAll(/\bRFCs? (\d{3,5}(?:(?:,| to| and| or|, and) \d{3,5})*)\b/g)].flatMap(
    ([, list = '']) => {
      const numbers = [...list.matchAll(/(to )?(\d+)/g)];
      return numbers.flatMap(([, isRange, last], at) => {
        const first = isRange === undefined ? Number(last) : Number(numbers[at - 1]?.[2]) + 1;
        return Array.from({ length: Number(last) - first + 1 }, (_, step) => first + step);
      });
    },
  );
}

const index = readIndex(readFileSync(join(import.meta.dirname, 'index.txt'), 'utf8'));

test('the index lists every RFC that the code or the documentation cites', () => {
  const known = new Set(index.map(({ number }) => number));
  const files = globSync(CITING, { cwd: ROOT });
  const missing = files.flatMap((file) => {
    const cited = new Set(citedIn(readFileSync(join(ROOT, file), 'utf8')));
    return [...cited].filter((number) => !known.has(number)).map((number) => `RFC ${number} in ${file}`);
  });
  assert.deepEqual(missing.toSorted(), []);
  assert.ok(files.length > 100);
});

test('every file and folder in the index exists', () => {
  const named = new Set(index.flatMap(({ files }) => files));
  assert.deepEqual(
    [...named].filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});

test('every entry of the index is full, or partly with the missing parts, or not with a reason', () => {
  for (const { section, number, extents, texts, files } of index) {
    const where = `${section}: RFC ${number}`;
    assert.equal(extents.length, 1, where);
    const isFull = extents[0] === 'full';
    assert.equal(texts.length === 0, isFull, where);
    assert.equal(files.length === 0, extents[0] === 'not', where);
  }
});

test('the entries of the index are sorted and unique within their section, and each section is contiguous', () => {
  const bySection = Map.groupBy(index, ({ section }) => section);
  assert.deepEqual(
    index,
    [...bySection.values()].flatMap((entries) => entries.toSorted((a, b) => a.number - b.number)),
  );
  for (const [section, entries] of bySection) {
    const numbers = entries.map(({ number }) => number);
    assert.deepEqual(numbers, [...new Set(numbers)], section);
  }
});

test('an RFC has the same title in all sections of the index', () => {
  for (const [number, entries] of Map.groupBy(index, (entry) => entry.number)) {
    assert.equal(new Set(entries.map(({ title }) => title)).size, 1, `RFC ${number}`);
  }
});

const CITATIONS: [text: string, numbers: number[]][] = [
  ['(RFC 5321, section 4.5.3.1.4)', [5321]],
  ['see RFC 2045 to 2047, and RFC 6532.', [2045, 2046, 2047, 6532]],
  ['RFCs 3464, 5965 and 6533', [3464, 5965, 6533]],
  ['/**\n * RFC\n * 5321\n */ // RFC\n  // 7505', [5321, 7505]],
  ['RFC 1870: up to 20 digits; RFC 3207, 4.2', [1870, 3207]],
  ['Final-Recipient: RFC822;a@b.test, message/rfc822', []],
];
for (const [text, numbers] of CITATIONS) {
  test(`citedIn finds ${numbers.join(', ') || 'nothing'} in ${JSON.stringify(text)}`, () =>
    assert.deepEqual(citedIn(text), numbers));
}

for (const [what, text] of [
  ['an entry without a section', '5321  Simple Mail Transfer Protocol'],
  [
    'an extent other than full, partly and not',
    '== SMTP\n5321  Simple Mail Transfer Protocol\n      mostly: no VRFY',
  ],
  ['an extent without its text', '== SMTP\n5321  Simple Mail Transfer Protocol\n      partly:'],
  ['text after full', '== SMTP\n5321  Simple Mail Transfer Protocol\n      full: but for VRFY'],
  [
    'a continuation without a text above it',
    '== SMTP\n5321  Simple Mail Transfer Protocol\n              no VRFY',
  ],
  ['files without an entry', '== A\n5321  Simple Mail Transfer Protocol\n      full\n== B\n      src/rfc'],
] as const) {
  test(`readIndex rejects ${what}`, () => assert.throws(() => readIndex(text), assert.AssertionError));
}
