/** What the web client is served: the parts of the core, built once for a process. No logic. */
import { LiveMail } from '../doors/http/mail/changes/live-mail.ts';
import type { MailClientServices } from '../doors/http/mail/services.ts';
import { MailActions } from '../webmail/act/mail-actions.ts';
import { MailSearch } from '../webmail/list/search/mail-search.ts';
import { MailList } from '../webmail/list/mail-list.ts';
import { announceFile } from '../file-links/announce-file.ts';
import { LinkUploads } from '../file-links/link-uploads.ts';
import { readNotSendingSince } from '../queue/provider-kind.ts';
import type { Submitter } from '../sending/submit/submitter.ts';
import { InvitationReader } from '../webmail/invitations/invitation-reader.ts';
import { Invitations } from '../webmail/invitations/invitations.ts';
import { OwnSettings } from '../webmail/settings/own-settings.ts';
import type { Core } from './core.ts';
import type { Bound } from '../doors/http/bound.ts';
import { DraftComposer } from '../webmail/write/composer.ts';
import { OutgoingMail } from '../webmail/write/outgoing.ts';
import { Replies } from '../webmail/write/reply.ts';
import { SendChecks } from '../webmail/write/send-checks.ts';
import { openMessageReader } from './message-reader.ts';
import { createMailAccountServices } from './mail-account-services.ts';
import type { MailServices } from './mail-services.ts';
import { openWriting } from './writing.ts';

export interface MailClientParts {
  mail: Pick<MailServices, 'database' | 'objects' | 'signIn' | 'blobs' | 'facts' | 'store' | 'notices'>;
  submitter: Submitter;
}

/** They are closed with the core. */
export function createMailClientServices(core: Core, parts: MailClientParts): MailClientServices {
  const { mail, submitter } = parts;
  const { database, stack } = core;
  const reads = core.reads('web-mail');
  const account = createMailAccountServices(core, mail.signIn);
  const lists = new MailList({ store: mail.store, reads });
  const search = new MailSearch({ store: mail.store, reads: core.reads('web-mail-search') });
  return {
    ...account,
    parts: core,
    database,
    mailDatabase: mail.database,
    reads,
    notSendingSince: () => readNotSendingSince(database),
    store: mail.store,
    lists,
    search,
    actions: new MailActions({ store: mail.store, reads, search }),
    live: new LiveMail({ notices: mail.notices, signIn: account.signIn, lists }),
    ...openMessageReader(core, mail.blobs),
    settings: new OwnSettings({ database, mailboxes: core.mailboxes }),
    invitations: new Invitations({
      database,
      reader: stack.use(new InvitationReader(reads, mail.blobs)),
      submitter,
    }),
    fileLinks: core.fileLinks,
    announceFile: ((...file) => announceFile(mail.database, ...file)) satisfies Bound<typeof announceFile>,
    linkUploads: new LinkUploads(mail.database, mail.objects),
    ...writingServices(stack, parts),
  };
}

function writingServices(stack: AsyncDisposableStack, { mail, submitter }: MailClientParts) {
  const { database, blobs } = mail;
  const { parts, uploads, taken, drafts } = openWriting(stack, mail);
  const checks = new SendChecks({ database, submitter });
  return {
    uploads,
    drafts,
    composer: new DraftComposer({ database, drafts, taken }),
    replies: new Replies({ database, blobs, parts, taken }),
    outgoing: new OutgoingMail({ database, drafts, checks }),
  };
}
