import { type ProjectSettings, readProjectSettings } from '../accounts/project-settings.ts';
import { findProjectByName } from '../accounts/projects.ts';
import { readUsage } from '../accounts/usage.ts';
import { encodeId } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { PLAN_LIMITS } from '../model/plans.ts';
import { print, withDatabase } from './with-database.ts';

export async function showProject(options: { project: string; json?: boolean }): Promise<void> {
  await withDatabase(async (database) => {
    const id = await findProjectByName(database, options.project);
    const settings = await readProjectSettings(database, id);
    const used = await readUsage(database, id, monthOf(new Date()));
    const may = PLAN_LIMITS[settings.plan];
    const shown = { id: encodeId('prj', id), name: options.project, ...shownSettings(settings) };
    const usage = {
      storage_bytes: used.storageBytes,
      emails_this_month: used.apiEmails,
      mailboxes: used.mailboxes,
      own_domains: used.ownDomains,
    };
    // null: no limit
    const limits = {
      storage_bytes: may.storageBytes,
      emails_this_month: may.apiEmailsPerMonth,
      mailboxes: may.mailboxes,
      own_domains: may.ownDomains,
    } satisfies Record<keyof typeof usage, number | null>;
    if (options.json === true) return print(true, { ...shown, usage, limits });
    const names = Object.keys(usage) as (keyof typeof usage)[];
    const lines = names.map((name) => [name, `${usage[name]} of ${limits[name] ?? 'any number'}`]);
    print(false, { ...shown, ...Object.fromEntries(lines) });
  });
}

/** Settings under the names that people see. */
export function shownSettings({ plan, defaultSpamLevel, trackOpens, trackClicks }: ProjectSettings) {
  return { plan, spam_level: defaultSpamLevel, track_opens: trackOpens, track_clicks: trackClicks };
}
