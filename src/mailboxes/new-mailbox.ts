/** Checks of a new mailbox that the schema cannot make: its domain, its address, and the limits. */
import type { CreateMailbox, UpdateMailbox } from '../contract/mailboxes.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HOSTED_PROJECT_ID, isOperatorAddress } from '../domains/hosted.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { oneLineFault } from '../model/one-line.ts';
import { PLAN_LIMITS, type Plan } from '../model/plans.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { localPartFault, localPartKey } from './local-part.ts';

export interface MailboxDomain {
  /** The nil project for the hosted domain. */
  projectId: string;
  id: string;
  /** A-labels, lower case */
  name: string;
}

/** The address of a new mailbox, as far as others may have taken it. */
export interface Place {
  domain: MailboxDomain;
  localPartKey: string;
  isCatchAll: boolean;
}

/** Stands in for an unknown domain when a local part is checked. */
const SOME_DOMAIN = 'domain.test';

/** What is wrong with the fields that create and update share, by field. */
export function textFaults(body: Pick<UpdateMailbox, 'display_name' | 'reply_to'>): Record<string, string> {
  const errors: Record<string, string> = {};
  const nameFault = oneLineFault(body.display_name ?? '');
  if (nameFault !== null) errors['display_name'] = nameFault;
  // An empty one takes it away; the schema of create refuses it.
  if (body.reply_to !== undefined && body.reply_to !== '') {
    const replyTo = parseMailbox(body.reply_to);
    if ('error' in replyTo) errors['reply_to'] = replyTo.error;
  }
  return errors;
}

/**
 * Everything that is known without a lock, and without the cost of a password.
 *
 * @throws AppError validation-failed, with every field that is wrong
 */
export async function findPlace(
  database: Database,
  hostedDomain: string,
  projectId: string,
  body: CreateMailbox,
): Promise<Place> {
  const errors = textFaults(body);
  const domain = await findDomain(database, hostedDomain, projectId, body.domain_id);
  if (domain === undefined) errors['domain_id'] = UNKNOWN_DOMAIN;
  const place = { localPartKey: localPartKey(body.local_part), isCatchAll: body.is_catch_all ?? false };
  const fault = localPartFault(body.local_part, domain?.name ?? SOME_DOMAIN);
  if (fault !== null) errors['local_part'] = fault;
  if (domain?.projectId === HOSTED_PROJECT_ID) {
    if (isOperatorAddress(place.localPartKey)) {
      errors['local_part'] ??= 'belongs to the operator of the service';
    }
    if (place.isCatchAll) errors['is_catch_all'] = HOSTED_CATCH_ALL;
  }
  if (domain === undefined || Object.keys(errors).length > 0) throw validationError(errors);
  return { domain, ...place };
}

async function findDomain(
  database: Database,
  hostedDomain: string,
  projectId: string,
  id: string,
): Promise<MailboxDomain | undefined> {
  const domainId = decodeId('dom', id);
  if (domainId === null) return undefined;
  const domain = await database
    .selectFrom('domains')
    .select(['projectId', 'id', 'name'])
    .where('projectId', 'in', [projectId, HOSTED_PROJECT_ID])
    .where('id', '=', domainId)
    .executeTakeFirst();
  // An earlier hosted domain is kept only for its keys.
  return domain?.projectId === HOSTED_PROJECT_ID && domain.name !== hostedDomain ? undefined : domain;
}

/**
 * Keeps the domain from being deleted until the transaction ends: whoever deletes it locks the row for update, and then
 * counts mailboxes.
 *
 * @throws AppError validation-failed: it was deleted meanwhile
 */
export async function holdDomain(tx: DatabaseTransaction, { projectId, id }: MailboxDomain): Promise<void> {
  const held = await tx
    .selectFrom('domains')
    .select('id')
    .where((row) => rowIs(row, { projectId, id }))
    .forKeyShare()
    .executeTakeFirst();
  if (held === undefined) throw validationError({ domain_id: UNKNOWN_DOMAIN });
}

/**
 * Whether the plan, the address and the domain allow one more mailbox. The answer stays true only for a caller who has
 * locked the project's row.
 *
 * @throws AppError already-exists, plan-limit-exceeded, validation-failed
 */
export async function checkMayAdd(
  database: Database | DatabaseTransaction,
  projectId: string,
  plan: Plan,
  { domain, localPartKey, isCatchAll }: Place,
): Promise<void> {
  // Mailboxes of all projects: they share the addresses of the hosted domain.
  const taken = await database
    .selectFrom('mailboxes')
    .select(['localPartKey'])
    .where('domainId', '=', domain.id)
    .where((eb) =>
      isCatchAll
        ? eb.or([eb('localPartKey', '=', localPartKey), eb('isCatchAll', '=', true)])
        : eb('localPartKey', '=', localPartKey),
    )
    .execute();
  if (taken.some((mailbox) => mailbox.localPartKey === localPartKey)) {
    throw new AppError('already-exists', 'There is a mailbox with this address already.', {
      errors: { local_part: 'is the address of another mailbox of this domain' },
    });
  }
  if (taken.length > 0) throw catchAllTaken();
  const limit = PLAN_LIMITS[plan].mailboxes;
  if (limit === null) return;
  const { used } = await database
    .selectFrom('mailboxes')
    .select((eb) => eb.fn.countAll<string>().as('used'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(used) < limit) return;
  throw new AppError('plan-limit-exceeded', `The plan ${plan} allows ${limit} mailbox.`, {
    errors: { local_part: `the plan ${plan} allows no further mailbox` },
  });
}

export function catchAllTaken(): AppError {
  return validationError({ is_catch_all: 'another mailbox of this domain is its catch-all' });
}

export const HOSTED_CATCH_ALL =
  'must not be true on the hosted domain: it would take mail for other projects';
const UNKNOWN_DOMAIN = 'is not the id of a domain that was added to this project, nor of the hosted domain';
