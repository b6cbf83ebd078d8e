import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSecret } from '../../src/db/seal.ts';
import { DkimKeyring } from '../../src/domains/dkim-keyring.ts';
import { composerOf } from '../../src/sending/deliver/compose-email.ts';
import { decodeId } from '../../src/model/ids.ts';
import { composingWith } from '../support/composing.ts';
import type { Service } from '../support/service.ts';

/** Composes the bytes of an email again, which works because composing depends only on the stored email. */
export async function composer({ database, dataDir }: Service): Promise<(id: string) => Promise<Buffer>> {
  const sealer = await checkSecret(database, readFileSync(join(dataDir, 'secret'), 'utf8').trim());
  const keyring = new DkimKeyring(database, sealer, 'posthorn.localhost');
  return async (id) => {
    const { projectId, emailId, traceParent, ...content } = await database
      .selectFrom('emails')
      .innerJoin('emailContents', 'emailContents.emailId', 'emails.id')
      .select([
        'emails.projectId',
        'emails.id as emailId',
        'sender',
        'toList',
        'cc',
        'replyTo',
        'subject',
        'scheduledAt',
      ])
      .select(['headers', 'html', 'text', 'tracking', 'traceParent'])
      .leftJoin('emailMessages', 'emailMessages.emailId', 'emails.id')
      .select(['digest', 'bodyHash', 'messageId', 'layout'])
      .where('emails.id', '=', decodeId('em', id))
      .executeTakeFirstOrThrow();
    const email = { projectId, emailId, traceParent, content };
    const composed = await composerOf(email, composingWith(database, sealer, keyring)).compose(0);
    assert.ok(composed !== null);
    return composed.data;
  };
}
