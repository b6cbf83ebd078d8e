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
    const match = PARAMETER.exec(rest);
    if (match === null) {
      const next = rest.indexOf(';');
      if (next === -1) break;
      rest = rest.slice(next + 1);
      continue;
    }
    const name = (match[1] as string).toLowerCase();
    const content = match[2] === undefined ? (match[3] as string) : match[2].replace(/\\(.)/g, '$1');
    if (!written.has(name)) written.set(name, content);
    if (name.includes('*')) isSectioned = true;
    rest = rest.slice(match[0].length);
  }
  return isSectioned
    ? { value, ...joinSections(written) }
    : { value, parameters: written, extended: NOTHING };
}

/**
 * Replaces each comment by a space (RFC 5322, section 3.2.2). A comment must begin where a word may begin, because `name=report(1).pdf` is
 * a file name without quotes. Quoted text and unclosed parentheses stay unchanged.
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
    const octets = whole.map(({ text, isEncoded }) => (isEncoded ? percentDecode(text) : Buffer.from(text)));
    parameters.set(name, decodeCharset(Buffer.concat(octets), charset));
  }
  return { parameters, extended };
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
