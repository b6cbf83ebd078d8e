// Finds sections of the documentation. The whole text is in memory; it is only a few hundred kilobytes, so each key press searches all of it.

const MAX_FOUND = 20;
const EXCERPT_LENGTH = 160;
/** Separates entries (search-index.ts). */
const SEPARATOR = ' · ';
const SCORES = { title: 40, heading: 30, wholeName: 60, prefix: 8, text: 4, perMatch: 1, maxMatches: 6 };

/** @returns the distinct words in lower case */
export function wordsOf(query) {
  return [...new Set(query.toLowerCase().split(/\s+/))].filter((word) => word !== '');
}

/** Prepares pages for search: converts their text to lower case once. */
export function prepare(pages) {
  return pages.flatMap(({ path, title, group, sections }) =>
    sections.map(({ id, heading, text }) => ({
      path,
      title,
      group,
      id,
      heading,
      text,
      lower: { title: title.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase() },
    })),
  );
}

/** The sections that contain every word, best first. */
export function search(sections, query) {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const phrase = words.join(' ');
  return sections
    .map((section) => ({ section, score: scoreOf(section, words, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_FOUND)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section, words) }));
}

function scoreOf({ id, lower }, words, phrase) {
  let score = 0;
  for (const word of words) {
    // Text before the first heading is about the whole page.
    const inTitle = lower.title.includes(word) ? (id === '' ? SCORES.title : SCORES.title / 8) : 0;
    const inHeading = lower.heading.includes(word) ? SCORES.heading : 0;
    const inText = textScore(lower.text, word);
    const sum = inTitle + inHeading + inText;
    if (sum === 0) return 0;
    score += sum + (startsWord(lower.heading, word) || startsWord(lower.title, word) ? SCORES.prefix : 0);
  }
  if (lower.heading === phrase || (id === '' && lower.title === phrase)) score += SCORES.wholeName;
  else if (words.length > 1 && (lower.heading.includes(phrase) || lower.text.includes(phrase)))
    score += SCORES.heading;
  return score;
}

function textScore(text, word) {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < SCORES.maxMatches; at = text.indexOf(word, at + 1))
    count += 1;
  return count === 0 ? 0 : SCORES.text + count * SCORES.perMatch;
}

function startsWord(text, word) {
  const at = text.indexOf(word);
  return at === 0 || (at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1]));
}

/** The start of the entry, such as a field or a list item; if that is far away, a few words before the match. */
function beginOf(text, first) {
  if (first < 40) return 0;
  const entry = text.lastIndexOf(SEPARATOR, first);
  if (entry !== -1 && first - entry < EXCERPT_LENGTH / 2) return entry + SEPARATOR.length;
  return text.indexOf(' ', first - 40) + 1;
}

/** Ends after a whole word, unless that word is very long. */
function endOf(text, most) {
  if (most >= text.length) return text.length;
  const space = text.lastIndexOf(' ', most);
  return most - space < EXCERPT_LENGTH / 4 ? space : most;
}

/** The text around the first match, in pieces, with the matches marked. */
function excerptOf({ text, lower }, words) {
  const places = words.map((word) => lower.text.indexOf(word)).filter((at) => at !== -1);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const from = beginOf(text, first);
  const cut = text.slice(from, endOf(text, from + EXCERPT_LENGTH));
  const escaped = words.map((word) => word.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&'));
  const pattern = new RegExp(`(${escaped.join('|')})`, 'giu');
  const pieces = `${from > 0 ? '… ' : ''}${cut}${from + cut.length < text.length ? ' …' : ''}`.split(pattern);
  return pieces.map((piece, at) => ({ text: piece, isMatch: at % 2 === 1 }));
}
