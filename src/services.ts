/** What the HTTP role serves: the parts of the core, built once for a process. No logic. */
import { ApiKeys } from './accounts/api-keys.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { QueueNotifier } from './db/notify.ts';
import type { Sealer } from './db/seal.ts';
import { Directory } from './directory/directory.ts';
import { Domains } from './domains/domains.ts';
import { SendingDomains } from './domains/sending-domains.ts';
import type { HttpServices } from './edge/http/services.ts';
import { Acceptor } from './mail/accept/accept-email.ts';
import { getEmail } from './mail/read/get-email.ts';
import { listEmails } from './mail/read/list-emails.ts';
import { HostedAddresses } from './mailboxes/hosted-addresses.ts';
import { Mailboxes } from './mailboxes/mailboxes.ts';
import { GuardedClient } from './net/guarded-client.ts';
import { dnsOfDomains } from './net/zone-dns.ts';
import { Templates } from './templates/templates.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface ServicesOptions {
  database: Database;
  /** For pages of a large log: they must not take the connections that accepting needs. */
  reads: Database;
  sealer: Sealer;
  config: Pick<Config, 'environment' | 'hostedDomain' | 'hostname' | 'dns'>;
}

export function createServices({ database, reads, sealer, config }: ServicesOptions): HttpServices {
  const apiKeys = new ApiKeys(database);
  const acceptor = new Acceptor({
    database,
    sendingDomains: new SendingDomains(database, config.hostedDomain),
    hostedAddresses: new HostedAddresses(database, config.hostedDomain),
    onQueued: new QueueNotifier(database).wake,
  });
  return {
    authenticate: (token) => apiKeys.authenticate(token),
    acceptEmail: (sender, send, idempotencyKey) => acceptor.accept(sender, send, idempotencyKey),
    listEmails: (projectId, query) => listEmails(reads, projectId, query),
    getEmail: (projectId, emailId) => getEmail(reads, projectId, emailId),
    domains: new Domains({
      database,
      sealer,
      dnsOf: dnsOfDomains(config.dns, config.environment === 'development'),
      hostname: config.hostname,
      hostedDomain: config.hostedDomain,
    }),
    mailboxes: new Mailboxes({ database, hostedDomain: config.hostedDomain }),
    webhooks: new Webhooks({
      database,
      sealer,
      environment: config.environment,
      // Never closed: between tests its connections keep no process alive.
      client: new GuardedClient({
        allowLoopback: config.environment === 'development',
        maxConnectionsPerOrigin: 20,
        dns: config.dns,
      }),
    }),
    templates: new Templates({ database }),
    directory: new Directory({ database }),
    ready: () => isReady(database),
  };
}

async function isReady(database: Database): Promise<boolean> {
  await database.selectFrom('settings').select('name').limit(1).execute();
  return true;
}
