/** The environment of the checks: settings, database, DNS and machine. */
import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Config, EnvironmentVariables } from '../../app/config.ts';
import type { Database } from '../../db/database.ts';
import { isDialable } from '../../net/address-guard.ts';
import { DnsResolver } from '../../net/dns.ts';
import { type Patience, type TimeElsewhere, timeElsewhere } from './ask-servers.ts';

export interface World extends Patience {
  readonly config: Config;
  /** The environment variables from which `config` was read. */
  readonly env: EnvironmentVariables;
  /** A domain of a third party. Its mail hosts respond, and it has no wildcard record. */
  readonly probeDomain: string;
  /** The database, not migrated by this program; or the reason in plain words why the database cannot be opened. */
  readonly database: { readonly opened: Database } | { readonly error: string };
  readonly dns: DnsResolver;
  /** IP addresses of this machine's network interfaces. */
  ownAddresses(): readonly string[];
  space(folder: string): Promise<Space>;
  /** The time on a domain's web server. Null if the server does not respond, or sends no date. */
  timeAt(domain: string): Promise<TimeElsewhere | null>;
  nowMs(): number;
}

/** The space and files of a file system that users other than root can use. */
interface Space {
  freeBytes: number;
  totalBytes: number;
  /** Free and total inodes; both 0 if the file system has no limit. */
  freeFiles: number;
  totalFiles: number;
}

/** Whether the address can be reached from the internet. */
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
