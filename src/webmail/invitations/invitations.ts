/** Reads the invitations of a mailbox, replies to invitations and stores the replies (docs/web-client.md, Invitations). */
import type { AnswerInvitation, Invitation } from '../../contract/mail/invitations.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { ownAddresses } from '../../mailboxes/own-addresses.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import type { Submitter } from '../../sending/submit/submitter.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { composeInvitationReply } from './compose-reply.ts';
import { describeInvitation, invitedAs, mayReply } from './describe-invitation.ts';
import { findNewerMessages, type NewerMessages, recordEvent } from './event-messages.ts';
import type { InvitationReader, ReadInvitation } from './invitation-reader.ts';
import { storeReply, readStoredReply } from './stored-replies.ts';

export interface InvitationsOptions {
  database: Database;
  reader: Pick<InvitationReader, 'read'>;
  submitter: Pick<Submitter, 'submit'>;
}

export class Invitations {
  readonly #options: InvitationsOptions;

  constructor(options: InvitationsOptions) {
    this.#options = options;
  }

  /** @returns null if the mailbox has no such message, or if the message has no readable calendar @throws AppError unavailable */
  async read(mailbox: MailboxKey, objectId: string): Promise<Invitation | null> {
    const found = await this.#options.reader.read(mailbox, objectId);
    return found === null ? null : this.#describe(mailbox, objectId, found);
  }

  /**
   * Sends the reply to the organizer, then stores the reply. If the process is killed in between, the reply is sent but not stored. If the
   * user then replies again, the organizer gets the same reply twice. The duplicate has no effect.
   * @param isTls whether the request arrived over TLS
   * @returns null under the same conditions as `read`
   * @throws AppError bad-request if the mailbox cannot reply to the event (`mayReply`); invitation-outdated if the organizer has changed or
   * cancelled the event since; validation-failed if the reply may not be sent now; unavailable
   */
  async answer(
    mailbox: MailboxKey,
    objectId: string,
    { answer }: AnswerInvitation,
    isTls: boolean,
  ): Promise<Invitation | null> {
    const { database, reader, submitter } = this.#options;
    const found = await reader.read(mailbox, objectId);
    if (found === null) return null;
    const { event, messageId } = found;
    const own = await ownAddresses(database, mailbox.projectId, mailbox.mailboxId);
    const from = invitedAs(event, own)?.address ?? null;
    const organizer = event.organizer?.address ?? null;
    if (!mayReply(event, own) || from === null || organizer === null)
      throw new AppError('bad-request', 'This event needs no reply from you, so no reply was sent.');
    const { newest } = await this.#newer(mailbox, objectId, found);
    if (newest !== null)
      throw new AppError(
        'invitation-outdated',
        newest.event.isCancelled
          ? 'The organizer has cancelled this event, so no reply was sent.'
          : 'The organizer has changed this event since. Reply to the newest invitation.',
      );
    const raw = composeInvitationReply({
      event,
      answer,
      from,
      organizer,
      inReplyTo: messageId,
      nowMs: clock.nowMs(),
      name: await displayNameOf(database, mailbox),
    });
    const result = await submitter.submit(mailbox, {
      reversePath: from,
      isUtf8: true,
      recipients: [{ forwardPath: organizer, notify: null, originalRecipient: null }],
      envelopeId: null,
      returns: null,
      raw,
      isTls,
    });
    if (result.outcome === 'refused') throw validationError({ answer: result.text });
    await storeReply(database, mailbox, event, answer);
    return this.#describe(mailbox, objectId, found);
  }

  async #describe(mailbox: MailboxKey, objectId: string, found: ReadInvitation): Promise<Invitation> {
    const { database, reader } = this.#options;
    const { newest, unproven } = await this.#newer(mailbox, objectId, found);
    // The times of the newest version are in its file only.
    const now =
      newest === null || newest.event.isCancelled ? null : await reader.read(mailbox, newest.objectId);
    return describeInvitation(found, {
      own: await ownAddresses(database, mailbox.projectId, mailbox.mailboxId),
      kept: await readStoredReply(database, mailbox, found.event),
      newest,
      changed: now?.event ?? null,
      unproven,
    });
  }

  async #newer(
    mailbox: MailboxKey,
    objectId: string,
    { key, isIndexed, from, authentication }: ReadInvitation,
  ): Promise<NewerMessages> {
    const { database } = this.#options;
    if (key === null) return { newest: null, unproven: null };
    if (!isIndexed) await recordEvent(database, mailbox, objectId, key);
    return findNewerMessages(database, mailbox, objectId, { from, authentication }, key);
  }
}

const DISPLAY_NAME = columnsOf({ displayName: 'text?' });

async function displayNameOf(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<string | null> {
  const { rows } = await DISPLAY_NAME.sql`
    select display_name from mailboxes where project_id = ${projectId} and id = ${mailboxId}`.execute(
    database,
  );
  return rows[0]?.displayName ?? null;
}
