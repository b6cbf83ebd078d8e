/** What the HTTP role serves: the parts of the core, built once for a process. No logic. */
import { ApiKeys } from '../accounts/api-keys.ts';
import type { Config } from './config.ts';
import type { Database } from '../db/database.ts';
import { QueueNotifier } from '../db/notify.ts';
import type { Sealer } from '../db/seal.ts';
import { Directory } from '../directory/directory.ts';
import { Domains } from '../domains/domains.ts';
import { ServedDomains } from '../domains/served-domains.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import type { Readiness } from '../edge/http/readiness.ts';
import type { HttpServices } from '../edge/http/services.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import type { Acceptor } from '../sending/accept/accept-email.ts';
import type { EmailLists } from '../sending/read/email-lists.ts';
import type { SingleEmails } from '../sending/read/single-emails.ts';
import { cancelEmail } from '../sending/deliver/cancel-email.ts';
import { Suppressions } from '../sending/suppress/suppressions.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import { TrackingRecorder } from '../sending/track/tracking-recorder.ts';
import { Unsubscriber } from '../sending/track/unsubscribe.ts';
import { Aliases } from '../mailboxes/aliases.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { GuardedClient } from '../net/guarded-client.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { Templates } from '../templates/templates.ts';
import { Webhooks } from '../webhooks/webhooks.ts';

export interface HttpServicesOptions {
  database: Database;
  acceptor: Acceptor;
  lists: EmailLists;
  /** A list must not take the connections that these need, nor they those of accepting. */
  emails: SingleEmails;
  sealer: Sealer;
  readiness: Pick<Readiness, 'whyNot'>;
  config: Pick<Config, 'environment' | 'hostedDomain' | 'hostname' | 'mxNames' | 'dns'>;
  receiveSesNotification: HttpServices['receiveSesNotification'];
  mailAccess: MailAccess;
}

export function createHttpServices({
  database,
  acceptor,
  lists,
  emails,
  sealer,
  readiness,
  config,
  receiveSesNotification,
  mailAccess,
}: HttpServicesOptions): HttpServices {
  const servedDomains = new ServedDomains({
    database,
    hostedDomain: config.hostedDomain,
    trustsHand: trustsHand(config),
  });
  const apiKeys = new ApiKeys(database);
  const { wake } = new QueueNotifier(database);
  const recorder = new TrackingRecorder({ database, onEvents: wake });
  const unsubscriber = new Unsubscriber(database);
  const returnPaths = new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY));
  return {
    authenticate: (token, address) => apiKeys.authenticate(token, address),
    acceptEmail: (...email) => acceptor.accept(...email),
    acceptBatch: (...batch) => acceptor.batches.accept(...batch),
    async cancelEmail(projectId, emailId) {
      const isThere = await cancelEmail(database, projectId, emailId);
      wake();
      return isThere;
    },
    listEmails: (projectId, query) => lists.list(projectId, query),
    getEmail: (projectId, emailId) => emails.get(projectId, emailId),
    trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
    recordHit: (hit) => recorder.record(hit),
    unsubscribe: (recipient) => unsubscriber.unsubscribe(recipient),
    domains: new Domains({
      database,
      sealer,
      dnsOf: dnsOfDomains(config.dns, config.environment === 'development'),
      mailAccess,
      mxNames: config.mxNames,
      hostedDomain: config.hostedDomain,
      trustsHand: trustsHand(config),
      complaintAddressOf: (domain) => returnPaths.complaintAddress(domain),
    }),
    mailboxes: new Mailboxes({ database, hostedDomain: config.hostedDomain }),
    aliases: new Aliases({ database, hostedDomain: config.hostedDomain }),
    webhooks: new Webhooks({
      database,
      sealer,
      environment: config.environment,
      // It is never closed: its connections keep no process alive.
      client: new GuardedClient({
        allowLoopback: config.environment === 'development',
        maxConnectionsPerOrigin: 20,
        dns: config.dns,
      }),
    }),
    templates: new Templates(database),
    directory: new Directory(database),
    suppressions: new Suppressions(database),
    receiveSesNotification,
    servesDomain: (domain) => servedDomains.isServed(domain),
    mailAccess,
    whyNotReady: () => readiness.whyNot(),
  };
}
