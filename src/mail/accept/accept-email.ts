/**
 * Accepting: a validated request becomes rows, and the caller hears of it only after the commit.
 */
import type { SendEmail } from '../../contract/emails.ts';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import type { SendingDomains } from '../../domains/sending-domains.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import { checkSender } from './check-sender.ts';
import { fingerprint } from './fingerprint.ts';
import { findByIdempotencyKey, insertEmails, type NewEmail } from './insert-emails.ts';
import { checkEnvelope } from './check-envelope.ts';

export interface Accepted {
  /** uuid; its time is the `created_at` of the answer. */
  emailId: string;
  /** True when an earlier request with the same idempotency key made the email. */
  replayed: boolean;
}

export interface AcceptorOptions {
  database: Database;
  sendingDomains: SendingDomains;
  /** Called after each commit that left work for the queue. */
  onQueued(): void;
}

const MAX_BATCH = 200;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const FLIGHTS = 2;

export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #commit: GroupCommit<NewEmail, boolean>;
  /** Keys whose first request of this process is on its way: a twin waits here, not in the database. */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#commit = new GroupCommit({
      flush: (batch) => insertEmails(options.database, batch),
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      sizeOf: ({ html, text }) => (html?.length ?? 0) + (text?.length ?? 0),
    });
  }

  /**
   * Contract row 1. Resolves after the commit.
   * @throws AppError validation-failed, domain-not-verified, idempotency-key-reused
   */
  async accept(projectId: string, send: SendEmail, idempotencyKey: string | null): Promise<Accepted> {
    const { from, recipients } = checkEnvelope(send);
    const checked = checkSender(this.#options.sendingDomains, projectId, from);
    if (checked !== undefined) await checked;
    const email: NewEmail = {
      projectId,
      emailId: newUuid(),
      sender: send.from,
      senderAddress: from.address,
      to: send.to,
      cc: send.cc ?? [],
      bcc: send.bcc ?? [],
      replyTo: send.reply_to ?? null,
      subject: send.subject ?? '',
      html: send.html ?? null,
      text: send.text ?? null,
      headers: send.headers ?? null,
      tags: send.tags ?? [],
      recipients,
      idempotency: idempotencyKey === null ? null : { key: idempotencyKey, fingerprint: fingerprint(send) },
    };
    return email.idempotency === null ? this.#insert(email) : this.#acceptOnce(email, email.idempotency);
  }

  async #insert(email: NewEmail): Promise<Accepted> {
    await this.#commit.add(email);
    this.#options.onQueued();
    return { emailId: email.emailId, replayed: false };
  }

  /** The first request with a key writes; the others wait for its commit and compare (decisions, Idempotency). */
  async #acceptOnce(email: NewEmail, idempotency: { key: string; fingerprint: Buffer }): Promise<Accepted> {
    const name = `${email.projectId} ${idempotency.key}`;
    for (;;) {
      const twin = this.#pending.get(name);
      if (twin !== undefined) {
        // Its failure is its caller's to hear; here it only means that the key is free again.
        await twin.catch(() => {});
      } else {
        const written = this.#commit.add(email);
        this.#pending.set(name, written);
        try {
          if (await written) {
            this.#options.onQueued();
            return { emailId: email.emailId, replayed: false };
          }
        } finally {
          this.#pending.delete(name);
        }
      }
      const first = await findByIdempotencyKey(this.#options.database, email.projectId, idempotency.key);
      if (first === null) continue;
      if (first.fingerprint.equals(idempotency.fingerprint))
        return { emailId: first.emailId, replayed: true };
      throw new AppError(
        'idempotency-key-reused',
        'This Idempotency-Key came with another request body before.',
        {
          errors: { 'Idempotency-Key': 'was used with another body; use a new key for a new email' },
        },
      );
    }
  }
}
