import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EmailContent, InspectedEmail } from '../../../../contract/dashboard/email.ts';
import { decodeId } from '../../../../model/ids.ts';
import { HOSTED_DOMAIN } from '../../../../../test/support/api.ts';
import { deferRows } from '../../../../../test/support/queue-rows.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const MAIL = {
  from: `Acme <hello@${HOSTED_DOMAIN}>`,
  to: ['Bo <b@dst.test>'],
  cc: ['c@dst.test'],
  reply_to: 'help@acme.example',
  subject: 'Your order',
  html: '<p>Secret <a href="https://acme.example/reset?token=abc">reset</a></p>',
  headers: { 'X-Order': '4711' },
  tags: ['order'],
};

/** Sends an email. @returns the email's id, and its path relative to the project */
async function send(fields: object = {}): Promise<{ id: string; path: string }> {
  const { status, body } = await dashboard.project.client.post<{ id: string }>('/v1/emails', {
    ...MAIL,
    ...fields,
  });
  assert.equal(status, 202);
  return { id: body.id, path: `/projects/${dashboard.projectId}/emails/${body.id}` };
}

describe('an email', () => {
  test('is shown to viewers without its content', async () => {
    const { path } = await send();
    const viewer = dashboard.as('viewer');
    const { status, body, text } = await viewer.get<InspectedEmail>(path);
    assert.equal(status, 200);
    assert.equal(body.content, 'hidden');
    assert.ok(!text.includes('Secret'));
    for (const part of ['content', 'source', 'preview']) {
      const refused = await viewer.get<{ type: string }>(`${path}/${part}`);
      assert.equal(refused.status, 403, part);
      assert.equal(refused.body.type, '/errors/missing-role');
      assert.ok(!refused.text.includes('Secret'));
    }
  });

  test('is shown with its content to viewers with access to bodies, and to developers', async () => {
    const { path } = await send();
    const allowed = await dashboard.newUser('viewer', { seesBodies: true });
    for (const user of [allowed, dashboard.as('developer')]) {
      const { body } = await user.get<EmailContent>(`${path}/content`);
      assert.equal(body.html, MAIL.html);
      assert.deepEqual(body.headers, MAIL.headers);
      assert.equal(body.links[0]?.url, 'https://acme.example/reset?token=abc');
    }
  });

  test('of another project or organization is reported as unknown by every operation', async () => {
    const { id } = await send();
    const { foreignProjectId } = dashboard;
    for (const part of ['', '/content', '/source', '/preview']) {
      const { status } = await dashboard.as('other').get(`/projects/${foreignProjectId}/emails/${id}${part}`);
      assert.equal(status, 404, part);
      assert.equal(
        (await dashboard.as('other').get(`/projects/${dashboard.projectId}/emails/${id}${part}`)).status,
        404,
      );
      assert.equal(
        (await dashboard.signedOut.get(`/projects/${dashboard.projectId}/emails/${id}${part}`)).status,
        401,
      );
    }
    const again = await dashboard
      .as('other')
      .post(`/projects/${foreignProjectId}/emails/${id}/send-again`, { key: 'abcdefgh' });
    assert.equal(again.status, 404);
    const tried = await dashboard.as('other').post(`/projects/${foreignProjectId}/emails/${id}/try`);
    assert.equal(tried.status, 404);
  });

  test('is tried now by developers if it was deferred, which the audit log records', async () => {
    const { id, path } = await send();
    const { database } = dashboard.db;
    await deferRows(database, { emailId: decodeId('em', id) ?? '' });
    assert.equal((await dashboard.as('viewer').post(`${path}/try`)).status, 403);
    assert.equal((await dashboard.as('developer').post(`${path}/try`)).status, 204);
    const again = await dashboard.as('developer').post<{ detail: string }>(`${path}/try`);
    assert.equal(again.status, 400);
    assert.match(again.body.detail, /No recipient can be tried now/);
    const entries = await database.selectFrom('auditLog').select('action').where('target', '=', id).execute();
    assert.deepEqual(entries, [{ action: 'email.try' }]);
  });

  test('can be downloaded as a message file', async () => {
    const { id, path } = await send();
    const { headers, text } = await dashboard.as('developer').get(`${path}/source`);
    assert.equal(headers.get('content-type'), 'message/rfc822');
    assert.equal(headers.get('content-disposition'), `attachment; filename="${id}.eml"`);
    assert.match(text, /^DKIM-Signature: .*\r\nSubject: Your order\r\n/s);
  });
});

describe('the preview', () => {
  const POLICY =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

  test('is a document with its own content security policy', async () => {
    const { path } = await send();
    const { headers, text } = await dashboard.as('developer').get(`${path}/preview`);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(headers.get('content-security-policy'), POLICY);
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(text, /Secret/);
    assert.ok(!text.includes('href="https:'));
  });

  test('loads remote images only on request, and loads no other remote content', async () => {
    const { path } = await send();
    const { headers } = await dashboard.as('developer').get(`${path}/preview?remote=1&theme=dark`);
    assert.equal(headers.get('content-security-policy'), POLICY.replace('data:', 'data: https: http:'));
  });

  test('is not recorded as an open of the email', async () => {
    await dashboard.db.database
      .updateTable('projects')
      .set({ trackOpens: true })
      .where('id', '=', dashboard.project.id)
      .execute();
    const { path } = await send();
    const { text } = await dashboard.as('developer').get(`${path}/preview?remote=1`);
    assert.ok(!text.includes('/t/'));
  });
});

describe('resending', () => {
  const again = (path: string, key = 'a-key-of-a-page') =>
    dashboard.as('developer').post<{ id: string }>(`${path}/send-again`, { key });

  test('creates a new email with the same content, only once per idempotency key', async () => {
    const { id, path } = await send();
    const first = await again(path);
    assert.equal(first.status, 202);
    assert.notEqual(first.body.id, id);
    assert.equal((await again(path)).body.id, first.body.id);
    assert.notEqual((await again(path, 'another-key')).body.id, first.body.id);
    const { body } = await dashboard.project.client.get(`/v1/emails/${first.body.id}`);
    for (const [name, value] of Object.entries(MAIL)) assert.deepEqual(body[name], value, name);
  });

  test('is subject to the current rules, such as verification of the domain', async () => {
    const { id, path } = await send();
    await dashboard.db.database
      .updateTable('emails')
      .set({ sender: 'hello@gone.example' })
      .where('projectId', '=', dashboard.project.id)
      .where('id', '=', decodeId('em', id))
      .execute();
    const { status, body } = await again(path);
    assert.equal(status, 422);
    assert.equal((body as { type?: string }).type, '/errors/domain-not-verified');
  });

  test('is denied to viewers, and fails if the body was deleted', async () => {
    const { id, path } = await send();
    const refused = await dashboard.as('viewer').post(`${path}/send-again`, { key: 'a-key-of-a-page' });
    assert.equal(refused.status, 403);
    await dashboard.db.database
      .updateTable('emailContents')
      .set({ bodiesDeletedAt: new Date() })
      .where('projectId', '=', dashboard.project.id)
      .where('emailId', '=', decodeId('em', id))
      .execute();
    assert.equal((await again(path)).status, 400);
  });
});
