/** Builds the services of the web client from the core, once per process. No logic. */
import { LiveMail } from '../doors/http/mail/changes/live-mail.ts';
import type { MailClientServices } from '../doors/http/mail/services.ts';
import { MailActions } from '../webmail/act/mail-actions.ts';
import { Snoozing } from '../webmail/act/snoozing.ts';
import { MailLabels } from '../webmail/labels/mail-labels.ts';
import { MailSearch } from '../webmail/list/search/mail-search.ts';
import { MailList } from '../webmail/list/mail-list.ts';
import { announceFile } from '../file-links/announce-file.ts';
import { LinkUploads } from '../file-links/link-uploads.ts';
import { readNotSendingSince } from '../queue/provider-kind.ts';
import type { Submitter } from '../sending/submit/submitter.ts';
import { InvitationReader } from '../webmail/invitations/invitation-reader.ts';
import { Invitations } from '../webmail/invitations/invitations.ts';
import { CannedResponses } from '../webmail/write/canned-responses.ts';
import { OwnIdentities } from '../webmail/write/own-identities.ts';
import { PushKey } from '../webmail/push/push-key.ts';
import { PushSender, runPushes } from '../webmail/push/push-sender.ts';
import { PushSubscriptions } from '../webmail/push/push-subscriptions.ts';
import { OwnSettings } from '../webmail/settings/own-settings.ts';
import type { Core } from './core.ts';
import type { Bound } from '../doors/http/bound.ts';
import { DraftComposer } from '../webmail/write/composer.ts';
import { OutgoingMail } from '../webmail/write/outgoing.ts';
import { Replies } from '../webmail/write/reply.ts';
import { SendChecks } from '../webmail/write/send-checks.ts';
import type { MailServices } from './mail-services.ts';
import { openWriting } from './writing.ts';
import type { MailAccountServices } from '../doors/http/mail/account-services.ts';
import { changeOwnPassword } from '../mailboxes/sign-in/own-password.ts';
import type { SignIn } from '../mailboxes/sign-in/sign-in.ts';
import { confirmWebSession, endWebSession, WebSessions } from '../mailboxes/sign-in/web-sessions.ts';
import { WebSignIn } from '../mailboxes/sign-in/web-sign-in.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { MAIL_IMAGES_KEY, SignedImages } from '../webmail/read/links/signed-images.ts';
import { MessageBytes } from '../webmail/read/message-bytes.ts';
import { MessageReader } from '../webmail/read/message-reader.ts';
import type { BaseCore } from './base-core.ts';

/** The maximum number of connections to one host. */
const CONNECTIONS = 4;

export interface MailClientParts {
  mail: Pick<MailServices, 'database' | 'objects' | 'signIn' | 'blobs' | 'facts' | 'store' | 'notices'>;
  submitter: Submitter;
}

/** The core closes the services. */
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
    labels: new MailLabels({ database: mail.database, reads, store: mail.store }),
    actions: new MailActions({ store: mail.store, reads, search, snoozing: new Snoozing(mail) }),
    live: new LiveMail({
      notices: mail.notices,
      signIn: account.signIn,
      lists,
      timings: core.timings.live,
    }),
    ...openMessageReader(core, mail.blobs),
    settings: new OwnSettings({ database }),
    identities: new OwnIdentities({ database, mailboxes: core.mailboxes }),
    cannedResponses: new CannedResponses({ database }),
    push: new PushSubscriptions({ database, environment: core.config.environment, ...pushOptions(core) }),
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

/** Starts notifying browsers of new mail. The core must be unsealed, and is closed after the result. */
export function startPushes(core: Core, { notices }: Pick<MailServices, 'notices'>): AsyncDisposable {
  const { logger } = core;
  return runPushes(new PushSender({ database: core.lane('push'), logger, ...pushOptions(core) }), notices);
}

function pushOptions(core: Core) {
  const { sealer, config, baseUrl } = core;
  return {
    sealer,
    key: new PushKey(core.database, sealer),
    client: core.openClient(CONNECTIONS),
    subject: () => config.mailUrl ?? baseUrl(),
  };
}

function writingServices(stack: AsyncDisposableStack, { mail, submitter }: MailClientParts) {
  const { database, blobs } = mail;
  const { parts, uploads, fileImporter, drafts } = openWriting(stack, mail);
  const checks = new SendChecks({ database, submitter });
  return {
    uploads,
    drafts,
    composer: new DraftComposer({ database, drafts, fileImporter, uploads }),
    replies: new Replies({ database, blobs, parts, fileImporter }),
    outgoing: new OutgoingMail({ database, drafts, checks }),
  };
}

/** Services for signing in to a mailbox. No logic. */
function createMailAccountServices({ database }: Core, signIn: SignIn): MailAccountServices {
  const sessions = new WebSessions(database);
  const webSignIn = new WebSignIn(database, signIn);
  return {
    signIn: {
      prove: (...attempt) => webSignIn.prove(...attempt),
      enter: (...proved) => webSignIn.enter(...proved),
      openForWebSession: (...session) => signIn.openForWebSession(...session),
    },
    sessions: {
      find: (token) => sessions.find(token),
      lookUp: (token) => sessions.lookUp(token),
      end: (...session) => endWebSession(database, ...session),
      confirm: (...session) => confirmWebSession(database, ...session),
    },
    account: {
      changePassword: (...change) => changeOwnPassword(database, ...change),
    },
  };
}

/** Opens the services for reading single messages. The core closes the services. */
function openMessageReader(
  core: BaseCore,
  blobs: Blobs,
): { messages: MessageReader; messageBytes: MessageBytes } {
  const images = new SignedImages(core.sealer.deriveKey(MAIL_IMAGES_KEY));
  const messages = core.stack.use(new MessageReader({ reads: core.reads('web-mail'), blobs, images }));
  const messageBytes = core.stack.use(
    new MessageBytes({
      reader: messages,
      blobs,
      images,
      imageClient: core.openClient(CONNECTIONS, true),
      client: core.openClient(CONNECTIONS),
    }),
  );
  return { messages, messageBytes };
}
