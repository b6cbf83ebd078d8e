/** Checks for DKIM rotations that have been waiting for their record for a long time. */
import { columnsOf } from '../../db/columns.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Records are usually published within hours. After this many days, the rotation has probably been forgotten. */
const LONG_DAYS = 3;
/** Maximum number of domains that the finding names. Further domains are only counted. */
const MAX_NAMED = 5;

const DOMAIN = columnsOf({ name: 'text' });

export async function checkDkimRotation({ database }: World): Promise<Finding> {
  if ('error' in database)
    return problem(
      'The DKIM keys cannot be checked without the database.',
      'Fix the database first: see the check "database".',
    );
  const { rows } = await DOMAIN.sql`
    select d.name from dkim_keys k join domains d on d.project_id = k.project_id and d.id = k.domain_id
    where k.project_id <> ${HOSTED_PROJECT_ID}::uuid and k.state = 'next' and k.created_at < now() - ${LONG_DAYS} * interval '1 day'
    order by k.created_at`.execute(database.opened);
  if (rows.length === 0) return ok('No DKIM key has been waiting for its record for long.');
  const names = rows.slice(0, MAX_NAMED).map(({ name }) => name);
  const rest = rows.length - names.length;
  return warning(
    `The next DKIM key of ${names.join(', ')}${rest === 0 ? '' : ` and ${rest} ${rest === 1 ? 'other' : 'others'}`} has been waiting for its record for more than ${LONG_DAYS} days. Mail is signed with the previous key.`,
    'Publish the record that "posthorn domain show" prints, or cancel the rotation with "posthorn domain rotate-dkim --cancel".',
  );
}
