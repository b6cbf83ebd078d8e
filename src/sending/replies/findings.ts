import { findWords } from './find-words.ts';
import {
  CAUSES,
  type Cause,
  EXISTS,
  NOT,
  TAKES,
  THINGS,
  type Thing,
  type Wrong,
  WRONGS,
} from './vocabulary.ts';

/** What a text says: it names a cause directly, or it names a thing and the thing's fault. */
export type ReplyFinding =
  | Cause
  | 'noDomain'
  | 'noMail'
  | 'sender'
  | 'full'
  | 'size'
  | 'moved'
  | 'gone'
  | 'off'
  | 'offForNow'
  | 'userUnavailable'
  | 'userNot'
  | 'domainNot'
  | 'absent'
  | 'blocked'
  | 'denied';

/**
 * The findings for each fault, as `thing finding`: if the recipient is `missing`, for example, the finding is `unknownUser`. `-` is a fault
 * without a thing. All other combinations have no meaning.
 */
const MEANING: Readonly<Record<Wrong, ReadonlyMap<string, ReplyFinding>>> = {
  missing: table(
    'recipient unknownUser, domain noDomain, sender sender, client listed, message content, group policy, permission denied, - absent',
  ),
  not: table('recipient userNot, domain domainNot'),
  closedToMail: table('domain noMail, recipient denied, client listed, sender sender'),
  withoutMail: table('recipient noMail, domain noMail, service noMail, sender sender, - noMail'),
  onList: table('client listed, domain listed, sender listed, - listed'),
  gone: table('recipient gone, connection network'),
  off: table('recipient off'),
  moved: table('recipient moved'),
  full: table('recipient full, storage full'),
  short: table('storage full'),
  exceeded: table('recipient full, storage full, message size, client listed, connection listed'),
  denied: table(
    'recipient denied, domain denied, sender sender, client listed, message denied, connection network, permission denied, group policy, service denied, other denied, - denied',
  ),
  blocked: table(
    'recipient denied, domain listed, sender sender, client listed, message denied, connection listed, permission denied, - blocked',
  ),
  required: table('permission denied'),
  unavailable: table('recipient userUnavailable'),
};

function table(text: string): ReadonlyMap<string, ReplyFinding> {
  return new Map(text.split(', ').map((pair) => pair.split(' ') as [string, ReplyFinding]));
}

/** One word, or two words that belong together. */
interface Mention<Kind> {
  readonly kind: Kind;
  /** The words as the vocabulary spells them. */
  readonly words: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly clause: number;
}

/** The maximum distance between a thing and its fault within a clause, in characters. */
const REACH = 60;
/** The maximum distance between a negation and its verb within a clause, in characters. */
const NOT_REACH = 30;

/**
 * The findings in a text. Each finding has the vocabulary words that caused it.
 *
 * @param text a text from `normalizeReply`
 */
export function findingsIn(text: string): ReadonlyMap<ReplyFinding, ReadonlySet<string>> {
  const found = new Map<ReplyFinding, Set<string>>();
  const add = (finding: ReplyFinding | undefined, words: readonly string[]): void => {
    if (finding !== undefined) found.set(finding, new Set([...(found.get(finding) ?? []), ...words]));
  };
  for (const { kind, words } of mentions<Cause>(text, CAUSES)) add(kind, words);
  const things = withOwners(text, longest(mentions<Thing>(text, THINGS)));
  const signs = mentions<Thing>(text, SIGNS);
  for (const wrong of [...longest(mentions<Wrong>(text, WRONGS)), ...denials(text, things)]) {
    // "Too many unknown users" refers to a client that tries many addresses, not to this recipient.
    if (TOO_MANY.test(text.slice(Math.max(wrong.start - 12, 0), wrong.start))) continue;
    const thing = nearest(wrong, things) ?? nearest(wrong, signs);
    add(MEANING[wrong.kind].get(thing?.kind ?? '-'), [...wrong.words, ...(thing?.words ?? [])]);
  }
  if (found.has('off') && /temporar/.test(text)) add('offForNow', []);
  return found;
}

const TOO_MANY = /\btoo many $/;

/** The signs of `normalizeReply`. A sign counts as a thing only if no word names a thing. */
const SIGNS = { recipient: ['@'], client: ['#'], domain: ['~'] };

function nearest(wrong: Mention<Wrong>, things: readonly Mention<Thing>[]): Mention<Thing> | null {
  let best: Mention<Thing> | null = null;
  let least = REACH + 1;
  for (const thing of things) {
    const gap = Math.max(wrong.start - thing.end, thing.start - wrong.end);
    // A service needs to be nearer, because of texts such as "not listed in the directory of the server".
    const far = gap + (thing.kind === 'service' ? REACH / 2 : 0);
    if (thing.clause !== wrong.clause || far >= least) continue;
    best = thing;
    least = far;
  }
  if (best?.kind !== 'domain') return best;
  // If the words before a domain mention the sender, the domain belongs to the sender.
  const isSender = ({ kind, start, end, clause }: Mention<Thing>): boolean =>
    kind === 'sender' && clause === wrong.clause && start < wrong.start && wrong.start - end <= REACH;
  return things.find(isSender) ?? best;
}

/** "Sender address" and "your mail domain" refer to the sender, not to the recipient. */
function withOwners(text: string, things: readonly Mention<Thing>[]): Mention<Thing>[] {
  return things.map((thing, index) => {
    if (thing.kind !== 'recipient' && thing.kind !== 'domain') return thing;
    const before = things[index - 1];
    const isOfSender = before?.kind === 'sender' && thing.start - before.end <= 1;
    const isYours =
      /^(?:address|domain)/.test(text.slice(thing.start, thing.end)) &&
      /\byour(?: [a-z-]{1,20})? $/.test(text.slice(Math.max(thing.start - 30, 0), thing.start));
    return isOfSender || isYours ? { ...thing, kind: 'sender' } : thing;
  });
}

/** Negated words, such as "does not exist", "could not find any", "no mailbox here", "is not a user" or "user not in the directory". */
function denials(text: string, things: readonly Mention<Thing>[]): Mention<Wrong>[] {
  const verbs = mentions<Wrong>(text, { missing: EXISTS, closedToMail: TAKES });
  return mentions<'missing'>(text, { missing: NOT }).flatMap((not): Mention<Wrong>[] => {
    const verb = verbs.find(({ start }) => start >= not.end && start - not.end <= NOT_REACH);
    if (verb?.clause === not.clause) {
      return [{ ...verb, words: [...not.words, ...verb.words], start: not.start }];
    }
    const after = things.find(({ start }) => start >= not.end);
    const between = text.slice(not.end, after?.start ?? 0);
    const isNone = not.words.includes('no') ? /^(?: [a-z]+)? $/ : /^ an? (?:[a-z]+ )?$/;
    if (after?.kind === 'recipient' && isNone.test(between)) return [not];
    const before = things.findLast(({ end }) => end <= not.start);
    const isAdjacent = /^ (?:(?:is|are|was|has) )?$/.test(text.slice(before?.end ?? not.start, not.start));
    return isAdjacent && !OTHERWISE.test(text.slice(not.end, not.end + REACH))
      ? [{ ...not, kind: 'not' }]
      : [];
  });
}

/** Continuations of "user not" that do not show whether the user exists. */
const OTHERWISE =
  /^(?: (?:currently|been|be|being|able|to|yet|a))* (?:allow|permit|authori|accept|activ|enabl|avail|deliver|receiv|respond|want|wish|agree|subscri|member|verif|been$|$)/;

/** The listed words in the text, in order. If several words begin at the same position, the longest word is first. */
function mentions<Kind extends string>(
  text: string,
  lists: Readonly<Partial<Record<Kind, readonly string[]>>>,
): Mention<Kind>[] {
  const stops = [...text.matchAll(/\|/g)].map(({ index }) => index);
  let clause = 0;
  return (Object.keys(lists) as Kind[])
    .flatMap((kind) => findWords(text, lists[kind] ?? []).map((found) => ({ ...found, kind })))
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map(({ kind, word, start, end }) => {
      while ((stops[clause] ?? text.length) < start) clause += 1;
      return { kind, words: [word], start, end, clause };
    });
}

/** Drops mentions inside longer mentions: the "name" in "host name" is not a mention. */
function longest<Kind>(sorted: readonly Mention<Kind>[]): Mention<Kind>[] {
  let reached = -1;
  return sorted.filter(({ end }) => {
    const isLonger = end > reached;
    if (isLonger) reached = end;
    return isLonger;
  });
}
