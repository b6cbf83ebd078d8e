import type { Logger } from 'pino';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { reports } from '../../observe/instruments.ts';
import type { Report } from '../bounces/report.ts';
import { countEvents } from '../../sending/events/observe-events.ts';
import { describeEvents } from '../../sending/events/observe-events.ts';
import type { NewEvent } from '../../sending/events/record-events.ts';
import { type ReturnPathOf, WHOLE_EMAIL } from '../return-path.ts';

/** What a report changed for one of those that it is about: nothing where there are no events. */
export interface ReportEffect {
  subject: ReturnPathOf;
  events: readonly NewEvent[];
}

/** Tells operators of a report once what it changed is committed: a line for each email that it is about, and figures. */
export function observeReport(logger: Logger, report: Report, effects: readonly ReportEffect[]): void {
  reports.inc({ kind: report.kind === 'rejected' ? 'dsn' : report.kind });
  const said = { report: report.kind, why: report.kind === 'other' ? report.why : undefined };
  if (effects.length === 0) logger.info(said, LOG_MESSAGES.reported);
  for (const { subject, events } of effects) {
    const { projectId, emailId, recipientIndex } = subject;
    const line = {
      projectId: encodeId('prj', projectId),
      emailId: encodeId('em', emailId),
      recipientIndex: recipientIndex === WHOLE_EMAIL ? events[0]?.recipientIndex : recipientIndex,
      ...said,
      ...describeEvents(events),
    };
    logger.info(line, LOG_MESSAGES.reported);
    countEvents(events);
  }
}
