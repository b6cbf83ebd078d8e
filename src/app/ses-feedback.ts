/** Builds what takes in the feedback of Amazon SES. */
import { QueueNotifier } from '../db/notify.ts';
import type { Sealer } from '../db/seal.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { openClient, openPool, type RoleContext } from './role-context.ts';

/** @returns what takes in a notification of SNS; null where none is believed */
export async function openSesFeedback(
  context: RoleContext,
  sealer: Sealer,
): Promise<((body: Buffer) => Promise<void>) | null> {
  const { ses } = context.config;
  if (ses === null || ses.topicArn === null) return null;
  const { SesFeedback } = await import('../reports/receive/ses/ses-feedback.ts');
  // A flood of reports must not take the connections that accepting needs.
  const database = openPool(context, { name: 'ses', poolSize: context.config.reportConnections });
  const { receive } = new SesFeedback({
    database,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    topicArn: ses.topicArn,
    endpoint: ses.endpoint,
    client: openClient(context, 1),
    logger: context.logger,
    onEvents: new QueueNotifier(database).wake,
  });
  return receive;
}
