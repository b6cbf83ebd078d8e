/** The total size of files in a project's live links, and the plan's limit on this size. */
import { sql } from 'kysely';
import { lockProject } from '../accounts/projects/projects.ts';
import { liveLinksOf } from '../accounts/usage.ts';
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { PLAN_LIMITS, type Plan } from '../model/plans.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';

/** The maximum number of links that the error message suggests revoking. */
const NAMED = 3;

const USED = columnsOf({ plan: shaped<Plan>('text'), live: 'float8' });
const LARGEST = columnsOf({ name: 'text', files: 'int4', octets: 'float8' });

export interface Allowance {
  /** The total announced size of all files whose bytes are not to be deleted. */
  live: number;
  allowed: number;
}

export async function readAllowance(
  database: Database | DatabaseTransaction,
  projectId: string,
): Promise<Allowance> {
  const { rows } = await USED.sql`
    select p.plan, ${liveLinksOf(sql`p.id`)} as live from projects p where p.id = ${projectId}`.execute(
    database,
  );
  const { plan = 'free', live = 0 } = rows[0] ?? {};
  return { live, allowed: PLAN_LIMITS[plan].largeFileShareBytes };
}

/**
 * Checks whether a file may be added. The result stays valid until the transaction ends, because this locks the allowance: if two requests
 * want the last free bytes, the second waits for the first.
 * @throws AppError plan-limit-exceeded; the message names the links that the owner of the mailbox could revoke
 */
export async function takeAllowance(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  octets: number,
): Promise<void> {
  await lockProject(tx, mailbox.projectId);
  const { live, allowed } = await readAllowance(tx, mailbox.projectId);
  if (live + octets <= allowed) return;
  if (octets > allowed)
    throw exceeded(
      `The file is ${sizeOf(octets)}. The plan of the project allows ${sizeOf(allowed)} for the files of all links.`,
    );
  const left = sizeOf(Math.max(0, allowed - live));
  throw exceeded(
    `The file is ${sizeOf(octets)}. Only ${left} of the ${sizeOf(allowed)} for file links in this project are free. ${await whatToDelete(tx, mailbox)}`,
  );
}

function exceeded(text: string): AppError {
  return new AppError(
    'plan-limit-exceeded',
    'The plan does not have enough storage left for this file. Revoke file links, or change the plan.',
    {
      errors: { file: text },
    },
  );
}

async function whatToDelete(tx: DatabaseTransaction, { projectId, mailboxId }: MailboxKey): Promise<string> {
  const { rows } = await LARGEST.sql`
    select min(f.name) as name, count(*)::int as files, sum(f.octets)::float8 as octets
    from link_files f join file_links l on l.project_id = f.project_id and l.id = f.link_id
    where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.gone_at is null and l.expires_at > now()
    group by f.link_id order by sum(f.octets) desc limit ${NAMED}`.execute(tx);
  if (rows.length === 0)
    return 'This mailbox has no links to revoke. Ask an admin of the project to revoke some. Unfinished uploads are deleted within a day.';
  const named = rows.map(
    ({ name, files, octets }) => `“${name}”${files > 1 ? ` and ${files - 1} more` : ''} (${sizeOf(octets)})`,
  );
  return `Revoke links that you no longer need. Your largest: ${named.join(', ')}.`;
}

/** The size as text, in the units that plans use: powers of 1,024. */
function sizeOf(octets: number): string {
  if (octets === 1) return '1 byte';
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = octets;
  for (; size >= 1_024 && unit < units.length - 1; unit++) size /= 1_024;
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}
