/** A setup in which all checks are ok. Tests override parts of this setup. */
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from '../../app/config.ts';
import { DnsResolver, type DnsTimings } from '../../net/dns.ts';
import type { DnsZone } from '../../../test/support/dns-server.ts';
import type { World } from './world.ts';

export const HOSTNAME = 'mx.example';
/** The address of the machine and of its DNS records. Tests never connect to it. */
export const ADDRESS = '8.8.4.4';
export const PROBE_DOMAIN = 'probe.test';

const GB = 1024 ** 3;
/** A long time limit, so that no test fails on a busy machine. Tests of servers that never respond use a shorter limit. */
const PATIENCE_MS = 10_000;

export const tlsFile = (name: string): string =>
  fileURLToPath(new URL(`../../../test/support/tls/${name}`, import.meta.url));

export function goodZone(): DnsZone {
  return {
    [HOSTNAME]: { A: [ADDRESS] },
    '4.4.8.8.in-addr.arpa': { PTR: [HOSTNAME] },
    [PROBE_DOMAIN]: { MX: [`10 mail.${PROBE_DOMAIN}`] },
    [`mail.${PROBE_DOMAIN}`]: { A: ['127.0.0.1'] },
  };
}

interface WorldOverrides extends Partial<Omit<World, 'config'>> {
  env?: Readonly<Record<string, string>>;
  config?: Partial<Config>;
  /** Shorter timings, for tests of a server that does not respond. */
  dnsTimings?: DnsTimings;
}

/** @param dns `ip:port` */
export function worldWith(
  dns: string,
  { env, config, dnsTimings, ...overrides }: WorldOverrides = {},
): World {
  const read = readConfig({
    POSTHORN_DNS: dns,
    POSTHORN_HOSTNAME: HOSTNAME,
    POSTHORN_ENV: 'production',
    POSTHORN_PROVIDER: 'direct',
    POSTHORN_TLS_CERT: tlsFile('cert.pem'),
    POSTHORN_TLS_KEY: tlsFile('key.pem'),
    ...env,
  });
  return {
    config: { ...read, ...config },
    env: {},
    probeDomain: PROBE_DOMAIN,
    database: { error: 'there is no database.' },
    dns: new DnsResolver(dns, dnsTimings),
    ownAddresses: () => ['127.0.0.1', ADDRESS],
    space: async () => ({
      freeBytes: 50 * GB,
      totalBytes: 100 * GB,
      freeFiles: 900_000,
      totalFiles: 1_000_000,
    }),
    timeAt: async () => null,
    nowMs: () => Date.now(),
    timeoutMs: PATIENCE_MS,
    signal: new AbortController().signal,
    ...overrides,
  };
}
