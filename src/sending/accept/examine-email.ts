/** What takes long to find out of a large email, apart from accepting it, so that another thread can do it. */
import type { SendEmail } from '../../contract/emails.ts';
import { AppError } from '../../model/app-error.ts';
import { checkEnvelope, type Envelope } from './check-envelope.ts';
import { fingerprint } from './fingerprint.ts';

/** Plain values: they pass between threads. */
export interface ExaminedEmail {
  fingerprint: Uint8Array;
  /** Or what is wrong, as `validationError` takes it. */
  envelope: Envelope | { errors: Readonly<Record<string, string>> };
}

export function examineEmail(send: SendEmail): ExaminedEmail {
  return { fingerprint: fingerprint(send), envelope: envelopeOf(send) };
}

function envelopeOf(send: SendEmail): ExaminedEmail['envelope'] {
  try {
    return checkEnvelope(send);
  } catch (error) {
    if (error instanceof AppError && error.errors !== undefined) return { errors: error.errors };
    throw error;
  }
}
