/** Builds what takes in the feedback of Amazon SES. */
import type { BaseCore } from './base-core.ts';

/** @returns what takes in a notification of SNS; null where none is believed */
export async function openSesFeedback(core: BaseCore): Promise<((body: Buffer) => Promise<void>) | null> {
  const { ses } = core.config;
  if (ses === null || ses.topicArn === null) return null;
  const { SesFeedback } = await import('../reports/receive/ses/ses-feedback.ts');
  const { database, returnPaths, wake, logger } = core.on('ses');
  const { receive } = new SesFeedback({
    database,
    returnPaths,
    topicArn: ses.topicArn,
    endpoint: ses.endpoint,
    client: core.openClient(1),
    logger,
    onEvents: wake,
  });
  return receive;
}
