import type { Card } from './read-cards.ts';

const MAX_OCTETS = 75;

/** Writes a card of version 3.0 (RFC 2426), which all address books read. Lines end with CRLF and have at most 75 octets. */
export function formatCard({ name, note, addresses }: Card): string {
  const shown = name ?? addresses[0] ?? '';
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${escaped(shown)}`,
    `N:${nameParts(shown).map(escaped).join(';')};;;`,
    ...addresses.map((address, at) => `EMAIL;TYPE=INTERNET${at === 0 ? ',PREF' : ''}:${escaped(address)}`),
    ...(note === '' ? [] : [`NOTE:${escaped(note)}`]),
    'END:VCARD',
  ]
    .map((line) => `${folded(line)}\r\n`)
    .join('');
}

/** The family name and the given names. The last word is the family name, as address books also assume. */
function nameParts(name: string): [family: string, given: string] {
  const words = name.split(' ');
  return words.length === 1 ? ['', name] : [words.at(-1) ?? '', words.slice(0, -1).join(' ')];
}

function escaped(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');
}

/** Folds a line between characters (RFC 2426, section 2.6). */
function folded(line: string): string {
  let [text, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MAX_OCTETS) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}
