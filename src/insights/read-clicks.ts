import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

interface Clicks {
  clicks: number;
  machine_clicks: number;
}

/** How often the links of an email were followed: a function of an address as it stands in the HTML. */
export async function readClicks(
  database: Database,
  projectId: string,
  emailId: string,
): Promise<(href: string) => Clicks> {
  const { rows } = await sql<{ url: string; people: number; machines: number }>`
    select detail ->> 'url' as url, count(*) filter (where detail ->> 'is_machine' is distinct from 'true')::int as people,
      count(*) filter (where detail ->> 'is_machine' = 'true')::int as machines
    from events
    where project_id = ${projectId} and email_id = ${emailId} and type = 'clicked' and detail ->> 'url' is not null
    group by 1`.execute(database);
  const byUrl = new Map(rows.map((row) => [row.url, row]));
  return (href) => {
    // As a click names its target (`tracking-links.ts`).
    const found = byUrl.get(URL.parse(href)?.href ?? href);
    return { clicks: found?.people ?? 0, machine_clicks: found?.machines ?? 0 };
  };
}
