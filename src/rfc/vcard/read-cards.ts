/** Reads names, addresses and notes from vCards: 4.0 (RFC 6350), 3.0 (RFC 2426), and 2.1 as phones still write it. */

export interface Card {
  /** Null if the card has no name. */
  name: string | null;
  note: string;
  /** As written: not validated. The preferred address first. */
  addresses: string[];
}

interface Property {
  name: string;
  parameters: string;
  value: string;
}

/** A longer line is a picture or a key. */
const MAX_LINE = 16_384;
const MAX_ADDRESSES = 100;
const FOLD = /\r?\n[ \t]/g;
/** A soft line break of quoted-printable, which only version 2.1 has. */
const SOFT_BREAK = /=\r?\n/g;
const LINE_END = /\r?\n|\r/;
const PROPERTY = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:[^":;]|"[^"]*")*)*):(.*)$/s;

/**
 * Reads the cards of a file. Never throws. Invalid lines are skipped.
 * @param most the maximum number of cards
 * @returns the cards, and the number of further cards that were skipped
 */
export function readCards(text: string, most: number): { cards: Card[]; skipped: number } {
  const cards: Card[] = [];
  let skipped = 0;
  let lines: Property[] | null = null;
  // All folds are removed at once. Attack: a file of only folds takes quadratic time if they are removed one by one.
  for (const line of unfolded(text).split(LINE_END)) {
    const mark = /^(BEGIN|END):\s*VCARD\s*$/i.exec(line)?.[1]?.toUpperCase();
    if (mark === 'BEGIN') lines = [];
    else if (mark === 'END') {
      if (lines !== null && cards.length < most) cards.push(cardOf(lines));
      else if (lines !== null) skipped++;
      lines = null;
    } else if (lines !== null && line.length <= MAX_LINE) {
      const [, name, parameters = '', value = ''] = PROPERTY.exec(line) ?? [];
      if (name !== undefined && lines.length < 1_000)
        lines.push({ name: name.toUpperCase(), parameters: parameters.toUpperCase(), value });
    }
  }
  return { cards, skipped };
}

function unfolded(text: string): string {
  const whole = text.replace(FOLD, '');
  return /ENCODING=QUOTED-PRINTABLE|;QUOTED-PRINTABLE/i.test(whole) ? whole.replace(SOFT_BREAK, '') : whole;
}

function cardOf(properties: readonly Property[]): Card {
  const first = (name: string) => properties.find((each) => each.name === name);
  const full = textOf(first('FN'));
  const parts = partsOf(first('N'));
  const written = [parts[3], parts[1], parts[2], parts[0], parts[4]].filter((part) => part).join(' ');
  const name = (
    full ||
    written ||
    textOf(first('NICKNAME')) ||
    textOf(first('ORG')).replaceAll(';', ' ')
  ).trim();
  const addresses = properties
    .filter((each) => each.name === 'EMAIL')
    .slice(0, MAX_ADDRESSES)
    .sort((a, b) => Number(isPreferred(b)) - Number(isPreferred(a)))
    .map((each) =>
      textOf(each)
        .trim()
        .replace(/^mailto:/i, ''),
    )
    .filter((address) => address !== '');
  return { name: name === '' ? null : name, note: textOf(first('NOTE')).trim(), addresses };
}

function isPreferred({ parameters }: Property): boolean {
  return /;PREF=1(?:;|$)|[;,=]"?PREF"?(?:[;,]|$)/.test(parameters);
}

function textOf(property: Property | undefined): string {
  if (property === undefined) return '';
  return storable(
    decoded(property).replace(/\\([\\,;:nN])/g, (_, mark: string) => (/n/i.test(mark) ? '\n' : mark)),
  );
}

/** The components of a structured value, separated by semicolons that are not escaped. */
function partsOf(property: Property | undefined): string[] {
  if (property === undefined) return [];
  const parts = decoded(property).match(/(?:\\.|[^;\\])*;?/gs) ?? [];
  return parts.map((part) =>
    storable(
      part.replace(/;$/, '').replace(/\\([\\,;:nN])/g, (_, mark: string) => (/n/i.test(mark) ? ' ' : mark)),
    ).trim(),
  );
}

function decoded({ parameters, value }: Property): string {
  if (!/(?:^|[;=])QUOTED-PRINTABLE/.test(parameters)) return value;
  const bytes = value.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  // The value may already contain characters beyond Latin-1, which were not encoded.
  return /[^\0-\xff]/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}

/** Removes characters that PostgreSQL rejects. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
