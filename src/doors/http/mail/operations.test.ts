/** Sends requests of every kind of user without access to every operation of the web client, including operations that are added later. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createApiKey } from '../../../accounts/keys/api-keys.ts';
import { encodeId, type IdPrefix, newUuid } from '../../../model/ids.ts';
import { onlyReads } from '../browser/add-operation.ts';
import { csrfTokenOf } from '../browser/csrf.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';
import { isOfMailbox, type MailOperation } from './operation.ts';
import { MAIL_OPERATIONS } from './operations.ts';

/** The operations that need no session. Review additions to this list carefully. */
const FOR_ANYONE = [
  'getMailSession',
  'signInToMailbox',
  'proveMailSecondFactor',
  'askMailPasskey',
  'proveMailPasskey',
];

test('only operations for signing in need no session', () => {
  const open = MAIL_OPERATIONS.filter((each) => !isOfMailbox(each)).map(({ operationId }) => operationId);
  assert.deepEqual(open, FOR_ANYONE);
});

test('ids in paths are named after their resource', () => {
  for (const { operationId, path, resource, part } of MAIL_OPERATIONS) {
    assert.equal(path.includes('{id}'), resource !== undefined, operationId);
    assert.equal(path.includes('{part}'), part !== undefined, operationId);
  }
});

suite('the guard of the web client', () => {
  let mail: TestMailClient;
  let ann: TestOwner;
  let bob: TestOwner;
  let key: string;
  before(async () => {
    mail = await startMailClient();
    [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
    ({ token: key } = await createApiKey(mail.db.database, mail.project.id, 'guard', null));
  });
  after(() => mail[Symbol.asyncDispose]());

  /** Sends a request with an unknown parameter, so that a request that passes the guard returns 422 and changes nothing. */
  async function ask(
    { method, path, resource }: MailOperation,
    mailbox: string,
    headers: Record<string, string>,
  ): Promise<string> {
    const prefix: IdPrefix = resource?.prefix ?? 'ses';
    const url = path
      .replace('{mailbox}', mailbox)
      .replace('{id}', encodeId(prefix, newUuid()))
      .replace('{part}', '1');
    const { status, body } = await mail.signedOut.request<{ type?: string } | null>(
      method,
      `${url}?asked-by-a-test=`,
      {
        headers,
      },
    );
    // The response to HEAD has no body, so check only the status.
    if (method === 'HEAD')
      return status === 401 ? 'not-signed-in' : `status ${status}`.replace('status 422', 'validation-failed');
    return (body?.type ?? '').replace('/errors/', '');
  }

  const as = ({ mailboxId, token }: Pick<TestOwner, 'mailboxId' | 'token'>) => ({
    cookie: mailCookie({ mailboxId, token }),
    'x-csrf-token': csrfTokenOf(token),
  });

  for (const operation of MAIL_OPERATIONS) {
    const { operationId, needsConfirmation } = operation;
    const isFor = isOfMailbox(operation);

    test(`${operationId} requires a session of exactly that mailbox`, async () => {
      const closed = isFor && operation.signed !== true ? 'not-signed-in' : 'validation-failed';
      assert.equal(await ask(operation, ann.mailbox, as(ann)), 'validation-failed', 'the owner');
      assert.equal(await ask(operation, ann.mailbox, as(bob)), closed, 'the owner of another one');
      const stolen = as({ mailboxId: ann.mailboxId, token: bob.token });
      assert.equal(await ask(operation, ann.mailbox, stolen), closed, 'a cookie by another name');
      assert.equal(await ask(operation, encodeId('mbx', newUuid()), as(ann)), closed, 'unknown');
      assert.equal(await ask(operation, 'mbx_nothing', as(ann)), closed, 'malformed');
      assert.equal(await ask(operation, ann.mailbox, {}), closed, 'no session');
      const bearer = { authorization: `Bearer ${key}` };
      assert.equal(await ask(operation, ann.mailbox, bearer), closed, 'an API key');
      const dashboard = { cookie: `posthorn_session=${ann.token}` };
      assert.equal(await ask(operation, ann.mailbox, dashboard), closed, 'the cookie of the dashboard');
    });

    test(`${operationId} rejects requests from other origins`, async () => {
      const forged = onlyReads(operation) ? 'validation-failed' : 'request-forged';
      for (const origin of ['https://evil.example', 'null'])
        assert.equal(await ask(operation, ann.mailbox, { ...as(ann), origin }), forged, origin);
      const tokenless = isFor ? forged : 'validation-failed';
      for (const token of ['', csrfTokenOf(bob.token)])
        assert.equal(
          await ask(operation, ann.mailbox, { ...as(ann), 'x-csrf-token': token }),
          tokenless,
          'another token',
        );
    });

    if (needsConfirmation === true) {
      test(`${operationId} requires a recent confirmation`, async () => {
        const owner = await mail.signIn(ann);
        await mail.db.database
          .updateTable('webSessions')
          .set({ confirmedAt: new Date(Date.now() - 11 * 60_000) })
          .where('id', '=', owner.sessionId)
          .execute();
        assert.equal(await ask(operation, ann.mailbox, as(owner)), 'confirmation-required');
      });
    }
  }
});
