import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { OffLoop } from '../../../store/facts/off-loop.ts';
import { MAX_MAIL_OCTETS, type MailReading } from './read-mail.ts';
import { MAIL } from './reading.ts';

/** Reads messages of applications: small ones at once, large ones in a thread. */
export class MailReader extends OffLoop<MailReading> {
  constructor() {
    super('mail', MAIL, new URL('./thread.ts', import.meta.url));
  }

  override read(raw: Buffer): MaybePromise<MailReading> {
    return raw.length > MAX_MAIL_OCTETS ? MAIL.ofUnreadable(raw) : super.read(raw);
  }
}
