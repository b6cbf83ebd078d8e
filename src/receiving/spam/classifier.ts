/**
 * The trained classifier: how much a message reads like spam, in any language, before its mailbox has learned anything. `test/spam/train.ts`
 * computes the weights from the sample mail in `test/spam`.
 */
import { normalForm } from '../../store/search/normal-form.ts';
import weightsFile from './classifier-weights.json' with { type: 'json' };
import { type SpamContent, withoutQuotes } from './mail.ts';
import { organization } from './rules/author.ts';
import { isReplyToNothing } from './rules/header.ts';

/** The part of a message that the classifier reads. It ignores fields that a sender can add at no cost, such as List-Id and In-Reply-To. */
export type ClassifiedContent = Pick<
  SpamContent,
  'fields' | 'from' | 'replyTo' | 'subject' | 'text' | 'links' | 'html'
>;

/** The weights of the signs that are worth one, by the hash of the sign. */
export interface ClassifierModel {
  readonly bias: number;
  /** The factor by which the weights are multiplied. */
  readonly scale: number;
  readonly weights: ReadonlyMap<number, number>;
}

/** As many bits of a hash are stored with a weight. Two signs of 20,000 rarely share a hash. */
const HASH_BITS = 24;
/** Spam says what it wants in a few lines. A longer text would only dilute its signs. */
const MAX_TEXT = 4_000;
const MAX_WORDS = 800;
/** A message with fewer signs says too little to be classified. */
const LEAST_SIGNS = 25;
const WORD =
  /\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?|\p{Sc}|%|!+|\p{N}[\p{N}.,' ]*/gu;
/** The number of letters with which a word is counted a second time, so that the forms of a word have a sign in common. */
const STEM = 5;
/** The From field of a forwarded message, with the Subject field soon after it. A line of dashes alone proves nothing: spam has those too. */
const FORWARDED =
  /^[ \t]*\*?(?:from|von|de|da|van|od|от|kimden|发件人|差出人|من)\*? ?[:：].{0,300}\n(?:.{0,300}\n){0,4}?\*?(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|тема|konu|主题|件名|الموضوع)\*? ?[:：]/imu;
const LEAST_LETTERS = 60;

const SHIPPED = unpackModel(weightsFile);

/** A model as it is stored: for each sign of the sample mail, neutral ones too (`rareSignsOf`), its hash in three bytes and its weight from -128 to 127, in base64. */
export interface PackedModel {
  bias: number;
  scale: number;
  weights: string;
}

export function unpackModel({ bias, scale, weights }: PackedModel): ClassifierModel {
  const packed = Buffer.from(weights, 'base64');
  const entries = Array.from(
    { length: packed.length / 4 },
    (_, at) => [packed.readUIntLE(at * 4, 3), packed.readInt8(at * 4 + 3)] as const,
  );
  return { bias, scale, weights: new Map(entries) };
}

export function packModel({ bias, scale, weights }: ClassifierModel): PackedModel {
  const entries = [...weights].sort(([a], [b]) => a - b);
  const packed = Buffer.alloc(entries.length * 4);
  for (const [at, [sign, weight]] of entries.entries()) {
    packed.writeUIntLE(sign, at * 4, 3);
    packed.writeInt8(weight, at * 4 + 3);
  }
  return { bias, scale, weights: packed.toString('base64') };
}

/** The signs of messages, because several rules and the learned filter need them. */
const SIGNS = new WeakMap<ClassifiedContent, readonly number[]>();

/**
 * How much the message reads like spam: positive if spam is more likely than wanted mail. -Infinity if the
 * message says too little for a result.
 */
export function spamLikeness(content: ClassifiedContent): number {
  const likeness = likenessIn(SHIPPED, signsOf(content));
  const whole = readableText(content);
  if (withoutForwarded(whole) === whole) return likeness;
  // Attack: small talk above spam that looks forwarded. What a known sender forwards has that in its favor (`senders.ts`).
  return Math.max(likeness, likenessIn(SHIPPED, hashesOf(namesOfSigns(content, whole))));
}

/** The signs that the sample mail does not have, or only once. Common signs occur in all kinds of mail. */
export function rareSignsOf(content: ClassifiedContent): number[] {
  return signsOf(content).filter((sign) => !SHIPPED.weights.has(sign));
}

/** The likeness of a message with these signs (`spamLikeness`). */
export function likenessIn({ bias, scale, weights }: ClassifierModel, signs: readonly number[]): number {
  if (signs.length < LEAST_SIGNS) return -Infinity;
  const sum = signs.reduce((total, sign) => total + (weights.get(sign) ?? 0), 0);
  return bias + (scale * sum) / Math.sqrt(signs.length);
}

/** The signs of a message as hashes, without repetition. */
export function signsOf(content: ClassifiedContent): readonly number[] {
  const known = SIGNS.get(content);
  if (known !== undefined) return known;
  const found = hashesOf(namesOfSigns(content, withoutForwarded(readableText(content))));
  SIGNS.set(content, found);
  return found;
}

function hashesOf(names: Iterable<string>): number[] {
  return [...new Set([...names].map(hashOf))];
}

/** The beginning of the text. Attack: quoted lines or white space in front of spam. So they are removed first. */
function readableText({ text }: ClassifiedContent): string {
  return withoutQuotes(text)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n\s*\n/g, '\n\n')
    .trimStart()
    .slice(0, MAX_TEXT);
}

/** @param text the part of the text that counts */
function* namesOfSigns(
  { fields, from, replyTo, subject, links, html }: ClassifiedContent,
  text: string,
): Generator<string> {
  yield* signsOfText(`${subject}\n${text.replaceAll(/https?:\/\/\S+/gi, ' ')}`);
  for (const word of wordsOf(`${from.name} ${from.address.replaceAll(/[._@-]/g, ' ')}`)) yield `from:${word}`;
  const home = organization(from.domain);
  const elsewhere = links.filter(({ domain }) => domain !== home).length;
  yield `links:${Math.min(links.length, 4)}`;
  if (links.length > 0)
    yield elsewhere === 0 ? 'links:home' : elsewhere === links.length ? 'links:away' : 'links:both';
  if (replyTo.domain !== '' && replyTo.domain !== from.domain) yield 'reply:away';
  if (isReplyToNothing({ subject, fields })) yield 'reply:nothing';
  if (html !== null) yield html.images > 0 ? 'html:images' : 'html';
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

function* signsOfText(text: string): Generator<string> {
  let before = '';
  for (const word of wordsOf(text)) {
    yield word;
    if (word.length > STEM) yield `${word.slice(0, STEM)}~`;
    if (before !== '') yield `${before} ${word}`;
    before = word;
  }
}

/** The words in normal form. Numbers are replaced by their length, because a sum is rarely the same twice. */
function* wordsOf(text: string): Generator<string> {
  let count = 0;
  for (const [word] of normalForm(text).matchAll(WORD)) {
    if (++count > MAX_WORDS) return;
    if (word.startsWith('!')) yield `!${Math.min(word.length, 3)}`;
    else if (/^\p{N}/u.test(word)) yield `#${Math.min(word.match(/\p{N}/gu)?.length ?? 0, 9)}`;
    else yield word.slice(0, 24);
  }
}

/** The first bits of FNV-1a over UTF-16 code units, with a final mix so that the order of the hashes is random. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> (32 - HASH_BITS);
}
