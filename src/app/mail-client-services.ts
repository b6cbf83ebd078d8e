/** What the web client is served: the parts of the core, built once for a process. No logic. */
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { SendingDomains, trustsHand } from '../domains/sending-domains.ts';
import { LiveMail } from '../edge/http/mail/changes/live-mail.ts';
import type { MailClientServices } from '../edge/http/mail/services.ts';
import { MailActions } from '../store/act/mail-actions.ts';
import { deleteMailFolder, makeMailFolder, renameMailFolder } from '../store/list/change-folders.ts';
import { MailSearch } from '../store/list/search/mail-search.ts';
import { MailList } from '../store/list/mail-list.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { announceFile } from '../file-links/announce-file.ts';
import { FileLinks } from '../file-links/file-links.ts';
import { LinkUploads } from '../file-links/link-uploads.ts';
import { readNotSendingSince } from '../queue/provider-kind.ts';
import { FilingSettings } from '../receiving/filing-settings.ts';
import type { Submitter } from '../sending/submit/submitter.ts';
import { InvitationReader } from '../webmail/invitations/invitation-reader.ts';
import { Invitations } from '../webmail/invitations/invitations.ts';
import { OwnSettings } from '../webmail/settings/own-settings.ts';
import { listTrustedSenders, trustSender } from '../webmail/read/sender/trusted-senders.ts';
import { readWaiting } from '../webmail/read/waiting-recipients.ts';
import type { Config } from './config.ts';
import type { Bound } from '../edge/http/bound.ts';
import { Composer } from '../webmail/write/composer.ts';
import { readIdentities } from '../webmail/write/identities.ts';
import { OutgoingMail } from '../webmail/write/outgoing.ts';
import { Replies } from '../webmail/write/reply.ts';
import { SendChecks } from '../webmail/write/send-checks.ts';
import { findPeople } from '../webmail/write/written-addresses.ts';
import { openMessageReader } from './message-reader.ts';
import { createMailAccountServices, type MailAccountOptions } from './mail-account-services.ts';
import { mailDomains } from './mail-domains.ts';
import type { MailServices } from './mail-services.ts';
import { openWriting } from './writing.ts';

export interface MailClientServicesOptions extends Pick<MailAccountOptions, 'sealer' | 'logger' | 'mailUrl'> {
  database: Database;
  /** Where lists are read, and messages. */
  reads: FairReads;
  /** For whoever searches it: lists do not wait for them. */
  searches: FairReads;
  mail: Pick<MailServices, 'database' | 'objects' | 'signIn' | 'blobs' | 'facts' | 'store' | 'notices'>;
  submitter: Submitter;
  config: Pick<Config, 'hostname' | 'mxNames' | 'hostedDomain' | 'environment' | 'dns'>;
}

/** @param stack closes what is opened here */
export function createMailClientServices(
  stack: AsyncDisposableStack,
  { database, reads, searches, mail, submitter, sealer, config, logger, mailUrl }: MailClientServicesOptions,
): MailClientServices {
  const account = createMailAccountServices({ database, signIn: mail.signIn, sealer, logger, mailUrl });
  const lists = new MailList({ store: mail.store, reads });
  const search = new MailSearch({ store: mail.store, reads: searches });
  const sendingDomains = new SendingDomains(database, config.hostedDomain, {
    trustsHand: trustsHand(config),
  });
  return {
    ...account,
    notSendingSince: () => readNotSendingSince(database),
    lists,
    search,
    actions: new MailActions({ store: mail.store, reads, search }),
    live: new LiveMail({ notices: mail.notices, signIn: account.signIn, lists }),
    folders: {
      create: (...folder) => makeMailFolder(mail.store, ...folder),
      rename: (...folder) => renameMailFolder(mail.store, ...folder),
      delete: (...folder) => deleteMailFolder(mail.store, ...folder),
    },
    ...openMessageReader(stack, { reads, blobs: mail.blobs, sealer, config }),
    readWaiting: (mailbox, id) => reads.run(mailbox.mailboxId, (each) => readWaiting(each, mailbox, id)),
    trustedSenders: {
      list: (mailbox) => reads.run(mailbox.mailboxId, (each) => listTrustedSenders(each, mailbox)),
      set: (...trusted) => trustSender(database, ...trusted),
    },
    filing: new FilingSettings({ database, sendingDomains, mailDomains: mailDomains(config) }),
    settings: new OwnSettings({
      database,
      mailboxes: new Mailboxes({ database, hostedDomain: config.hostedDomain }),
    }),
    invitations: new Invitations({
      database,
      reader: stack.use(new InvitationReader(reads, mail.blobs)),
      submitter,
    }),
    ...linkServices({ mail, sealer, mailUrl }),
    ...writingServices(stack, { mail, submitter }),
  };
}

function linkServices({
  mail,
  sealer,
  mailUrl,
}: Pick<MailClientServicesOptions, 'mail' | 'sealer' | 'mailUrl'>) {
  const { database, objects } = mail;
  return {
    fileLinks: new FileLinks({ database, sealer, address: () => new URL(mailUrl()).origin }),
    announceFile: ((...file) => announceFile(database, ...file)) satisfies Bound<typeof announceFile>,
    linkUploads: new LinkUploads(database, objects),
  };
}

function writingServices(
  stack: AsyncDisposableStack,
  { mail, submitter }: Pick<MailClientServicesOptions, 'mail' | 'submitter'>,
) {
  const { database, blobs } = mail;
  const { parts, uploads, taken, drafts } = openWriting(stack, mail);
  const checks = new SendChecks({ database, submitter });
  return {
    uploads,
    drafts,
    composer: new Composer({ database, drafts, taken }),
    replies: new Replies({ database, blobs, parts, taken }),
    outgoing: new OutgoingMail({ database, drafts, checks }),
    findPeople: ((...asked) => findPeople(database, ...asked)) satisfies Bound<typeof findPeople>,
    identities: ((mailbox) => readIdentities(database, mailbox)) satisfies Bound<typeof readIdentities>,
  };
}
