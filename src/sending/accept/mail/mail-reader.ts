import type { Reading } from '../../../store/facts/readings.ts';
import { WorkerReader } from '../../../store/facts/worker-reader.ts';
import { type MailReading, readMail } from './read-mail.ts';

const MAIL: Reading<MailReading | null> = { read: readMail, ofUnreadable: () => null };

/**
 * Reads messages that applications submit. Small messages are read at once, large messages in another thread. The result is null if the
 * message was not read in time.
 */
export class MailReader extends WorkerReader<MailReading | null> {
  constructor() {
    super('mail', MAIL, { thread: new URL('./thread.ts', import.meta.url) });
  }
}
