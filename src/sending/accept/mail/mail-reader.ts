import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { WorkerReader } from '../../../store/facts/worker-reader.ts';
import { MAX_MAIL_OCTETS, type MailReading, readMail } from './read-mail.ts';
import type { Reading } from '../../../store/facts/readings.ts';

const MAIL: Reading<MailReading> = {
  read: readMail,
  ofUnreadable: () => ({
    errors: { message: `cannot be read, or is larger than ${Math.floor(MAX_MAIL_OCTETS / 1024 / 1024)} MB` },
  }),
};

/** Reads messages that applications submit. Small messages are read at once, large messages in another thread. */
export class MailReader extends WorkerReader<MailReading> {
  constructor() {
    super('mail', MAIL, { thread: new URL('./thread.ts', import.meta.url) });
  }

  override read(raw: Buffer): MaybePromise<MailReading> {
    return raw.length > MAX_MAIL_OCTETS ? MAIL.ofUnreadable(raw) : super.read(raw);
  }
}
