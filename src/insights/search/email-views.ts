/** Saved searches of the email log. A user has own ones, and everyone in a project sees the shared ones. */
import { recordChange } from '../../accounts/audit.ts';
import type { Principal } from '../../accounts/principal.ts';
import { lockProject } from '../../accounts/projects/projects.ts';
import type { EmailView, EmailViewList, SaveEmailView } from '../../contract/dashboard/email-log.ts';
import type { Database } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { isAtLeast } from '../../model/roles.ts';
import { parseSearch } from './email-search.ts';

/** The maximum number of saved searches of a user in a project, and of shared ones in a project. */
const MAX_VIEWS = 20;

type User = Pick<Principal, 'userId' | 'role'>;

export async function listEmailViews(
  database: Database,
  projectId: string,
  { userId }: User,
): Promise<EmailViewList> {
  const rows = await database
    .selectFrom('emailViews')
    .select(['id', 'userId', 'name', 'q'])
    .where('projectId', '=', projectId)
    .where((row) => row.or([row('userId', '=', userId), row('userId', 'is', null)]))
    .orderBy('name')
    .orderBy('id')
    .execute();
  return { data: rows.map((row) => viewOf(row)) };
}

/** @throws AppError validation-failed for an invalid search; missing-role; bad-request if there are too many */
export async function saveEmailView(
  database: Database,
  projectId: string,
  user: User,
  { name: given, q, is_shared: isShared }: SaveEmailView,
): Promise<EmailView> {
  const parsed = parseSearch(q);
  if ('error' in parsed) throw validationError({ q: parsed.error });
  if (isShared) assertMayShare(user);
  const name = given.trim();
  const owner = isShared ? null : user.userId;
  return database.transaction().execute(async (tx) => {
    await lockProject(tx, projectId);
    const { id } = await tx
      .insertInto('emailViews')
      .values({ projectId, id: newUuid(), userId: owner, name, q })
      .onConflict((conflict) => conflict.columns(['projectId', 'userId', 'name']).doUpdateSet({ q }))
      .returning('id')
      .executeTakeFirstOrThrow();
    const { count } = await tx
      .selectFrom('emailViews')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('projectId', '=', projectId)
      .where('userId', owner === null ? 'is' : '=', owner)
      .executeTakeFirstOrThrow();
    if (Number(count) > MAX_VIEWS)
      throw new AppError(
        'bad-request',
        `There are already ${MAX_VIEWS} ${isShared ? 'shared searches' : 'saved searches'}. Delete one first.`,
      );
    // The search is not logged, because it may contain the address of a person.
    if (isShared)
      await recordChange(tx, { of: { projectId }, action: 'email-view.save', target: encodeId('vw', id) });
    return viewOf({ id, userId: owner, name, q });
  });
}

/** @returns null if the user sees no such view. @throws AppError missing-role for a shared one */
export async function deleteEmailView(
  database: Database,
  projectId: string,
  user: User,
  id: string,
): Promise<true | null> {
  return database.transaction().execute(async (tx) => {
    const view = await tx
      .deleteFrom('emailViews')
      .where('projectId', '=', projectId)
      .where('id', '=', id)
      .where((row) => row.or([row('userId', '=', user.userId), row('userId', 'is', null)]))
      .returning('userId')
      .executeTakeFirst();
    if (view === undefined) return null;
    if (view.userId === null) {
      assertMayShare(user);
      await recordChange(tx, { of: { projectId }, action: 'email-view.delete', target: encodeId('vw', id) });
    }
    return true;
  });
}

function assertMayShare({ role }: User): void {
  if (!isAtLeast(role, 'developer'))
    throw new AppError('missing-role', 'Shared searches can be changed by developers, admins and owners.');
}

interface ViewRow {
  id: string;
  userId: string | null;
  name: string;
  q: string;
}

function viewOf({ id, userId, name, q }: ViewRow): EmailView {
  return { id: encodeId('vw', id), name, q, is_shared: userId === null };
}
