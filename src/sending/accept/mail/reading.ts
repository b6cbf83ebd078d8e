import type { Reading } from '../../../store/facts/readings.ts';
import { MAX_MAIL_OCTETS, type MailReading, readMail } from './read-mail.ts';

export const MAIL: Reading<MailReading> = {
  read: readMail,
  ofUnreadable: () => ({
    errors: { message: `cannot be read, or is larger than ${Math.floor(MAX_MAIL_OCTETS / 1024 / 1024)} MB` },
  }),
};
