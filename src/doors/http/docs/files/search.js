// Finds sections of the documentation. The whole text is in memory and has only a few hundred kilobytes, so each key press searches all of
// it.

const MAX_FOUND = 20;
const EXCERPT_LENGTH = 160;
/** Separates the entries in the text of the search index (search-index.ts). */
const SEPARATOR = ' · ';
const SCORES = { title: 40, heading: 30, wholeName: 60, prefix: 8, text: 4, perMatch: 1, maxMatches: 6 };

/** @returns the distinct words of the query, in lower case */
export function wordsOf(query) {
  return [...new Set(query.toLowerCase().split(/\s+/))].filter((word) => word !== '');
}

/** Prepares pages for search by converting their text to lower case once. */
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
    // Text before the first heading describes the whole page, so the title of the page counts in full only for this text.
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

/** Where the excerpt starts: at the start of an entry, such as a field, or a few words before the match if that is too far away. */
function beginOf(text, first) {
  if (first < 40) return 0;
  const entry = text.lastIndexOf(SEPARATOR, first);
  if (entry !== -1 && first - entry < EXCERPT_LENGTH / 2) return entry + SEPARATOR.length;
  return text.indexOf(' ', first - 40) + 1;
}

/** Where the excerpt ends: after a whole word, unless the word is very long. */
function endOf(text, most) {
  if (most >= text.length) return text.length;
  const space = text.lastIndexOf(' ', most);
  return most - space < EXCERPT_LENGTH / 4 ? space : most;
}

/** The text around the first match as a list of pieces, in which matches are marked. */
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
