import { bodyOf } from '../contract/body-of.ts';
import { DashboardAlias, type DashboardAliasList } from '../contract/dashboard/aliases.ts';
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import { addressOf } from './local-part.ts';

const ALIAS = columnsOf({
  id: 'uuid',
  domainId: 'uuid',
  domain: 'text',
  localPart: 'text',
  createdAt: 'timestamptz',
  mailboxes: shaped<{ id: string; local_part: string; domain: string }[]>('json'),
});

const aliasBody = bodyOf(DashboardAlias);

/**
 * The aliases of a project with the addresses of their mailboxes, sorted by domain and address. The list has no pages, because a project
 * can have only a limited number of aliases.
 */
export async function listDashboardAliases(
  database: Database,
  projectId: string,
): Promise<DashboardAliasList> {
  const { rows } = await ALIAS.sql`
    select a.id, a.domain_id, a.domain, a.local_part, a.created_at, (
      select coalesce(json_agg(json_build_object('id', m.id, 'local_part', m.local_part, 'domain', m.domain) order by m.id), '[]')
      from alias_mailboxes t join mailboxes m on m.project_id = t.project_id and m.id = t.mailbox_id
      where t.project_id = a.project_id and t.alias_id = a.id
    ) as mailboxes
    from aliases a where a.project_id = ${projectId} order by a.domain, a.local_part_key`.execute(database);
  return {
    data: rows.map((row) =>
      aliasBody({
        ...row,
        id: encodeId('als', row.id),
        domainId: encodeId('dom', row.domainId),
        address: addressOf(row),
        mailboxes: row.mailboxes.map(({ id, local_part, domain }) => ({
          id: encodeId('mbx', id),
          address: addressOf({ localPart: local_part, domain }),
        })),
      }),
    ),
  };
}
