import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EmailContent, InspectedEmail } from '../../../../contract/dashboard/email.ts';
import { createApiKey } from '../../../../accounts/keys/api-keys.ts';
import { createAcceptor } from '../../../../app/acceptor.ts';
import { decodeId, encodeId } from '../../../../model/ids.ts';
import { KeptMessages } from '../../../../sending/accept/mail/kept-messages.ts';
import { MailAcceptor } from '../../../../sending/accept/mail/mail-acceptor.ts';
import { MailReader } from '../../../../sending/accept/mail/mail-reader.ts';
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

describe('an email that was submitted over SMTP', () => {
  const FILE = Buffer.from('<script>alert(1)</script>');
  const MESSAGE = [
    `From: shop@${HOSTED_DOMAIN}`,
    'To: b@dst.test, elsewhere@dst.test',
    'Reply-To: one@acme.example, two@acme.example',
    'Subject: Invoice',
    'Message-ID: <1@acme.example>',
    'X-PM-Tag: invoice',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Secret',
    '--b',
    'Content-Type: text/html; name="a.html"',
    'Content-Disposition: attachment; filename="../a.html"',
    'Content-Transfer-Encoding: base64',
    '',
    FILE.toString('base64'),
    '--b--',
    '',
  ].join('\r\n');

  async function submit(): Promise<string> {
    const { core, project } = dashboard;
    await using reader = new MailReader();
    const { id: keyId } = await createApiKey(core.database, project.id, 'app', null);
    const mails = new MailAcceptor({
      reader,
      acceptor: createAcceptor(core),
      blobs: core.blobs,
      keptMessages: new KeptMessages(core.database),
    });
    const sender = { keyId, projectId: project.id, plan: 'paid', ...UNTRACKED } as const;
    const { emailId } = await mails.accept(sender, ['b@dst.test'], Buffer.from(MESSAGE));
    return `/projects/${dashboard.projectId}/emails/${encodeId('em', emailId)}`;
  }
  const UNTRACKED = { trackOpens: false, trackClicks: false, smtpTracking: false, restrictions: null };

  test('its files can be downloaded by users who may see bodies', async () => {
    const path = await submit();
    const { body } = await dashboard.as('developer').get<InspectedEmail>(path);
    assert.equal(body.message_id, '<1@acme.example>');
    assert.deepEqual(body.removed_fields, ['X-PM-Tag']);
    assert.partialDeepStrictEqual(body.files, [{ name: '_a.html', type: 'text/html' }]);
    assert.match(body.files[0]?.warning ?? '', /run scripts/);
    const file = await dashboard.as('developer').get(`${path}/file?at=0`);
    assert.equal(file.text, FILE.toString());
    assert.equal(file.headers.get('content-type'), 'application/octet-stream');
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename="_a.html"');
    assert.match(file.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
    assert.equal((await dashboard.as('developer').get(`${path}/file?at=1`)).status, 404);
    const hidden = await dashboard.as('viewer').get<InspectedEmail>(path);
    assert.deepEqual(hidden.body.files, []);
    assert.ok(!hidden.text.includes('a.html'));
    assert.equal((await dashboard.as('viewer').get(`${path}/file?at=0`)).status, 403);
    const foreign = path.replace(dashboard.projectId, dashboard.foreignProjectId);
    assert.equal((await dashboard.as('other').get(`${foreign}/file?at=0`)).status, 404);
    const { text } = await dashboard.as('developer').get(`${path}/source`);
    assert.ok(text.endsWith(MESSAGE.slice(MESSAGE.indexOf('\r\n\r\n'))));
  });

  test('it can be sent again, with the same body, another Message-ID, and to the recipients of the envelope only', async () => {
    const path = await submit();
    const { status, body } = await dashboard
      .as('developer')
      .post<{ id: string }>(`${path}/send-again`, { key: 'a-key-of-a-page' });
    assert.equal(status, 202);
    const again = `/projects/${dashboard.projectId}/emails/${body.id}`;
    const { body: shown } = await dashboard.as('developer').get<InspectedEmail>(again);
    assert.deepEqual(
      shown.recipients.map(({ address }) => address),
      ['b@dst.test'],
    );
    assert.notEqual(shown.message_id, '<1@acme.example>');
    const { text } = await dashboard.as('developer').get(`${again}/source`);
    assert.ok(text.includes(`\r\nMessage-ID: ${shown.message_id}\r\n`));
    assert.ok(text.endsWith(MESSAGE.slice(MESSAGE.indexOf('\r\n\r\n'))));
    const file = await dashboard.as('developer').get(`${again}/file?at=0`);
    assert.equal(file.text, FILE.toString());
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
