/**
 * The parts of the core that the web client uses. Operations take the mailbox key first, and only this key determines the mailbox to use.
 */
import type { readNotSendingSince } from '../../../queue/provider-kind.ts';
import type { Uploads } from '../../../webmail/write/uploads.ts';
import type { MessageBytes } from '../../../webmail/read/message-bytes.ts';
import type { MessageReader } from '../../../webmail/read/message-reader.ts';
import type { announceFile } from '../../../file-links/announce-file.ts';
import type { FileLinks } from '../../../file-links/file-links.ts';
import type { LinkUploads } from '../../../file-links/link-uploads.ts';
import type { Bound } from '../bound.ts';
import type { ModuleParts } from '../operation-modules.ts';
import type { MailModuleParts } from './operation-modules.ts';
import type { LiveMail } from './changes/live-mail.ts';
import type { MailAccountServices } from './account-services.ts';

export interface MailClientServices extends MailAccountServices, MailModuleParts {
  /** The dependencies of the operations that the API or the dashboard also offers. */
  readonly parts: ModuleParts;
  /** The start of the period in which no process can send mail. Null if a process can send, or if no process has checked yet. */
  readonly notSendingSince: Bound<typeof readNotSendingSince>;
  readonly uploads: Pick<Uploads, 'receive' | 'find' | 'read'>;
  readonly fileLinks: Pick<FileLinks, 'list'>;
  readonly announceFile: Bound<typeof announceFile>;
  readonly linkUploads: Pick<LinkUploads, 'find' | 'receive' | 'remove'>;
  readonly live: Pick<LiveMail, 'open' | 'end'>;
  readonly messages: MailModuleParts['messages'] & Pick<MessageReader, 'prepare' | 'html' | 'printed'>;
  readonly messageBytes: MailModuleParts['messageBytes'] &
    Pick<MessageBytes, 'raw' | 'begin' | 'part' | 'preview' | 'thumbnail' | 'files' | 'inline' | 'remote'>;
}
