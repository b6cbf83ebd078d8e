/** What the checks look at. */
import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { type DnsAnswer, DnsResolver } from '../../net/dns.ts';
import { reverseLookUp } from './reverse-look-up.ts';

export interface World {
  readonly config: Config;
  /** A domain of others whose mail hosts are known to answer, and below which there is no wildcard record. */
  readonly probeDomain: string;
  /** Not migrated by the command; or why there is none, for people. */
  readonly database: { readonly opened: Database } | { readonly error: string };
  readonly dns: DnsResolver;
  /** The names that the PTR records of an IP address give. */
  reverse(address: string): Promise<DnsAnswer<string>>;
  /** IP addresses of this machine's network interfaces. */
  ownAddresses(): readonly string[];
  /** Of the file system that has the folder, for users other than root. */
  space(folder: string): Promise<{ freeBytes: number; totalBytes: number }>;
  nowMs(): number;
  /** For a connection, and again for each reply of a server. */
  readonly timeoutMs: number;
  /** Ends what is left of the checks. */
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 8_000;

export function realWorld(given: Pick<World, 'config' | 'probeDomain' | 'database' | 'signal'>): World {
  const { dns } = given.config;
  return {
    ...given,
    dns: new DnsResolver(dns),
    reverse: (address) => reverseLookUp(dns, address),
    ownAddresses: () =>
      Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
    async space(folder) {
      const { bavail, blocks, bsize } = await statfs(folder);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    nowMs: () => Date.now(),
    timeoutMs: TIMEOUT_MS,
  };
}
