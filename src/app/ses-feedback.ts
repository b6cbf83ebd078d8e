/** Builds what takes in the feedback of Amazon SES, where there is some to believe. */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { QueueNotifier } from '../db/notify.ts';
import type { Sealer } from '../db/seal.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';

const POOL_SIZE = 2;

/**
 * What is done with a notification of SNS; null where none is believed.
 * @param stack what it needs beside itself is unwound with it
 */
export async function openSesFeedback(
  stack: AsyncDisposableStack,
  databaseUrl: string,
  sealer: Sealer,
  { ses, environment, dns }: Pick<Config, 'ses' | 'environment' | 'dns'>,
  logger: Logger,
): Promise<((body: Buffer) => Promise<void>) | null> {
  if (ses === null || ses.topicArn === null) return null;
  const [{ SesFeedback }, { GuardedClient }] = await Promise.all([
    import('../reports/receive/ses/ses-feedback.ts'),
    import('../net/guarded-client.ts'),
  ]);
  // A flood of reports must not take the connections that accepting needs.
  const database: Database = openDatabase(databaseUrl, { name: 'ses', poolSize: POOL_SIZE });
  stack.defer(() => database.destroy());
  const client = stack.use(
    new GuardedClient({ allowLoopback: environment === 'development', maxConnectionsPerOrigin: 1, dns }),
  );
  const { receive } = new SesFeedback({
    database,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    topicArn: ses.topicArn,
    endpoint: ses.endpoint,
    client,
    logger,
    onEvents: new QueueNotifier(database).wake,
  });
  return receive;
}
