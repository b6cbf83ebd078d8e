import { decodeCharset } from './charset.ts';

/** A value with parameters, as in Content-Type and Content-Disposition (RFC 2045, section 5.1; RFC 2231). */
export interface ParameterizedValue {
  /** The value in lower case, without comments. Empty if the value is missing. */
  readonly value: string;
  /** Parameters by lower-case name, joined from sections and decoded. Of several parameters with the same name, the first is used. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Names of the parameters that declare a charset (RFC 2231, section 4). */
  readonly extended: ReadonlySet<string>;
}

const MAX_TEXT = 4_096;
const MAX_PARAMETERS = 50;
const NONE: ReadonlyMap<string, string> = new Map();
const NOTHING: ReadonlySet<string> = new Set();

const HEAD = /^\s*([^\s/(]*)(?:\s*\/\s*([^\s(]*))?/;
const SEPARATORS = /^[\s;]+/;
const PARAMETER = /^([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;"]*))/;
/**
 * The beginning of a file name, or of a section of one. Many programs write file names without quotes, with spaces, parentheses and even
 * quotes and semicolons.
 */
const FILE_NAME = /^((?:file)?name(?:\*\d{0,3}\*?)?)\s{0,20}=\s{0,20}/i;
/** The maximum length of a match of `FILE_NAME`. */
const MAX_FILE_NAME_HEAD = 60;
/** A semicolon that ends a file name: the end of the field or another parameter follows. */
const END_OF_NAME = /;\s*(?:$|;|[^\s=;"()<>@,:\\/[\]?]{1,100}\s*=(?![?=]))/;
const QUOTED = /^"((?:[^"\\]|\\.)*)"?/;
/** What may follow a quoted name. Some programs omit the semicolon. */
const AFTER_QUOTED = /^\s*(?:;|$)|^\s+[^\s=;"()<>@,:\\/[\]?]{1,100}\s*=(?![?=])/;
/** Parameters without which a part cannot be read. They are never part of a file name. */
const NEEDED = /\s(?:boundary|charset)\s{0,20}=/i;

/** A parameter name with a section number, a charset mark, or both (RFC 2231, sections 3 and 4). */
const SECTIONED = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/;

/** Parses leniently. A closing quote may be missing, and text that is not a parameter is skipped. Never throws. */
export function readParameterizedValue(text: string): ParameterizedValue {
  const cut = withoutComments(text.slice(0, MAX_TEXT));
  const semicolon = cut.indexOf(';');
  const head = semicolon === -1 ? cut : cut.slice(0, semicolon);
  const [, type = '', subtype] = HEAD.exec(head) ?? [];
  const value = `${type}${subtype === undefined ? '' : `/${subtype}`}`.toLowerCase();
  if (semicolon === -1) return { value, parameters: NONE, extended: NOTHING };
  const written = new Map<string, string>();
  let isSectioned = false;
  let rest = cut.slice(semicolon + 1);
  while (rest !== '' && written.size < MAX_PARAMETERS) {
    // Remove all separators at once. Attack: a field of semicolons, which takes quadratic time if they are removed one by one.
    rest = rest.replace(SEPARATORS, '');
    const parameter = fileNameAt(rest) ?? parameterAt(rest);
    if (parameter === null) {
      const next = rest.indexOf(';');
      if (next === -1) break;
      rest = rest.slice(next + 1);
      continue;
    }
    const { name, content, length } = parameter;
    if (!written.has(name)) written.set(name, content);
    if (name.includes('*')) isSectioned = true;
    rest = rest.slice(length);
  }
  return isSectioned
    ? { value, ...joinSections(written) }
    : { value, parameters: written, extended: NOTHING };
}

/**
 * Reads Content-Transfer-Encoding (RFC 2045, section 6). Programs also write `7 bit`, `8-bit`, `"base64"` or `quoted printable`, and a client
 * that gets such a name by IMAP cannot decode the part.
 * @returns the encoding in lower case: the registered name if one is recognizable, otherwise the first word
 */
export function readTransferEncoding(text: string): string {
  const [name = ''] = withoutComments(text.slice(0, MAX_TEXT)).split(';', 1);
  return ENCODINGS.get(lettersOf(name)) ?? readParameterizedValue(text).value;
}

function lettersOf(encoding: string): string {
  return encoding
    .toLowerCase()
    .replace(/[\s"'_-]+/g, '')
    .replace(/bits$/, 'bit');
}

const ENCODINGS: ReadonlyMap<string, string> = new Map(
  ['7bit', '8bit', 'binary', 'base64', 'quoted-printable'].map((name) => [lettersOf(name), name]),
);

interface WrittenParameter {
  /** In lower case. */
  name: string;
  content: string;
  /** The length of the whole parameter. */
  length: number;
}

function parameterAt(text: string): WrittenParameter | null {
  const match = PARAMETER.exec(text);
  if (match === null) return null;
  const [{ length }, name = '', quoted, bare = ''] = match;
  return { name: name.toLowerCase(), content: quoted === undefined ? bare : unescaped(quoted), length };
}

function fileNameAt(text: string): WrittenParameter | null {
  const [head, given] = FILE_NAME.exec(text) ?? [];
  if (head === undefined || given === undefined) return null;
  const name = given.toLowerCase();
  const value = text.slice(head.length);
  const quoted = QUOTED.exec(value);
  if (quoted !== null && AFTER_QUOTED.test(value.slice(quoted[0].length)))
    return { name, content: unescaped(quoted[1] as string), length: head.length + quoted[0].length };
  const ends = [END_OF_NAME, NEEDED].map((end) => value.search(end)).filter((end) => end !== -1);
  const length = Math.min(value.length, ...ends);
  const written = value.slice(0, length).trim();
  // Text after the quotes is not part of the name, unless it ends with a quote: then the name itself has quotes that are not escaped.
  const content =
    quoted === null
      ? written
      : unescaped(written.endsWith('"') ? written.slice(1, -1) : (quoted[1] as string));
  return { name, content, length: head.length + length };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

/**
 * Replaces each comment by a space (RFC 5322, section 3.2.2). A comment must begin where a word may begin, because `name=report(1).pdf` is
 * a file name without quotes. Quoted text, file names without quotes and unclosed parentheses stay unchanged.
 */
function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let kept = '';
  let depth = 0;
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (depth === 0 && character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (depth === 0 && (text[at - 1] === ';' || text[at - 1] === ' ') && isBareFileName(text, at))
      at += (fileNameAt(text.slice(at)) as WrittenParameter).length - 1;
    else if (character === '(' && (depth > 0 || at === 0 || /[\s;/]/.test(text[at - 1] as string))) {
      if (depth++ === 0) {
        kept += text.slice(from, at);
        from = at;
      }
    } else if (character === ')' && depth > 0 && --depth === 0) {
      kept += ' ';
      from = at + 1;
    }
  }
  return kept + text.slice(from);
}

function isBareFileName(text: string, at: number): boolean {
  const head = FILE_NAME.exec(text.slice(at, at + MAX_FILE_NAME_HEAD))?.[0];
  return head !== undefined && text[at + head.length] !== '"';
}

interface Section {
  text: string;
  isEncoded: boolean;
}

function joinSections(written: ReadonlyMap<string, string>): Omit<ParameterizedValue, 'value'> {
  const parameters = new Map<string, string>();
  const extended = new Set<string>();
  const sections = new Map<string, Section[]>();
  for (const [name, text] of written) {
    const match = SECTIONED.exec(name);
    if (match === null) {
      parameters.set(name, text);
      continue;
    }
    const base = match[1] as string;
    const list = sections.get(base) ?? [];
    sections.set(base, list);
    list[Number(match[2] ?? 0)] ??= { text, isEncoded: match[2] === undefined || match[3] !== undefined };
  }
  for (const [name, list] of sections) {
    // Use only the sections before the first gap in the numbering.
    const first = list[0];
    if (first === undefined) continue;
    const gap = list.findIndex((section) => section === undefined);
    const whole = gap === -1 ? list : list.slice(0, gap);
    let charset = '';
    if (first.isEncoded) {
      const match = /^([^']{0,60})'[^']{0,60}'/.exec(first.text);
      charset = match?.[1] ?? '';
      whole[0] = { ...first, text: first.text.slice(match?.[0].length ?? 0) };
      extended.add(name);
    }
    parameters.set(name, decodeCharset(octetsOf(whole), charset));
  }
  return { parameters, extended };
}

/** The octets of all sections. Encoded sections are joined first, because an escape may be cut. */
function octetsOf(sections: readonly Section[]): Buffer {
  const octets: Buffer[] = [];
  let encoded = '';
  for (const { text, isEncoded } of sections) {
    if (isEncoded) encoded += text;
    else {
      octets.push(percentDecode(encoded), Buffer.from(text));
      encoded = '';
    }
  }
  return Buffer.concat([...octets, percentDecode(encoded)]);
}

function percentDecode(text: string): Buffer {
  const octets = Buffer.from(text).toString('latin1');
  return Buffer.from(
    octets.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    'latin1',
  );
}
