/**
 * The signs of a message that the classifier weighs: its words, and facts about its subject, its greeting and its links that are the same in
 * all languages. docs/decisions/0136 lists the signs that were tried and did not help.
 */
import { organizationOf } from '../../domains/domain-name.ts';
import { normalForm } from '../../store/search/normal-form.ts';
import { type SpamContent, withoutQuotes } from './mail.ts';
import { isReplyToNothing } from './rules/header.ts';

/** The part of a message that the classifier reads. It ignores fields that a sender can add at no cost, such as List-Id and In-Reply-To. */
export type ClassifiedContent = Pick<
  SpamContent,
  'fields' | 'from' | 'replyTo' | 'subject' | 'plain' | 'shown' | 'links' | 'html'
>;

/** Two signs of 80,000 rarely share a hash of so many bits, and those of all of them are stored in little more than a byte each. */
const HASH_BITS = 22;
/** Spam says what it wants in a few lines. A longer text would only dilute its signs. */
const MAX_TEXT = 4_000;
const MAX_WORDS = 800;
/** Attack: hundreds of harmless words in the Subject or in the sender's name. Mail clients show the beginning. */
const MAX_SUBJECT = 200;
const MAX_NAME = 100;
/** A plain version with less text, and with less than the HTML version, says only that there is an HTML version. */
const LEAST_PLAIN = 200;
const LONGEST_GREETING = 45;
const TOKEN =
  /\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?|\p{Sc}|%|!+|\p{N}[\p{N}.,' ]*/gu;
const WORD = /[\p{L}\p{M}]+/gu;
/** The number of letters with which a word is counted a second time, so that the forms of a word have a sign in common. */
const STEM = 5;
/** The From field of a forwarded message, with the Subject field soon after it. A line of dashes alone proves nothing: spam has those too. */
const FORWARDED =
  /^[ \t]*\*?(?:from|von|de|da|van|od|от|kimden|发件人|差出人|من)\*? ?[:：].{0,300}\n(?:.{0,300}\n){0,4}?\*?(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|тема|konu|主题|件名|الموضوع)\*? ?[:：]/imu;
const LEAST_LETTERS = 60;
const SUBJECT_LENGTHS = [12, 25, 40, 60];

/** What one version of a message says: the plain one or the HTML one. */
interface Version {
  /** The signs as hashes, without repetition. */
  readonly signs: readonly number[];
  /**
   * The signs with the messages that are forwarded in it. Null if it seems to have none.
   *
   * Attack: small talk above spam that looks forwarded. What a known sender forwards has that in its favor (`senders.ts`).
   */
  readonly withForwarded: readonly number[] | null;
  /** The signs of the wording alone, without words of the sender's name and address, which all mail of a sender contains. */
  readonly wording: readonly number[];
}

/** The versions of messages, because several rules and the learned filter need them. */
const VERSIONS = new WeakMap<ClassifiedContent, readonly Version[]>();

/**
 * The versions of a message, each by itself: at least one.
 *
 * Attack: a harmless plain version before spam in HTML. A mail client shows only one of them.
 */
export function versionsOf(content: ClassifiedContent): readonly Version[] {
  const known = VERSIONS.get(content);
  if (known !== undefined) return known;
  const found = textsOf(content).map((text): Version => {
    const readable = readableText(text);
    const own = withoutForwarded(readable);
    const signs = (given: string) => hashesOf(namesOfSigns(content, given, text));
    return {
      signs: signs(own),
      withForwarded: own === readable ? null : signs(readable),
      wording: hashesOf(signsOfText(wordingOf(content, own), new Set(wordsOfSender(content)))),
    };
  });
  VERSIONS.set(content, found);
  return found;
}

/** The signs of the wording of each version. */
export function signsOfWording(content: ClassifiedContent): (readonly number[])[] {
  return versionsOf(content).map(({ wording }) => wording);
}

function textsOf({ plain, shown }: ClassifiedContent): string[] {
  const [first, second] = [plain?.trim() ?? '', shown?.trim() ?? ''];
  if (first === '' || (first.length < LEAST_PLAIN && first.length < second.length)) return [second];
  return second === '' || second === first ? [first] : [first, second];
}

function hashesOf(names: Iterable<string>): number[] {
  return [...new Set([...names].map(hashOf))];
}

/** The beginning of the text. Attack: quoted lines or white space in front of spam. So they are removed first. */
function readableText(text: string): string {
  return withoutQuotes(text)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n\s*\n/g, '\n\n')
    .trimStart()
    .slice(0, MAX_TEXT);
}

/**
 * The text above a forwarded message, if it says enough: a colleague asks whether a message is real. The forwarded message counts if there is
 * little text above it, so that spam gains nothing by the mere look of a forwarded message.
 */
function withoutForwarded(text: string): string {
  const at = text.search(FORWARDED);
  return at === -1 || (text.slice(0, at).match(/\p{L}/gu)?.length ?? 0) < LEAST_LETTERS
    ? text
    : text.slice(0, at);
}

/**
 * @param text the part of the text that counts
 * @param whole the whole text
 */
function* namesOfSigns(content: ClassifiedContent, text: string, whole: string): Generator<string> {
  const { fields, from, replyTo, subject, html } = content;
  yield* signsOfText(wordingOf(content, text));
  for (const word of wordsOfSender(content)) yield `from:${word}`;
  yield* signsOfLinks(content);
  yield* signsOfSubject(subject.slice(0, MAX_SUBJECT), normalForm(withoutLinks(text)));
  yield* signsOfGreeting(whole);
  if (replyTo.domain !== '' && replyTo.domain !== from.domain) yield 'reply:away';
  if (isReplyToNothing({ subject, fields })) yield 'reply:nothing';
  if (html !== null) yield html.images > 0 ? 'html:images' : 'html';
}

function withoutLinks(text: string): string {
  return text.replaceAll(/https?:\/\/\S+/gi, ' ');
}

/** The subject and the text, in normal form. */
function wordingOf({ subject }: ClassifiedContent, text: string): string {
  return `${normalForm(subject.slice(0, MAX_SUBJECT))}\n${normalForm(withoutLinks(text))}`;
}

function wordsOfSender({ from }: ClassifiedContent): Generator<string> {
  return tokensOf(normalForm(`${from.name.slice(0, MAX_NAME)} ${from.address.replaceAll(/[._@-]/g, ' ')}`));
}

/**
 * @param text in normal form, like that of the functions below
 * @param ignored words that do not count
 */
function* signsOfText(text: string, ignored: ReadonlySet<string> = new Set()): Generator<string> {
  let before = '';
  for (const token of tokensOf(text)) {
    const isIgnored = ignored.has(token);
    if (!isIgnored) {
      yield token;
      if (token.length > STEM) yield `${token.slice(0, STEM)}~`;
      if (before !== '') yield `${before} ${token}`;
    }
    before = isIgnored ? '' : token;
  }
}

/** The words and marks. Numbers are replaced by their length, because a sum is rarely the same twice. */
function* tokensOf(text: string): Generator<string> {
  let count = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (++count > MAX_WORDS) return;
    if (token.startsWith('!')) yield `!${Math.min(token.length, 3)}`;
    else if (/^\p{N}/u.test(token)) yield `#${Math.min(token.match(/\p{N}/gu)?.length ?? 0, 9)}`;
    else yield token.slice(0, 24);
  }
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].slice(0, MAX_WORDS).map(([word]) => word.slice(0, 24));
}

function* signsOfLinks({ from, links }: ClassifiedContent): Generator<string> {
  const home = organizationOf(from.domain);
  const count = new Set(links.map(({ url }) => url.hostname + url.pathname)).size;
  const away = links.filter(({ url }) => organizationOf(url.hostname) !== home).length;
  yield `links:${Math.min(count, 4)}`;
  if (count > 0) yield away === 0 ? 'links:home' : away === links.length ? 'links:away' : 'links:both';
}

/** Whether the text begins with a greeting, and how many names that seems to have. Spammers rarely know a name. */
function* signsOfGreeting(text: string): Generator<string> {
  const [line = ''] = withoutQuotes(text)
    .trimStart()
    .slice(0, LONGEST_GREETING + 1)
    .split('\n');
  const greeting = line.trim();
  if (greeting.length > LONGEST_GREETING || !/[,:،，：!。.]$/u.test(greeting)) yield 'greeting:none';
  else yield `greeting:${Math.min(greeting.match(/ \p{Lu}\p{L}/gu)?.length ?? 0, 2)}`;
}

/** @param text the text of the message, in normal form */
function* signsOfSubject(subject: string, text: string): Generator<string> {
  const letters = subject.replaceAll(/\P{L}/gu, '');
  yield `subject:length:${SUBJECT_LENGTHS.filter((length) => subject.length > length).length}`;
  if (letters.length > 5 && letters === letters.toUpperCase() && letters !== letters.toLowerCase())
    yield 'subject:capitals';
  if (/^\p{Ll}/u.test(subject)) yield 'subject:small';
  if (/[!！]/.test(subject)) yield 'subject:exclamation';
  if (/[?？]/.test(subject)) yield 'subject:question';
  if (/\p{N}/u.test(subject)) yield 'subject:digit';
  if (/\p{N}{4}/u.test(subject)) yield 'subject:number';
  if (/[\u{1f300}-\u{1faff}\u2600-\u27bf]/u.test(subject)) yield 'subject:emoji';
  const words = new Set(wordsOf(normalForm(subject)).filter((word) => word.length > 3));
  const inText = new Set(wordsOf(text));
  const repeated = [...words].filter((word) => inText.has(word)).length;
  if (words.size > 0) yield `subject:repeated:${Math.round((3 * repeated) / words.size)}`;
}

/** The first bits of FNV-1a over UTF-16 code units, with a final mix so that the order of the hashes is random. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> (32 - HASH_BITS);
}
