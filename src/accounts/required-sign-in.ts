/** The sign-in (second factor or OpenID) that an organization requires of its members, or the installation requires of its operators. */
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import {
  meets,
  SIGN_IN_REQUIREMENTS,
  type SignInProof,
  type SignInRequirement,
} from '../model/sign-in-requirements.ts';
import { recordChange, recordDifferences } from './audit.ts';
import { lockOrganization } from './organizations/organizations.ts';

/** The name of the `settings` row with the requirement for operators. Without this row, nothing is required. */
export const OPERATORS_SETTING = 'operators_sign_in';

const REQUIRED = columnsOf({ name: 'text', required: shaped<SignInRequirement>('text') });

/** The proof of the caller's session. Null for the command line. */
type By = { proof: SignInProof } | null;

/** @throws AppError validation-failed if the caller would lock themselves out */
export async function requireSignIn(
  database: Database,
  organizationId: string,
  required: SignInRequirement | null,
  by: By,
): Promise<void> {
  assertMeets(by, required);
  await database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const before = await tx
      .selectFrom('organizations')
      .select(['name', 'requiredSignIn'])
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    await tx
      .updateTable('organizations')
      .set({ requiredSignIn: required })
      .where('id', '=', organizationId)
      .execute();
    const target = encodeId('org', organizationId);
    await recordDifferences(
      tx,
      { of: { organizationId }, action: 'organization.require-sign-in', target, targetName: before.name },
      { required_sign_in: before.requiredSignIn },
      { required_sign_in: required },
    );
  });
}

/** @throws AppError validation-failed if the caller would lock themselves out */
export async function requireOperatorSignIn(
  database: Database,
  required: SignInRequirement | null,
  by: By,
): Promise<void> {
  assertMeets(by, required);
  await database.transaction().execute(async (tx) => {
    const before = await readOperatorSignIn(tx);
    await tx.deleteFrom('settings').where('name', '=', OPERATORS_SETTING).execute();
    if (required !== null)
      await tx.insertInto('settings').values({ name: OPERATORS_SETTING, value: required }).execute();
    if (before === required) return;
    await recordChange(tx, {
      of: 'installation',
      action: 'operators.require-sign-in',
      target: 'operators',
      before: { required_sign_in: before },
      after: { required_sign_in: required },
    });
  });
}

/** The sign-in that the installation requires of its operators; null if nothing is required. */
export async function readOperatorSignIn(
  database: Database | DatabaseTransaction,
): Promise<SignInRequirement | null> {
  const row = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', OPERATORS_SETTING)
    .executeTakeFirst();
  return SIGN_IN_REQUIREMENTS.find((each) => each === row?.value) ?? null;
}

interface Left {
  hasSecondFactor: boolean;
  identities: number;
}

/**
 * Checks the requirements before a user loses a sign-in method. Must be called in the transaction that removes the method.
 * @param left the methods that are left
 * @param removed the kind of method that is removed
 * @throws AppError validation-failed if an organization of the user, or the installation, requires the method
 */
export async function assertNotRequired(
  tx: DatabaseTransaction,
  userId: string,
  left: Left,
  removed: SignInRequirement,
): Promise<void> {
  if (left.identities > 0 || (removed === 'second-factor' && left.hasSecondFactor)) return;
  const { rows } = await REQUIRED.sql`
    select o.name, o.required_sign_in as required
    from memberships m join organizations o on o.id = m.organization_id
    where m.user_id = ${userId} and o.required_sign_in is not null
    union all
    select 'this installation', s.value from settings s join users u on u.id = ${userId} and u.is_operator
    where s.name = ${OPERATORS_SETTING}`.execute(tx);
  // A second factor can replace OpenID if the requirement accepts either of them.
  const by = rows.find(
    ({ required }) => required === removed || (removed === 'openid' && !left.hasSecondFactor),
  );
  if (by === undefined) return;
  throw validationError({
    id:
      removed === 'openid'
        ? `is required by ${by.name}, which accepts only sign-in with the OpenID provider: keep it linked`
        : `is the last second factor, and ${by.name} requires one: add another passkey or app first`,
  });
}

/**
 * Prevents callers from requiring a method that they do not have themselves. A caller who is the only owner would be locked out, and no one
 * could remove the requirement again.
 */
function assertMeets(by: By, required: SignInRequirement | null): void {
  if (by === null || meets(by.proof, required)) return;
  throw validationError({
    required:
      required === 'openid'
        ? 'would lock you out: sign in with the OpenID provider first'
        : 'would lock you out: set up a second factor first, or confirm your identity with your second factor',
  });
}
