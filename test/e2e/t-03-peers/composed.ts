import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSecret } from '../../../src/db/seal.ts';
import { DkimKeyring } from '../../../src/domains/dkim-keyring.ts';
import { composeEmail } from '../../../src/mail/deliver/compose-email.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../../../src/mail/return-path.ts';
import { decodeId } from '../../../src/model/ids.ts';
import type { Service } from '../../support/service.ts';

/** Gives the bytes of an email that a service sent: composing is a pure function of what is stored. */
export async function composer({ database, dataDir }: Service): Promise<(id: string) => Promise<Buffer>> {
  const sealer = await checkSecret(database, readFileSync(join(dataDir, 'secret'), 'utf8').trim());
  const keyring = new DkimKeyring(database, sealer, 'posthorn.localhost');
  const returnPaths = new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY));
  return async (id) => {
    const email = await database
      .selectFrom('emails')
      .innerJoin('emailContents', 'emailContents.emailId', 'emails.id')
      .select(['emails.projectId', 'emailId', 'sender', 'toList', 'cc', 'replyTo', 'subject'])
      .select(['headers', 'html', 'text', 'tracking', 'traceParent'])
      .where('emails.id', '=', decodeId('em', id))
      .executeTakeFirstOrThrow();
    return (await composeEmail(email, keyring, returnPaths)).data;
  };
}
