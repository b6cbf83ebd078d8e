/** Domains with mail servers of all kinds, and mail for them in a random order that is the same in every run. */
import type { DnsZone } from '../../test/support/dns-server.ts';
import { type MxKind, mxAddress } from './mx.ts';

/** `refusing`: nothing listens at the address of its MX. */
type DestinationKind = MxKind | 'refusing';
export type DestinationCounts = Readonly<Partial<Record<DestinationKind, number>>>;

export interface Destination {
  name: string;
  kind: DestinationKind;
}

export interface Recipient {
  address: string;
  kind: DestinationKind;
}

const SEED = 20_261_120;
/** Nothing listens at this address, because all mail servers use IPv4. */
const UNUSED_ADDRESS = '::1';

/** All names have the same length. */
export function destinationsOf(counts: DestinationCounts): Destination[] {
  const kinds = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => kind as DestinationKind),
  );
  return kinds.map((kind, at) => ({ kind, name: `d${String(at).padStart(3, '0')}.test` }));
}

/** Each domain has its own MX, which has its own address. */
export function zoneOf(destinations: readonly Destination[]): DnsZone {
  const zone: DnsZone = {};
  for (const [at, { name, kind }] of destinations.entries()) {
    zone[name] = { MX: [`10 mx.${name}`] };
    zone[`mx.${name}`] = kind === 'refusing' ? { AAAA: [UNUSED_ADDRESS] } : { A: [mxAddress(kind, at)] };
  }
  return zone;
}

/** `each` recipients for each destination, all in one random order. */
export function shuffledRecipients(destinations: readonly Destination[], each: number): Recipient[] {
  const recipients = destinations.flatMap(({ name, kind }) =>
    Array.from({ length: each }, (_, at) => ({ kind, address: `b${String(at).padStart(4, '0')}@${name}` })),
  );
  const random = mulberry32(SEED);
  for (let at = recipients.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [recipients[at], recipients[other]] = [recipients[other] as never, recipients[at] as never];
  }
  return recipients;
}

/** Tommy Ettinger's generator: numbers from 0 to 1, determined by the seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
