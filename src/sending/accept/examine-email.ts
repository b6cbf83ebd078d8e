/** The slow checks of large emails. They are separate from accepting the emails, so that another thread can run them. */
import type { SendBatch, SendEmail } from '../../contract/emails.ts';
import { AppError } from '../../model/app-error.ts';
import { checkEnvelope, type SubmittedEnvelope } from './check-envelope.ts';
import { fingerprint } from './fingerprint.ts';

/** The result of examining an email. Contains only plain values, because it passes between threads. */
export interface ExaminedEmail {
  fingerprint: Uint8Array;
  /** The envelope, or the errors for `validationError`. */
  envelope: SubmittedEnvelope | { errors: Readonly<Record<string, string>> };
}

export interface ExaminedBatch {
  /** The fingerprint of the whole batch. */
  fingerprint: Uint8Array;
  /** The envelopes of the emails, in the order of the request. The list ends after the first invalid email. */
  envelopes: ExaminedEmail['envelope'][];
}

export function examineEmail(send: SendEmail): ExaminedEmail {
  return { fingerprint: fingerprint(send), envelope: envelopeOf(send) };
}

export function examineBatch(batch: SendBatch): ExaminedBatch {
  const envelopes: ExaminedEmail['envelope'][] = [];
  for (const send of batch.emails) {
    const envelope = envelopeOf(send);
    envelopes.push(envelope);
    if ('errors' in envelope) break;
  }
  return { fingerprint: fingerprint(batch), envelopes };
}

function envelopeOf(send: SendEmail): ExaminedEmail['envelope'] {
  try {
    return checkEnvelope(send);
  } catch (error) {
    if (error instanceof AppError && error.errors !== undefined) return { errors: error.errors };
    throw error;
  }
}
