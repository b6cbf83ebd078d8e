import type { Blobs } from '../../../blobs/blobs.ts';
import { AppError, type ErrorCode } from '../../../model/app-error.ts';
import type { Accepted, StoreMessage } from '../accept-email.ts';
import type { NewMessage } from '../insert-messages.ts';

/** Errors after which the email is certainly not written. After any other error it may be committed. */
const NOT_WRITTEN: readonly ErrorCode[] = ['quota-exceeded', 'plan-limit-exceeded', 'idempotency-key-reused'];

/**
 * Accepts an email with a message. The object of the message is deleted if the email was not written. Attack: a project without storage left
 * submits large messages until the disk is full, because objects without a row are only deleted after a day.
 */
export async function acceptWithMessage(
  blobs: Pick<Blobs, 'discard'>,
  store: StoreMessage,
  accept: (store: StoreMessage) => Promise<Accepted>,
): Promise<Accepted> {
  const stored: NewMessage[] = [];
  const discard = async (): Promise<void> => {
    for (const { blob } of stored) await blobs.discard(blob).catch(() => {});
  };
  try {
    const accepted = await accept(async () => {
      const message = await store();
      if (message !== null) stored.push(message);
      return message;
    });
    if (accepted.replayed) await discard();
    return accepted;
  } catch (error) {
    if (error instanceof AppError && NOT_WRITTEN.includes(error.code)) await discard();
    throw error;
  }
}
