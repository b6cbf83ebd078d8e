/** What decides which domains have their mail here, the same on every machine. */
import type { Database } from '../db/database.ts';
import { MxWatch } from '../domains/mx/mx-watch.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import type { ProjectMailDomains } from '../receiving/inside/is-of-project.ts';
import type { Config } from './config.ts';

type MailDomainsConfig = Pick<Config, 'hostname' | 'mxNames' | 'hostedDomain' | 'environment'>;

export function mailDomains(config: MailDomainsConfig): ProjectMailDomains {
  const { hostname, mxNames, hostedDomain } = config;
  return { hostedDomain, trustsHand: trustsHand(config), mxHosts: [hostname, ...mxNames] };
}

export function createMxWatch(database: Database, config: MailDomainsConfig & Pick<Config, 'dns'>): MxWatch {
  return new MxWatch({
    database,
    dnsOf: dnsOfDomains(config.dns, config.environment === 'development'),
    ours: mailDomains(config).mxHosts,
  });
}
