import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { encodeId, timeOf } from '../model/ids.ts';

const LAST = columnsOf({ id: 'uuid?', to: 'text?', variables: 'text?' });

/** The last email that was sent with a template. */
export interface LastOfTemplate {
  id: string;
  /** The first recipient. */
  to: string;
  created_at: string;
  /** A JSON object with the values that the sender passed. */
  variables: string;
}

/**
 * The last email that was sent with a template, with its values, unless its bodies were deleted. Reads four rows by their keys.
 * @returns null if the project has no such template
 */
export async function readLastOfTemplate(
  database: Database,
  projectId: string,
  templateId: string,
): Promise<{ email: LastOfTemplate | null } | null> {
  const { rows } = await LAST.sql`
    select e.id, e.to_list[1] as to, u.variables
    from templates t
    left join (
      template_uses u
      join emails e on e.project_id = u.project_id and e.id = u.email_id
      join email_contents c on c.project_id = u.project_id and c.email_id = u.email_id and c.bodies_deleted_at is null
    ) on u.project_id = t.project_id and u.template_id = t.id
    where t.project_id = ${projectId} and t.id = ${templateId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const { id, to, variables } = row;
  if (id === null || to === null || variables === null) return { email: null };
  return { email: { id: encodeId('em', id), to, created_at: timeOf(id).toISOString(), variables } };
}
