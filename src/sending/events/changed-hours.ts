/**
 * The hours of emails that changed after their hour, in this process: for example, an email of yesterday was opened. The counts of such an
 * hour are out of date (`insights/counts/mark-hours.ts`). Noting a change takes no statement, so it costs senders nothing. If the process is
 * killed, its notes are lost, and the hours are counted on their usual schedule.
 */
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { timeOf } from '../../model/ids.ts';

export interface ChangedHour {
  projectId: string;
  hour: Date;
}

/** The maximum number of hours noted between two calls of `takeChangedHours`. Changes to further hours are not noted. */
const MAX_HOURS = 5_000;

let noted = new Map<string, ChangedHour>();
let waiting: ChangedHour[] = [];

/** Notes that emails change. The change may be committed later, but before the second next call of `takeChangedHours`. */
export function noteChanges(emails: readonly { projectId: string; emailId: string }[]): void {
  const thisHour = Math.floor(clock.nowMs() / HOUR_MS);
  for (const { projectId, emailId } of emails) {
    const hour = Math.floor(timeOf(emailId).getTime() / HOUR_MS);
    // The running hour is counted each minute anyway.
    if (hour >= thisHour || noted.size >= MAX_HOURS) continue;
    noted.set(`${projectId} ${hour}`, { projectId, hour: new Date(hour * HOUR_MS) });
  }
}

/** The hours that were noted before the previous call. */
export function takeChangedHours(): readonly ChangedHour[] {
  const taken = waiting;
  waiting = [...noted.values()];
  noted = new Map();
  return taken;
}
