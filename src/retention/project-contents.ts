/** Counts the contents of projects, for a user who is about to delete or export projects. */
import { sql } from 'kysely';
import type { ProjectContents } from '../contract/dashboard/projects.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { among } from './deleting.ts';

/** Counting stops at this number. A larger count is reported as "more than 100,000". */
const COUNTED_UP_TO = 100_000;

const COUNTED = {
  emails: sql`emails`,
  waiting: sql`queue`,
  mailboxes: sql`mailboxes`,
  aliases: sql`aliases`,
  domains: sql`domains`,
  apiKeys: sql`(select project_id from api_keys where revoked_at is null)`,
  webhooks: sql`webhooks`,
  templates: sql`templates`,
  people: sql`people`,
  suppressions: sql`suppressions`,
};
const CONTENTS = columnsOf({
  ...(Object.fromEntries(Object.keys(COUNTED).map((name) => [name, 'int4'])) as Record<
    keyof typeof COUNTED,
    'int4'
  >),
  messages: 'float8',
  storageBytes: 'float8',
});

export async function readContents(
  database: Database,
  projectIds: readonly string[],
): Promise<ProjectContents> {
  const counts = Object.entries(COUNTED).map(
    ([name, table]) => sql`
      (select count(*) from (select from ${table} t where project_id = ${among(projectIds)} limit ${COUNTED_UP_TO}) c)::int as ${sql.ref(name)}`,
  );
  const { rows } = await CONTENTS.sql`
    select ${sql.join(counts)},
      (select coalesce(sum(messages), 0) from folders where project_id = ${among(projectIds)})::float8 as messages,
      ((select coalesce(sum(storage_bytes), 0) from projects where id = ${among(projectIds)})
        + (select coalesce(sum(bytes), 0) from storage_changes where project_id = ${among(projectIds)}))::float8 as storage_bytes`.execute(
    database,
  );
  const [found] = rows;
  if (found === undefined) throw new TypeError('the query for the contents of projects returned no row');
  const { apiKeys, storageBytes, ...others } = found;
  return {
    projects: projectIds.length,
    ...others,
    api_keys: apiKeys,
    storage_bytes: storageBytes,
    counted_up_to: COUNTED_UP_TO,
  };
}

/** Like `readContents`, for all projects of an organization. */
export async function readContentsOfOrganization(
  database: Database,
  organizationId: string,
): Promise<ProjectContents> {
  const projects = await database
    .selectFrom('projects')
    .select('id')
    .where('organizationId', '=', organizationId)
    .execute();
  return readContents(
    database,
    projects.map(({ id }) => id),
  );
}
