/** Every operation of the API, in the order of the contract's table. */
import type { Operation } from '../operation.ts';
import { getEmail } from './emails/get-email.ts';
import { listEmails } from './emails/list-emails.ts';
import { sendEmail } from './emails/send-email.ts';

export const OPERATIONS: readonly Operation[] = [sendEmail, listEmails, getEmail];
