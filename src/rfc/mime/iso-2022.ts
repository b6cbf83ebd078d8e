/**
 * Charsets that switch between character sets by escape sequences: ISO-2022-JP (RFC 1468, RFC 1554, RFC 2237), ISO-2022-KR (RFC 1557),
 * ISO-2022-CN (RFC 1922) and HZ (RFC 1843). All their octets are ASCII.
 */
import iconv from 'iconv-lite';

/** Sets of 94 by 94 characters, by the charset that contains the set, and the octet before a character of the set in that charset. */
const SETS = {
  jis: { charset: 'eucjp', prefix: [] },
  jis0212: { charset: 'eucjp', prefix: [0x8f] },
  gb: { charset: 'gbk', prefix: [] },
  ks: { charset: 'cp949', prefix: [] },
} as const;

type CodeElement = 'g0' | 'g1' | 'g2';
type PairSet = keyof typeof SETS;
/** `cns` stands for sets of pairs that cannot be decoded. */
type CharacterSet = 'ascii' | 'roman' | 'katakana' | 'latin' | 'greek' | 'cns' | PairSet;

/** Escape sequences, without the escape, with the code element they change. */
const ESCAPES: readonly (readonly [
  sequence: string,
  change: readonly [element: CodeElement, set: CharacterSet],
])[] = [
  ['(B', ['g0', 'ascii']],
  ['(J', ['g0', 'roman']],
  ['(H', ['g0', 'roman']],
  ['(I', ['g0', 'katakana']],
  ['$@', ['g0', 'jis']],
  ['$B', ['g0', 'jis']],
  ['$(@', ['g0', 'jis']],
  ['$(B', ['g0', 'jis']],
  ['$(D', ['g0', 'jis0212']],
  ['$(O', ['g0', 'jis']],
  ['$(Q', ['g0', 'jis']],
  ['$(P', ['g0', 'cns']],
  ['$A', ['g0', 'gb']],
  ['$(C', ['g0', 'ks']],
  ['$)A', ['g1', 'gb']],
  ['$)C', ['g1', 'ks']],
  ['$)E', ['g1', 'gb']],
  ['$)G', ['g1', 'cns']],
  ['$*H', ['g2', 'cns']],
  ['.A', ['g2', 'latin']],
  ['.F', ['g2', 'greek']],
];

/** By number, because building a text for each escape is slow. Attack: a message of escapes. */
const ESCAPES_BY_CODE = new Map(
  ESCAPES.map(([sequence, change]) => [codeOf(...Buffer.from(sequence, 'latin1')), change] as const),
);

function codeOf(first = 0, second = 0, third = 0): number {
  return first | (second << 8) | (third << 16);
}

const REPLACEMENT = 0xfffd;
const GREEK = new TextDecoder('iso-8859-7');
const LF = 0x0a;
const CR = 0x0d;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const ESCAPE = 0x1b;
const SINGLE_SHIFT = 0x4e;
const TILDE = 0x7e;
const YEN = 0xa5;
const OVERLINE = 0x203e;
const FIRST = 0x21;
const LAST = 0x7e;
const COLUMNS = 94;

/** Collects UTF-16. No octet becomes more than one code unit, because the sets have no characters outside the first plane. */
class Units {
  readonly #units: Uint16Array;
  #length = 0;

  constructor(most: number) {
    this.#units = new Uint16Array(most);
  }

  add(unit: number): void {
    this.#units[this.#length++] = unit;
  }

  toString(): string {
    return Buffer.from(this.#units.buffer, 0, this.#length * 2).toString('utf16le');
  }
}

/**
 * Decodes ISO-2022-JP, ISO-2022-KR and ISO-2022-CN with all their extensions except the sets of CNS 11643, whose characters become
 * U+FFFD, as do invalid octets. Every line starts in ASCII. Never throws. Takes time proportional to the number of octets.
 */
export function decodeIso2022(octets: Uint8Array): string {
  const state: Record<CodeElement, CharacterSet> = { g0: 'ascii', g1: 'katakana', g2: 'latin' };
  let isShifted = false;
  const text = new Units(octets.length);
  for (let at = 0; at < octets.length; ) {
    const octet = octets[at++] as number;
    const next = octets[at];
    if (octet === ESCAPE && next === SINGLE_SHIFT) {
      // One character from G2, in ISO-2022-CN and ISO-2022-JP-2.
      text.add(singleShift(octets[at + 1], state.g2));
      at += state.g2 === 'cns' ? 3 : 2;
    } else if (octet === ESCAPE) {
      const escape = escapeAt(octets, at);
      if (escape === null) text.add(REPLACEMENT);
      else {
        state[escape.element] = escape.set;
        at += escape.length;
      }
    } else if (octet === SHIFT_OUT || octet === SHIFT_IN) isShifted = octet === SHIFT_OUT;
    else if (octet === LF || octet === CR) {
      text.add(octet);
      state.g0 = 'ascii';
      isShifted = false;
    } else if (octet < FIRST || octet > LAST) text.add(octet < 0x80 ? octet : REPLACEMENT);
    else {
      const set = isShifted ? state.g1 : state.g0;
      if (!isOfPairs(set)) text.add(singleOf(octet, set));
      else if (next === undefined || next < FIRST || next > LAST) text.add(REPLACEMENT);
      else {
        text.add(set === 'cns' ? REPLACEMENT : pairAt(pairsOf(set), octet, next));
        at++;
      }
    }
  }
  return text.toString();
}

function isOfPairs(set: CharacterSet): set is PairSet | 'cns' {
  return set === 'cns' || Object.hasOwn(SETS, set);
}

function escapeAt(
  octets: Uint8Array,
  at: number,
): { element: CodeElement; set: CharacterSet; length: number } | null {
  const [first = 0, second = 0, third = 0] = [octets[at], octets[at + 1], octets[at + 2]];
  const ofTwo = ESCAPES_BY_CODE.get(codeOf(first, second));
  if (ofTwo !== undefined) return { element: ofTwo[0], set: ofTwo[1], length: 2 };
  const ofThree = ESCAPES_BY_CODE.get(codeOf(first, second, third));
  return ofThree === undefined ? null : { element: ofThree[0], set: ofThree[1], length: 3 };
}

function singleOf(octet: number, set: CharacterSet): number {
  if (set === 'katakana') return octet < 0x60 ? 0xff40 + octet : REPLACEMENT;
  if (set === 'roman' && octet === 0x5c) return YEN;
  return set === 'roman' && octet === TILDE ? OVERLINE : octet;
}

function singleShift(octet: number | undefined, set: CharacterSet): number {
  if (octet === undefined || octet < 0x20 || octet > 0x7f) return REPLACEMENT;
  if (set === 'latin') return octet | 0x80;
  return set === 'greek' ? GREEK.decode(Uint8Array.of(octet | 0x80)).charCodeAt(0) : REPLACEMENT;
}

/** Decodes HZ (RFC 1843), which switches to GB 2312 with `~{` and back with `~}`. Every line starts in ASCII. Never throws. */
export function decodeHz(octets: Uint8Array): string {
  const gb = pairsOf('gb');
  const text = new Units(octets.length);
  let isGb = false;
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] as number;
    const next = octets[at + 1];
    if (octet === TILDE && isGb && next === 0x7d) isGb = false;
    else if (octet === TILDE && !isGb && next === 0x7b) isGb = true;
    else if (octet === TILDE && !isGb && next === TILDE) text.add(TILDE);
    else if (octet === TILDE && !isGb && (next === LF || next === CR)) {
      // A line break after a tilde is not part of the text.
      if (next === CR && octets[at + 2] === LF) at++;
    } else if (isGb && octet >= FIRST && octet <= LAST && next !== undefined && next >= FIRST && next <= LAST)
      text.add(pairAt(gb, octet, next));
    else {
      const isBad = octet >= 0x80 || (isGb && octet >= FIRST) || octet === TILDE;
      text.add(isBad ? REPLACEMENT : octet);
      if (octet === LF) isGb = false;
      continue;
    }
    at++;
  }
  return text.toString();
}

function pairAt(pairs: Uint16Array, first: number, second: number): number {
  return pairs[(first - FIRST) * COLUMNS + second - FIRST] as number;
}

const tables = new Map<PairSet, Uint16Array>();

/** The characters of a set, row by row. Built once, so that switching after each character is not expensive. */
function pairsOf(set: PairSet): Uint16Array {
  const known = tables.get(set);
  if (known !== undefined) return known;
  const { charset, prefix } = SETS[set];
  const octets: number[] = [];
  for (let first = FIRST; first <= LAST; first++)
    for (let second = FIRST; second <= LAST; second++)
      octets.push(...prefix, first | 0x80, second | 0x80, LF);
  const pairs = Uint16Array.from(
    iconv.decode(Buffer.from(octets), charset).split('\n', COLUMNS * COLUMNS),
    (each) => (each.length === 1 ? each.charCodeAt(0) : REPLACEMENT),
  );
  tables.set(set, pairs);
  return pairs;
}
