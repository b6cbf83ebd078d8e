import type { Database } from '../db/database.ts';
import { QueueNotifier } from '../db/notify.ts';
import { SendingDomains, trustsHand } from '../domains/sending-domains.ts';
import { HostedAddresses } from '../mailboxes/hosted-addresses.ts';
import { ReservedAddresses } from '../mailboxes/reserved-addresses.ts';
import { Acceptor } from '../sending/accept/accept-email.ts';
import type { Config } from './config.ts';

export interface AcceptorSettings {
  database: Database;
  config: Pick<Config, 'environment' | 'hostedDomain'>;
  /** What links in emails begin with, without a trailing slash. Called first when a link is written. */
  baseUrl(): string;
}

/** Accepts emails, whoever brings them. */
export function createAcceptor({ database, config, baseUrl }: AcceptorSettings): Acceptor {
  return new Acceptor({
    database,
    sendingDomains: new SendingDomains(database, config.hostedDomain, { trustsHand: trustsHand(config) }),
    hostedAddresses: new HostedAddresses(database, config.hostedDomain),
    reservedAddresses: new ReservedAddresses(database, config.hostedDomain),
    baseUrl,
    onQueued: new QueueNotifier(database).wake,
  });
}
