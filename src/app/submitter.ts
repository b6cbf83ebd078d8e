import type { Database } from '../db/database.ts';
import { QueueNotifier } from '../db/notify.ts';
import { SendingDomains, trustsHand } from '../domains/sending-domains.ts';
import { isOfProject } from '../receiving/inside/is-of-project.ts';
import { Submitter } from '../sending/submit/submitter.ts';
import type { Config } from './config.ts';
import { mailDomains } from './mail-domains.ts';
import type { MailServices } from './mail-services.ts';

/** What mailboxes send, by mail apps and by the web client, is handed in here. */
export function createSubmitter(
  database: Database,
  { blobs, store, facts }: Pick<MailServices, 'blobs' | 'store' | 'facts'>,
  config: Pick<Config, 'hostname' | 'mxNames' | 'hostedDomain' | 'environment'>,
): Submitter {
  const { hostname, hostedDomain } = config;
  return new Submitter({
    database,
    blobs,
    domains: new SendingDomains(database, hostedDomain, { trustsHand: trustsHand(config) }),
    store,
    facts,
    isOfProject: (projectId, address) => isOfProject(database, mailDomains(config), projectId, address),
    hostname,
    onQueued: new QueueNotifier(database).wake,
  });
}
