/** What the schema cannot say of a new person. */
import type { CreatePerson } from '../contract/directory.ts';
import { validationError } from '../model/app-error.ts';
import { oneLineFault } from '../model/one-line.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { emailKey } from './email-key.ts';

/**
 * @returns what no other person added by hand may share: the key of the address
 * @throws AppError validation-failed, with every field that is wrong
 */
export function checkPerson({ name, email }: CreatePerson): string {
  const errors: Record<string, string> = {};
  const nameFault = name.trim() === '' ? 'must not be blank' : oneLineFault(name);
  if (nameFault !== null) errors['name'] = nameFault;
  const mailbox = parseMailbox(email);
  if ('error' in mailbox) errors['email'] = mailbox.error;
  else if (email.endsWith('>')) errors['email'] = 'must be an address alone: local@domain, without a name';
  if ('error' in mailbox || Object.keys(errors).length > 0) throw validationError(errors);
  return emailKey(mailbox.address);
}
