/** What the checks look at. */
import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Config, EnvironmentVariables } from '../../app/config.ts';
import type { Database } from '../../db/database.ts';
import { isDialable } from '../../net/address-guard.ts';
import { DnsResolver } from '../../net/dns.ts';
import { type Patience, type TimeElsewhere, timeElsewhere } from './ask-servers.ts';

export interface World extends Patience {
  readonly config: Config;
  /** What `config` was read from. */
  readonly env: EnvironmentVariables;
  /** A domain that is not ours, whose mail hosts answer and which has no wildcard record. */
  readonly probeDomain: string;
  /** The database as it is, not migrated; or why there is none, for people. */
  readonly database: { readonly opened: Database } | { readonly error: string };
  readonly dns: DnsResolver;
  /** IP addresses of this machine's network interfaces. */
  ownAddresses(): readonly string[];
  space(folder: string): Promise<Space>;
  /** The time of a domain's web server; null: there is none that tells. */
  timeAt(domain: string): Promise<TimeElsewhere | null>;
  nowMs(): number;
}

/** The space of a file system, as users other than root see it. */
interface Space {
  freeBytes: number;
  totalBytes: number;
  /** How many more files there may be, and how many altogether; both 0 where there is no limit. */
  freeFiles: number;
  totalFiles: number;
}

/** Whether the outside can reach the address. */
export function isPublic(address: string): boolean {
  return isDialable(address, { allowLoopback: false });
}

const TIMEOUT_MS = 8_000;

export function realWorld(
  given: Pick<World, 'config' | 'env' | 'probeDomain' | 'database' | 'signal'>,
): World {
  const dns = new DnsResolver(given.config.dns);
  return {
    ...given,
    dns,
    ownAddresses: () =>
      Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
    async space(folder) {
      const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
      return {
        freeBytes: bavail * bsize,
        totalBytes: blocks * bsize,
        freeFiles: ffree,
        totalFiles: files,
      };
    },
    timeAt: (domain) =>
      timeElsewhere(new URL(`https://${domain}/`), { dns, timeoutMs: TIMEOUT_MS, signal: given.signal }),
    nowMs: () => Date.now(),
    timeoutMs: TIMEOUT_MS,
  };
}
