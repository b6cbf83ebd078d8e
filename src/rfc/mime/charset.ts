import { readOctets } from './header.ts';

/** US-ASCII is not among them: a sender who names it and sends other octets means another charset. */
const UNNAMED = new Set(['', 'us-ascii', 'ascii', 'utf-8', 'utf8', 'unknown-8bit', 'default', 'x-unknown']);
const MAX_DECODERS = 50;
type Decoder = InstanceType<typeof TextDecoder>;
/** To make one takes 20 microseconds. Null: there is no such charset. */
const decoders = new Map<string, Decoder | null>();

/** Octets as text. An unknown charset is guessed; octets that are not of the charset become U+FFFD. Never throws. */
export function decodeCharset(octets: Uint8Array, charset: string): string {
  const name = charset.trim().toLowerCase();
  if (UNNAMED.has(name)) return guess(octets);
  return decoderOf(name)?.decode(octets) ?? guess(octets);
}

function decoderOf(name: string): Decoder | null {
  const known = decoders.get(name);
  if (known !== undefined) return known;
  let decoder: Decoder | null = null;
  try {
    decoder = new TextDecoder(name.startsWith('cp125') ? `windows-${name.slice(2)}` : name);
  } catch {
    // Senders make names up, so nothing is said.
  }
  if (decoders.size < MAX_DECODERS) decoders.set(name, decoder);
  return decoder;
}

/** ESC $ or ESC (, by which ISO-2022-JP changes its sets: all of its octets are ASCII. */
const ISO_2022_JP = /\x1b(?:\$[@B]|\([JB])/;

function guess(octets: Uint8Array): string {
  const text = readOctets(octets);
  return ISO_2022_JP.test(text) ? new TextDecoder('iso-2022-jp').decode(octets) : text;
}
