/** Erases a person from the API log (docs/operate/retention.md, Erasing). */
import { domainToUnicode } from 'node:url';
import { sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { NIL_UUID } from '../../model/ids.ts';
import { pathSegment } from './rejected-requests.ts';

/** Rows per statement. No index finds an address, so each statement reads all texts of its rows: at most some megabytes. */
const BATCH = 500;

const LAST = columnsOf({ id: 'uuid' });

/**
 * Deletes the rejected requests that mention an address, in batches. A request with a longer address that contains this one is deleted too:
 * the log is there to find mistakes of programs, so nothing depends on a single entry.
 * @param projectId null to erase from all projects
 */
export async function eraseFromApiLog(
  database: Database,
  projectId: string | null,
  address: string,
): Promise<void> {
  const forms = formsOf(address);
  const texts = textArray(forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]));
  const inPath = forms.map(pathPattern).join('|');
  const ofProject = projectId === null ? sql`true` : sql`project_id = ${projectId}`;
  for (let after = NIL_UUID; ; ) {
    const next = LAST.sql`
      with batch as materialized (
        select project_id, id from rejected_requests where ${ofProject} and id > ${after} order by id limit ${BATCH}),
      erased as (
        delete from rejected_requests r using batch b
        where r.project_id = b.project_id and r.id = b.id and (lower(path) ~ ${inPath} or exists (
          select from unnest(${texts}::text[]) form
          where position(form in lower(concat_ws(' ', path, detail, errors::text, body::text, user_agent))) > 0)))
      select id from batch order by id desc limit 1`;
    const { rows } = await retryingConflicts(() => next.execute(database));
    const [last] = rows;
    if (last === undefined) return;
    after = last.id;
  }
}

/** The forms of an address, in lower case: requests have the domain as the client wrote it. */
function formsOf(address: string): string[] {
  const at = address.lastIndexOf('@') + 1;
  const inUnicode = address.slice(0, at) + domainToUnicode(address.slice(at));
  return [...new Set([address, inUnicode].map((form) => form.toLowerCase()))];
}

/**
 * A regular expression that finds an address in an encoded path in lower case. The octets of other letters than those of ASCII are encoded,
 * so PostgreSQL cannot change their case: the path may have `%c3%84` (Ä) where the address has ä.
 */
function pathPattern(form: string): string {
  const encoded = [...form].map((letter) => {
    const cases = [letter, letter.toUpperCase()].map((each) => pathSegment(each).toLowerCase());
    return [...new Set(cases)].map((each) => each.replaceAll(/[^\w%]/g, '\\$&')).join('|');
  });
  return encoded.map((cases) => `(?:${cases})`).join('');
}
