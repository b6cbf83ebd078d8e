/** Converts rows of people to the form of the API. */
import type { Selectable } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import { type CreatePerson, Person } from '../contract/directory.ts';
import type { Tables } from '../db/tables.ts';
import { validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { oneLineFault } from '../model/one-line.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { emailKey } from './members.ts';

export type PersonRow = Omit<Selectable<Tables['people']>, 'emailKey'>;

const personBody = bodyOf(Person);

/** @param projectId the project that reads the directory */
export function personOf(row: PersonRow, projectId: string): Person {
  const own = row.mailboxId === null ? 'manual' : 'mailbox';
  return personBody({
    ...row,
    id: encodeId('per', row.id),
    source: row.projectId === projectId ? own : 'shared',
    projectId: encodeId('prj', row.projectId),
  });
}

/**
 * Checks the rules that the schema cannot express.
 * @returns the key of the address. Among the people added by hand, it must be unique
 * @throws AppError validation-failed, with every invalid field
 */
export function checkPerson({ name, email }: Pick<CreatePerson, 'name' | 'email'>): string {
  const errors: Record<string, string> = {};
  const nameFault = name.trim() === '' ? 'must not be blank' : oneLineFault(name);
  if (nameFault !== null) errors['name'] = nameFault;
  const mailbox = parseMailbox(email);
  if ('error' in mailbox) errors['email'] = mailbox.error;
  else if (email.endsWith('>')) errors['email'] = 'must be only an address: local@domain, without a name';
  if ('error' in mailbox || Object.keys(errors).length > 0) throw validationError(errors);
  return emailKey(mailbox.address);
}
