/** Parses POSTHORN_DNSBL and POSTHORN_URIBL (docs/operate/spam.md, Blocklists). */

/** What a list contains: addresses of clients, or domains of links. */
export type ListKind = 'address' | 'domain';

/** One kind of listing, with the answers that mean it. */
interface ListCode {
  /** Answers from the first to the last address, as numbers. */
  readonly from: number;
  readonly to: number;
  /** If not 0, only answers whose last number contains this bit, and not the bit 1, by which lists with bits refuse queries. */
  readonly bit: number;
  readonly points: number;
}

export interface ListSettings {
  readonly kind: ListKind;
  /** The zone without its key: this name is shown to users. */
  readonly name: string;
  /** The zone that is queried. Secret if it contains a key. */
  readonly zone: string;
  readonly codes: readonly ListCode[];
  /** The first labels of a name that the list must contain. */
  readonly listed: string;
  /** The first labels of a name that the list must not contain. */
  readonly unlisted: string;
}

/** The rules of listings, and what they mean to users. The name of the list follows both: `ADDRESS_LISTED:zen.spamhaus.org`. */
const LISTINGS: Readonly<Record<ListKind, { rule: string; meaning: string }>> = {
  address: { rule: 'ADDRESS_LISTED', meaning: 'the sending address is on' },
  domain: { rule: 'DOMAIN_LISTED', meaning: 'a link leads to a domain on' },
};

/** The name of the rule for listings in a list. */
export function listingRule({ kind, name }: Pick<ListSettings, 'kind' | 'name'>): string {
  return `${LISTINGS[kind].rule}:${name}`;
}

/** The meaning of a rule for listings, in words for users. Null for another rule. */
export function meaningOfListing(rule: string): string | null {
  const [kind, ...name] = rule.split(':');
  const listing = Object.values(LISTINGS).find((each) => each.rule === kind);
  return listing === undefined ? null : `${listing.meaning} ${name.join(':')}`;
}

/** The maximum number of lists of one kind. Each is queried for each message. */
export const MAX_LISTS = 10;
/** The points of a listing. The default is below the Junk threshold of every level, so that one list alone puts nothing into Junk. */
const POINTS = { default: 3, min: 0.1, max: 9 } as const;
/** The maximum length of a zone with its key. An IPv6 address takes 64 characters in front of it. */
const MAX_ZONE = 180;

/** The entries that every list must and must not contain (RFC 5782, section 5). */
const TEST_POINTS: Readonly<Record<ListKind, { listed: string; unlisted: string }>> = {
  address: { listed: '2.0.0.127', unlisted: '1.0.0.127' },
  domain: { listed: 'test', unlisted: 'invalid' },
};

/**
 * Lists whose answers need not be written out. The answers are those that the operators of the lists document. Domain lists document a test
 * point of their own instead of `test`.
 */
export const KNOWN_LISTS: Readonly<
  Record<string, { kind: ListKind; codes: string; listed?: string; needsKey?: true }>
> = {
  'zen.spamhaus.org': { kind: 'address', codes: '127.0.0.2-127.0.0.4+127.0.0.9-127.0.0.11' },
  'zen.dq.spamhaus.net': {
    kind: 'address',
    codes: '127.0.0.2-127.0.0.4+127.0.0.9-127.0.0.11',
    needsKey: true,
  },
  'bl.spamcop.net': { kind: 'address', codes: '127.0.0.2' },
  'b.barracudacentral.org': { kind: 'address', codes: '127.0.0.2' },
  'psbl.surriel.com': { kind: 'address', codes: '127.0.0.2' },
  // Without 127.0.1.102 to 127.0.1.106: domains of others that were abused.
  'dbl.spamhaus.org': { kind: 'domain', codes: '127.0.1.2+127.0.1.4-127.0.1.6', listed: 'dbltest.com' },
  'dbl.dq.spamhaus.net': {
    kind: 'domain',
    codes: '127.0.1.2+127.0.1.4-127.0.1.6',
    listed: 'dbltest.com',
    needsKey: true,
  },
  // Without the bit 128: websites of others that were broken into.
  'multi.surbl.org': {
    kind: 'domain',
    codes: 'bit8+bit16+bit64',
    listed: 'surbl-org-permanent-test-point.com',
  },
  // The black list alone. The bits 4 and 8 are its grey and red lists, which contain wanted mail too.
  'multi.uribl.com': { kind: 'domain', codes: 'bit2', listed: 'test.uribl.com' },
};

/** Names under which each list is queried with a key. */
const KEYED_PARENTS = ['dq.spamhaus.net', 'mail.abusix.zone'];
/** A label that is too long and mixed for the name of a list. */
const KEY_LIKE = /(?=[a-z-]*\d)[a-z0-9]{20,}/i;

const ENTRY =
  /^(?:(?<key>[a-z0-9-]{1,63})@)?(?<zone>[a-z0-9.-]+)(?:=(?<codes>[a-z0-9.+-]+))?(?::(?<points>\d(?:\.\d)?))?$/;
/** Labels in front of a zone that is queried with a key. */
const KEYED_ZONES = [...Object.keys(KNOWN_LISTS), ...KEYED_PARENTS.map((parent) => `[a-z0-9-]+.${parent}`)];
const MISPLACED_KEY = new RegExp(
  `[^,\\s@]+\\.(?=(?:${KEYED_ZONES.join('|').replaceAll('.', '\\.')})(?:[^a-z0-9.-]|$))`,
  'gi',
);
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const BITS: ReadonlySet<number> = new Set([2, 4, 8, 16, 32, 64, 128]);

/** The first and last possible answers. 127.255.0.0/16 means an error, by the convention of several lists. */
const FIRST = addressNumber('127.0.0.2') ?? 0;
const LAST = addressNumber('127.254.255.255') ?? 0;

/**
 * Whether an answer means that the query was refused, or that the server is not that of a list: 127.0.0.1 and 127.255.0.0/16, and everything
 * outside 127.0.0.0/8 (RFC 5782, section 2.1).
 */
export function isRefusal(answer: string): boolean {
  const number = addressNumber(answer);
  return number === null || number < FIRST || number > LAST;
}

/** The points for the answers of a list: those of its strongest listing. 0 if none of the answers is documented. */
export function pointsOf({ codes }: Pick<ListSettings, 'codes'>, answers: readonly string[]): number {
  const numbers = answers.filter((answer) => !isRefusal(answer)).map((answer) => addressNumber(answer) ?? 0);
  const points = codes.map((code) => (numbers.some((number) => matches(code, number)) ? code.points : 0));
  return Math.max(0, ...points);
}

function matches({ from, to, bit }: ListCode, number: number): boolean {
  return number >= from && number <= to && (bit === 0 || (number & (bit | 1)) === bit);
}

/**
 * Parses a setting: `zone[=answers][:points]`, separated by commas.
 * @returns the lists in their order; or the reason why an item is invalid, without its key
 */
export function parseLists(kind: ListKind, text: string): ListSettings[] | { error: string } {
  const lists = new Map<string, ListSettings>();
  for (const item of text.toLowerCase().split(',')) {
    const trimmed = item.trim();
    if (trimmed === '') continue;
    const parsed = parseList(kind, trimmed);
    if ('error' in parsed)
      return { error: `invalid at ${JSON.stringify(withoutKeys(trimmed))}: ${parsed.error}` };
    const earlier = lists.get(parsed.zone);
    lists.set(parsed.zone, { ...parsed, codes: [...(earlier?.codes ?? []), ...parsed.codes] });
  }
  if (lists.size === 0) return { error: 'a list without items' };
  return lists.size > MAX_LISTS ? { error: `a list of more than ${MAX_LISTS} zones` } : [...lists.values()];
}

/** Replaces the keys in the text of a setting by `***`, also if a key is written in front of a dot by mistake. */
export function withoutKeys(text: string): string {
  return text
    .replaceAll(/[^,\s@]*@/g, '***@')
    .replaceAll(MISPLACED_KEY, '***.')
    .replaceAll(/(?<=^|[,\s@.])[^,\s@.=:]+/g, (label) => (KEY_LIKE.test(label) ? '***' : label))
    .replaceAll(/(?<=@)[^,\s.]+(?=[,\s]|$)/g, '***');
}

function parseList(kind: ListKind, item: string): ListSettings | { error: string } {
  const parts = ENTRY.exec(item)?.groups;
  const { key, zone: name, codes: written, points = `${POINTS.default}` } = parts ?? {};
  if (name === undefined) return { error: 'the form is not zone=answers:points' };
  const labels = name.split('.');
  const zone = key === undefined ? name : `${key}.${name}`;
  if (labels.length < 2 || zone.length > MAX_ZONE || !zone.split('.').every((label) => LABEL.test(label)))
    return { error: 'the zone is not a domain name' };
  const known = Object.hasOwn(KNOWN_LISTS, name) ? KNOWN_LISTS[name] : undefined;
  if (known !== undefined && known.kind !== kind)
    return { error: `the zone lists ${known.kind === 'domain' ? 'domains' : 'addresses'}` };
  const needsKey = known?.needsKey === true || KEYED_PARENTS.some((parent) => name.endsWith(`.${parent}`));
  if (needsKey && key === undefined && zoneWithoutKey(name, labels) === null)
    return { error: `the key is missing: write key@${name}` };
  const keyed = zoneWithoutKey(name, labels);
  if (keyed !== null) return { error: `the key is not in front of an @: write key@${keyed}` };
  const text = written ?? known?.codes;
  if (text === undefined) return { error: 'the answers are missing, as in list.example=127.0.0.2' };
  if (Number(points) < POINTS.min) return { error: `the points are not ${POINTS.min} to ${POINTS.max}` };
  const codes = text.split('+').map((code) => parseCode(code, Number(points)));
  const isValid = codes.every((code) => code !== null);
  return isValid
    ? { kind, name, zone, codes, ...TEST_POINTS[kind], ...(known?.listed && { listed: known.listed }) }
    : {
        error:
          'an answer is not an address from 127.0.0.2 to 127.254.255.255, a range of them, or a bit from bit2 to bit128',
      };
}

/** The zone, if a key seems to be in front of it. Null: the name contains no key. */
function zoneWithoutKey(name: string, labels: readonly string[]): string | null {
  const known = Object.keys(KNOWN_LISTS).find((other) => name.endsWith(`.${other}`));
  if (known !== undefined) return known;
  const parent = KEYED_PARENTS.find((other) => name.endsWith(`.${other}`));
  if (parent !== undefined && labels.length > parent.split('.').length + 1)
    return `${labels.at(-parent.split('.').length - 1)}.${parent}`;
  const key = labels.findLastIndex((label) => KEY_LIKE.test(label));
  return key === -1 ? null : labels.slice(key + 1).join('.');
}

function parseCode(text: string, points: number): ListCode | null {
  const bit = Number(/^bit(\d{1,3})$/.exec(text)?.[1] ?? 0);
  if (text.startsWith('bit')) return BITS.has(bit) ? { ...LAST_NUMBER, bit, points } : null;
  const [first = '', last = first, ...more] = text.split('-');
  const [from, to] = [addressNumber(first), addressNumber(last)];
  if (from === null || to === null || more.length > 0) return null;
  return from >= FIRST && from <= to && to <= LAST ? { from, to, bit: 0, points } : null;
}

/** Lists with bits answer with addresses from 127.0.0.0 to 127.0.0.255. */
const LAST_NUMBER = { from: FIRST, to: FIRST + 253 };

/** The number of an IPv4 address. Null for any other text. */
function addressNumber(text: string): number | null {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return null;
  const octets = text.split('.').map(Number);
  return octets.every((octet) => octet <= 255)
    ? octets.reduce((number, octet) => number * 256 + octet, 0)
    : null;
}
