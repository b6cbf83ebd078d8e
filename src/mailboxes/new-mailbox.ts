/** Checks a new mailbox beyond the schema: its domain, its address, and the limits. */
import type { CreateMailbox, UpdateMailbox } from '../contract/mailboxes.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { oneLineFault } from '../model/one-line.ts';
import { PLAN_LIMITS, type Plan } from '../model/plans.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { findAddress, type NewAddress, assertAddressFree } from './new-address.ts';

/** The address of a new mailbox, and whether the mailbox will be the catch-all of its domain. */
export interface NewMailboxAddress extends NewAddress {
  isCatchAll: boolean;
}

/** Checks the fields that can be both set and updated. Returns the errors by field. */
export function textFaults(body: Pick<UpdateMailbox, 'display_name' | 'reply_to'>): Record<string, string> {
  const errors: Record<string, string> = {};
  const nameFault = oneLineFault(body.display_name ?? '');
  if (nameFault !== null) errors['display_name'] = nameFault;
  // An empty text is valid only in an update, where it removes the reply address. When a mailbox is created, the schema rejects it.
  if (body.reply_to !== undefined && body.reply_to !== '') {
    const replyTo = parseMailbox(body.reply_to);
    if ('error' in replyTo) errors['reply_to'] = replyTo.error;
  }
  return errors;
}

/**
 * Makes all checks that need no lock. They come first because hashing a password is expensive.
 *
 * @throws AppError validation-failed, with every invalid field
 */
export async function checkNewMailbox(
  database: Database,
  hostedDomain: string,
  projectId: string,
  body: CreateMailbox,
): Promise<NewMailboxAddress> {
  const errors = textFaults(body);
  if (body.is_shared === true && body.password !== undefined)
    errors['password'] = 'must be omitted: a shared mailbox has no login of its own';
  const address = await findAddress(database, hostedDomain, projectId, body, errors);
  const isCatchAll = body.is_catch_all ?? false;
  if (isCatchAll && address?.domain.projectId === HOSTED_PROJECT_ID)
    errors['is_catch_all'] = HOSTED_CATCH_ALL;
  if (address === null || Object.keys(errors).length > 0) throw validationError(errors);
  return { ...address, isCatchAll };
}

/**
 * Checks that the plan, the address and the domain allow one more mailbox. Without a lock on the project's row, the result may be outdated.
 *
 * @throws AppError already-exists, plan-limit-exceeded, validation-failed
 */
export async function checkMayAdd(
  database: Database | DatabaseTransaction,
  projectId: string,
  plan: Plan,
  place: NewMailboxAddress,
): Promise<void> {
  await assertAddressFree(database, place);
  if (place.isCatchAll) {
    const other = await database
      .selectFrom('mailboxes')
      .select('id')
      .where('domainId', '=', place.domain.id)
      .where('isCatchAll', '=', true)
      .executeTakeFirst();
    if (other !== undefined) throw catchAllExists();
    await refuseDomainRoute(database, place.domain.id);
  }
  const limit = PLAN_LIMITS[plan].mailboxes;
  if (limit === null) return;
  const { used } = await database
    .selectFrom('mailboxes')
    .select((eb) => eb.fn.countAll<string>().as('used'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(used) < limit) return;
  throw new AppError(
    'plan-limit-exceeded',
    `The plan ${plan} allows ${limit} ${limit === 1 ? 'mailbox' : 'mailboxes'}. Delete a mailbox, or change the plan.`,
    {
      errors: { local_part: `the plan ${plan} allows no more mailboxes; delete one or change the plan` },
    },
  );
}

/**
 * Rejects a catch-all on a domain with a route, which receives the same mail.
 * @throws AppError validation-failed
 */
export async function refuseDomainRoute(
  database: Database | DatabaseTransaction,
  domainId: string,
): Promise<void> {
  const route = await database
    .selectFrom('routes')
    .select('id')
    .where((row) => rowIs(row, { domainId, kind: 'domain' }))
    .executeTakeFirst();
  if (route !== undefined)
    throw validationError({
      is_catch_all: 'a route receives all other mail of this domain; delete it first',
    });
}

export function catchAllExists(): AppError {
  return validationError({ is_catch_all: 'another mailbox of this domain is already its catch-all' });
}

export const HOSTED_CATCH_ALL =
  'must not be true on the hosted domain: it would receive mail for other projects';
