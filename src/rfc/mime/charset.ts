import { readOctets } from './header.ts';

/** Names that do not identify a charset. US-ASCII is included, because octets outside US-ASCII must be in another charset. */
const UNNAMED = new Set(['', 'us-ascii', 'ascii', 'utf-8', 'utf8', 'unknown-8bit', 'default', 'x-unknown']);
const MAX_DECODERS = 50;
type Decoder = InstanceType<typeof TextDecoder>;
/** Decoders by charset; null for an unknown charset. Cached, because a new decoder takes 20 microseconds to create. */
const decoders = new Map<string, Decoder | null>();

/** Decodes octets. An unknown charset is guessed; octets that are invalid in the charset become U+FFFD. Never throws. */
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
    // An unknown charset is not an error, because senders invent charset names.
  }
  if (decoders.size < MAX_DECODERS) decoders.set(name, decoder);
  return decoder;
}

/**
 * The escape sequences with which ISO-2022-JP switches character sets. They are the only sign of ISO-2022-JP: its octets are all ASCII, and
 * therefore also valid UTF-8.
 */
const ISO_2022_JP = /\x1b(?:\$[@B]|\([JB])/;

function guess(octets: Uint8Array): string {
  const text = readOctets(octets);
  return ISO_2022_JP.test(text) ? new TextDecoder('iso-2022-jp').decode(octets) : text;
}
