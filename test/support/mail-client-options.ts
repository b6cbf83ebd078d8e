/** What the web client is made of, in the process of a test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../src/app/config.ts';
import type { MailClientServicesOptions } from '../../src/app/mail-client-services.ts';
import { createSubmitter } from '../../src/app/submitter.ts';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { FairReads } from '../../src/db/fair-reads.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { SignIn } from '../../src/mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../src/model/ids.ts';
import { FactsReader } from '../../src/store/facts/facts-reader.ts';
import { MailNotices } from '../../src/store/notices.ts';
import { Store } from '../../src/store/store.ts';
import { memoryFolder } from './memory-folder.ts';
import type { TestDatabase } from './postgres.ts';

export async function mailClientOptions(
  stack: AsyncDisposableStack,
  { database, url, sealer }: Pick<TestDatabase, 'database' | 'url'> & { sealer: Sealer },
  config: Pick<Config, 'hostedDomain' | 'environment' | 'hostname' | 'mxNames' | 'dns'>,
  mailUrl: () => string,
): Promise<MailClientServicesOptions> {
  const folder = await mkdtemp(join(memoryFolder(), 'posthorn-mail-client-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const objects = new ObjectFiles(folder);
  const mail = {
    database,
    objects,
    blobs: new Blobs(database, objects),
    store: new Store(database),
    facts: stack.use(new FactsReader()),
    notices: stack.use(new MailNotices(url)),
    signIn: stack.use(
      new SignIn({
        database,
        databaseUrl: url,
        processId: newUuid(),
        logger: pino({ level: 'silent' }),
      }),
    ),
  };
  return {
    database,
    mail,
    config,
    sealer,
    mailUrl,
    logger: pino({ level: 'silent' }),
    reads: new FairReads(database, 2),
    searches: new FairReads(database, 2),
    submitter: stack.use(createSubmitter(database, mail, config)),
  };
}
