/** Domains with mail servers of all kinds, and mail for these domains in a random order that is the same in every run. */
import type { DnsZone } from '../../test/support/dns-server.ts';
import { type MxKind, mxAddress } from './mx.ts';

/** A kind of mail server. `refusing`: no server listens at the address of the MX. */
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
/** An address at which no server listens, because all mail servers use IPv4. */
const UNUSED_ADDRESS = '::1';

/** Domains for the given number of servers of each kind. All names have the same length. */
export function destinationsOf(counts: DestinationCounts): Destination[] {
  const kinds = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => kind as DestinationKind),
  );
  return kinds.map((kind, at) => ({ kind, name: `d${String(at).padStart(3, '0')}.test` }));
}

/** The DNS records of the domains. Each domain has its own MX with its own address. */
export function zoneOf(destinations: readonly Destination[]): DnsZone {
  const zone: DnsZone = {};
  for (const [at, { name, kind }] of destinations.entries()) {
    zone[name] = { MX: [`10 mx.${name}`] };
    zone[`mx.${name}`] = kind === 'refusing' ? { AAAA: [UNUSED_ADDRESS] } : { A: [mxAddress(kind, at)] };
  }
  return zone;
}

/** All recipients in one random order. @param each the number of recipients for each destination */
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

/** A pseudo-random generator by Tommy Ettinger. The seed determines its numbers, which are between 0 and 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
