/** The only decoder of charsets: for bodies, headers, file names, previews, search and submission. */
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { charsetName } from './charset-labels.ts';
import { decodeHz, decodeIso2022 } from './iso-2022.ts';
import { decodeUtf7 } from './utf-7.ts';

interface CharsetDecoder {
  /** Invalid octets become U+FFFD. Never throws. */
  decode: (octets: Uint8Array) => string;
  /** @returns null if an octet is invalid */
  decodeStrictly: (octets: Uint8Array) => string | null;
}

/** Decoders by the name of the charset, of which there are few. Cached, because a new decoder takes 20 microseconds to create. */
const decoders = new Map<string, CharsetDecoder | null>();

/**
 * Decodes octets in the charset that a label names. Octets that are invalid in it become U+FFFD, because one damaged character must not
 * change the others. The charset is guessed only if the label names none, or one that does not exist. Never throws.
 */
export function decodeCharset(octets: Uint8Array, label: string): string {
  return (decoderOf(label) ?? GUESSING).decode(octets);
}

/**
 * Decodes octets without guessing. Text without a named charset must be UTF-8.
 * @returns null if the charset is unknown and the octets are not all ASCII, or if an octet is invalid
 */
export function decodeStrictly(octets: Uint8Array, label: string): string | null {
  return (decoderOf(label) ?? ASCII).decodeStrictly(octets);
}

/** Whether a label names no charset. A label that is unknown does name one. */
export function namesNoCharset(label: string): boolean {
  return charsetName(label) === '';
}

/**
 * Returns a function like `decodeStrictly`, for a client that must name a known charset.
 * @returns null if the charset is unknown, or if the label names none
 */
export function strictDecoder(label: string): ((octets: Uint8Array) => string | null) | null {
  return namesNoCharset(label) ? null : (decoderOf(label)?.decodeStrictly ?? null);
}

function decoderOf(label: string): CharsetDecoder | null {
  const name = charsetName(label);
  if (name === null || name === '') return name === null ? null : GUESSING;
  const known = decoders.get(name);
  if (known !== undefined) return known;
  const decoder = newDecoder(name);
  decoders.set(name, decoder);
  return decoder;
}

/** Charsets whose decoder in Node differs from that of the web, with their names in iconv-lite. Node's `euc-kr` lacks 8,800 syllables. */
const IN_ICONV: Readonly<Record<string, string>> = {
  'euc-kr': 'cp949',
  'euc-jp': 'eucjp',
  shift_jis: 'cp932',
  big5: 'big5hkscs',
};

/** Characters that iconv-lite reads by older versions of the charsets of the Mac, without the euro sign, with the right characters. */
const CORRECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  macgreek: { '\u00ad': '€', '\u0387': '·' },
  maciceland: { '¤': '€', '\u2126': 'Ω' },
  maccroatian: { '¤': '€', '\u2126': 'Ω' },
  macromania: { '¤': '€', '\u2126': 'Ω', Ş: 'Ș', ş: 'ș', Ţ: 'Ț', ţ: 'ț' },
  macturkish: { '\u2126': 'Ω' },
};

/** @param name from `charsetName` @returns null if the charset cannot be decoded */
function newDecoder(name: string): CharsetDecoder | null {
  if (name === 'utf-8') return UTF_8;
  if (name === 'utf-16') return UTF_16;
  if (name === 'utf-7') return lenient(decodeUtf7);
  if (name === 'hz-gb-2312') return lenient(decodeHz);
  if (name.startsWith('iso-2022-')) return lenient(decodeIso2022);
  const inIconv = IN_ICONV[name];
  if (inIconv !== undefined) return lenient((octets) => iconv.decode(octets, inIconv));
  return ofNode(name) ?? (iconv.encodingExists(name) ? ofIconv(name) : null);
}

/** How U+FFFD itself is encoded. Other charsets of Node do not have the character. */
const REPLACEMENTS: Readonly<Record<string, Buffer>> = {
  'utf-16le': Buffer.of(0xfd, 0xff),
  'utf-16be': Buffer.of(0xff, 0xfd),
  gbk: Buffer.of(0x84, 0x31, 0xa4, 0x37),
  gb18030: Buffer.of(0x84, 0x31, 0xa4, 0x37),
};

function includes(octets: Uint8Array, searched: Buffer): boolean {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).includes(searched);
}

/** @returns null if the charset is not one of the web */
function ofNode(name: string): CharsetDecoder | null {
  try {
    const decoder = new TextDecoder(name);
    const fatal = new TextDecoder(name, { fatal: true });
    const replacement = REPLACEMENTS[name];
    return {
      decode: (octets) => decoder.decode(octets),
      decodeStrictly: (octets) => {
        // A decoder that throws is slow. Attack: a header with many lines that are invalid in the charset of the body.
        const text = decoder.decode(octets);
        if (!text.includes('\ufffd')) return text;
        if (replacement === undefined || !includes(octets, replacement)) return null;
        try {
          return fatal.decode(octets);
        } catch {
          return null;
        }
      },
    };
  } catch {
    return null;
  }
}

function ofIconv(name: string): CharsetDecoder {
  const corrections = CORRECTIONS[name];
  if (corrections === undefined) return lenient((octets) => iconv.decode(octets, name));
  const wrong = new RegExp(`[${Object.keys(corrections).join('')}]`, 'g');
  return lenient((octets) => iconv.decode(octets, name).replace(wrong, (each) => corrections[each] ?? each));
}

/** For charsets without the character U+FFFD, which therefore stands for an invalid octet. */
function lenient(decodeLeniently: (octets: Uint8Array) => string): CharsetDecoder {
  // Half a surrogate pair is invalid too. For example, UTF-32 may have one.
  const decode = (octets: Uint8Array): string => decodeLeniently(octets).toWellFormed();
  return {
    decode,
    decodeStrictly: (octets) => {
      const text = decode(octets);
      return text.includes('\ufffd') ? null : text;
    },
  };
}

const utf8 = new TextDecoder('utf-8');
const UTF_8: CharsetDecoder = {
  decode: (octets) => utf8.decode(octets),
  // A decoder that throws costs 5 microseconds, and headers have many texts.
  decodeStrictly: (octets) => (isUtf8(octets) ? utf8.decode(octets) : null),
};

const littleEndian = ofNode('utf-16le') as CharsetDecoder;
const bigEndian = ofNode('utf-16be') as CharsetDecoder;
/** UTF-16 in the byte order that the mark at the beginning or the zeros in the text show. */
const UTF_16: CharsetDecoder = {
  decode: (octets) => byteOrderOf(octets).decode(octets),
  decodeStrictly: (octets) => byteOrderOf(octets).decodeStrictly(octets),
};
/** How many octets of UTF-16 are searched for zeros. */
const MAX_SEARCHED = 1_024;

function byteOrderOf(octets: Uint8Array): CharsetDecoder {
  const marked = byteOrderMark(octets);
  if (marked !== null) return marked;
  const zeros = [0, 0];
  for (let at = 0; at < octets.length && at < MAX_SEARCHED; at++)
    if (octets[at] === 0) zeros[at % 2] = (zeros[at % 2] as number) + 1;
  return (zeros[0] as number) > (zeros[1] as number) ? bigEndian : littleEndian;
}

function byteOrderMark(octets: Uint8Array): CharsetDecoder | null {
  if (octets[0] === 0xfe && octets[1] === 0xff) return bigEndian;
  return octets[0] === 0xff && octets[1] === 0xfe ? littleEndian : null;
}

/**
 * The escape sequences with which ISO-2022-JP begins Japanese. They are the only sign of ISO-2022-JP: its octets are all ASCII, and
 * therefore also valid UTF-8. The sequences that return to ASCII are no sign, because terminals use them too.
 */
const ISO_2022_JP = /\x1b\$[@B]/;

const GUESSING: CharsetDecoder = {
  decode: guess,
  decodeStrictly: (octets) => {
    if (!isUtf8(octets)) return null;
    const text = utf8.decode(octets);
    return ISO_2022_JP.test(text) ? null : text;
  },
};

/** For an unknown charset. */
const ASCII: CharsetDecoder = {
  decode: guess,
  decodeStrictly: (octets) => (isAscii(octets) ? GUESSING.decodeStrictly(octets) : null),
};

function guess(octets: Uint8Array): string {
  const marked = byteOrderMark(octets);
  if (marked !== null) return marked.decode(octets);
  const text = guessByLine(octets);
  return ISO_2022_JP.test(text) && isAscii(octets) ? decodeIso2022(octets) : text;
}

/** The maximum number of lines that are guessed one by one. The rest of a longer text is guessed as one line. */
const MAX_LINES = 20_000;
const LF = 0x0a;

/** Guesses each line separately, because gateways and mailing lists add lines in another charset. */
function guessByLine(octets: Uint8Array): string {
  if (isUtf8(octets)) return utf8.decode(octets);
  const text: string[] = [];
  let at = 0;
  for (let lines = 1; at < octets.length; lines++) {
    const lineFeed = lines === MAX_LINES ? -1 : octets.indexOf(LF, at);
    const end = lineFeed === -1 ? octets.length : lineFeed + 1;
    text.push(readOctets(octets.subarray(at, end)));
    at = end;
  }
  return text.join('');
}

const WINDOWS_1252 = new TextDecoder('windows-1252');

/** Decodes a line in an unknown charset: UTF-8 as UTF-8, also with some invalid octets, and other octets as windows-1252. */
export function readOctets(octets: Uint8Array): string {
  // Check `isUtf8` first, because a decoder that throws costs 5 microseconds per line. Attack: a header with millions of lines.
  return (isUtf8(octets) || isMostlyUtf8(octets) ? utf8 : WINDOWS_1252).decode(octets);
}

/**
 * Whether a line has more characters of UTF-8 than octets that do not belong to one: programs cut lines inside a character, and gateways
 * insert single octets. In windows-1252, such sequences are rare: they begin with an accented capital letter or similar, and continue with
 * punctuation.
 */
function isMostlyUtf8(line: Uint8Array): boolean {
  const octets = withoutCutCharacter(line);
  let surplus = 0;
  for (let at = 0; at < octets.length; ) {
    const octet = octets[at] as number;
    const length = octet < 0x80 ? 1 : octet >= 0xf0 ? 4 : octet >= 0xe0 ? 3 : 2;
    if (length === 1) at++;
    else if (isUtf8(octets.subarray(at, at + length)) && at + length <= octets.length) {
      surplus++;
      at += length;
    } else {
      surplus--;
      at++;
    }
  }
  return surplus > 0;
}

/** Removes the incomplete character at the end of a text that was cut, because it would look like an invalid octet. */
export function withoutCutCharacter(octets: Uint8Array): Uint8Array {
  let at = octets.length;
  while (at > 0 && octets.length - at < 3 && ((octets[at - 1] as number) & 0xc0) === 0x80) at--;
  const isLead = at > 0 && (octets[at - 1] as number) >= 0xc0;
  return isLead ? octets.subarray(0, at - 1) : octets;
}
