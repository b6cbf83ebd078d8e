/** Compares docs/roles.md with the code, and the code with the responses to every kind of user. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { createApiKey } from '../../../accounts/keys/api-keys.ts';
import { READS_MAILBOXES } from '../../../accounts/members/invitations.ts';
import { encodeId, newUuid, NIL_UUID } from '../../../model/ids.ts';
import { isAtLeast, ROLES, type Role } from '../../../model/roles.ts';
import type { BrowserClient } from '../browser/browser-client.fixture.ts';
import { startDashboard, type TestDashboard } from './dashboard.fixture.ts';
import type { DashboardOperation } from './operation.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';

const isRole = (role: DashboardOperation['role']): role is Role => ROLES.some((each) => each === role);

function cells(role: DashboardOperation['role']): string[] {
  if (isRole(role)) return ROLES.map((each) => (isAtLeast(each, role) ? '●' : ''));
  const words = { anyone: 'anyone', 'signed-in': 'any signed-in user', operator: 'operators only' };
  return [words[role], '', '', ''];
}

/**
 * The rows of an operation in docs/roles.md. A second row lists requests that require a higher role than other requests of the operation.
 */
function rows({
  operationId,
  method,
  path,
  role,
  needsConfirmation,
  elevated,
}: DashboardOperation): string[] {
  const row = (name: string, least: DashboardOperation['role'], asksAgain: boolean) =>
    ['', name, `\`${method} ${path}\``, ...cells(least), asksAgain ? 'yes' : '', ''].join(' | ').trim();
  return [
    row(`\`${operationId}\``, role, needsConfirmation === true),
    ...(elevated === undefined
      ? []
      : [row(`\`${operationId}\` with \`${elevated.field}\``, elevated.role, true)]),
  ];
}

test('docs/roles.md lists every operation with its role', () => {
  const page = readFileSync(new URL('../../../../docs/roles.md', import.meta.url), 'utf8');
  const onPage = page.split('\n').filter((line) => line.startsWith('| `'));
  assert.deepEqual(onPage, DASHBOARD_OPERATIONS.flatMap(rows));
});

test('the lowest role that can read a mailbox is the role that the rules for invitations use', () => {
  const reads = [
    'setMailboxPassword',
    'createAppPassword',
    'setForwarding',
    'addMailboxRule',
    'shareMailbox',
    'deleteMailbox',
  ];
  const roles = DASHBOARD_OPERATIONS.filter(({ operationId }) => reads.includes(operationId));
  assert.deepEqual([...new Set(roles.map(({ role }) => role)), roles.length], [READS_MAILBOXES, 6]);
});

suite('the guard', () => {
  let dashboard: TestDashboard;
  let key: string;
  before(async () => {
    dashboard = await startDashboard();
    ({ token: key } = await createApiKey(dashboard.db.database, dashboard.project.id, 'guard', null));
  });
  after(() => dashboard[Symbol.asyncDispose]());

  /** Sends a request with an unknown parameter, so that a request that passes the guard returns 422 and changes nothing. */
  async function ask(
    client: BrowserClient,
    { method, path }: DashboardOperation,
    headers: Record<string, string> = {},
    place: { project?: string; organization?: string } = {},
  ): Promise<string> {
    const url = path
      .replace('{project}', place.project ?? dashboard.projectId)
      .replace('{organization}', place.organization ?? dashboard.organization.id)
      .replace(/\{\w+\}/g, encodeId('key', NIL_UUID));
    const { body } = await client.request<{ type?: string }>(method, `${url}?asked-by-a-test=`, { headers });
    return (body.type ?? '').replace('/errors/', '');
  }

  for (const operation of DASHBOARD_OPERATIONS) {
    const { operationId, method, path, role, needsConfirmation } = operation;
    const isOf = /\{(project|organization)\}/.test(path);

    test(`${operationId} allows only users with its role or a higher role`, async () => {
      for (const each of ROLES) {
        const may = role === 'operator' ? false : !isRole(role) || isAtLeast(each, role);
        const answer = await ask(dashboard.as(each), operation);
        assert.equal(answer, may ? 'validation-failed' : 'missing-role', each);
      }
      if (role === 'operator')
        assert.equal(await ask(dashboard.as('operator'), operation), 'validation-failed');
      const stranger = await ask(dashboard.as('other'), operation);
      const refusal = role === 'operator' ? 'missing-role' : 'not-found';
      assert.equal(
        stranger,
        isOf || role === 'operator' ? refusal : 'validation-failed',
        'another organization',
      );
      if (isOf) {
        const unknown = { project: encodeId('prj', newUuid()), organization: encodeId('org', newUuid()) };
        assert.equal(await ask(dashboard.as('owner'), operation, {}, unknown), refusal, 'unknown');
      }
    });

    test(`${operationId} rejects requests without a session or from another origin`, async () => {
      const closed = role === 'anyone' ? 'validation-failed' : 'not-signed-in';
      assert.equal(await ask(dashboard.signedOut, operation), closed, 'no session');
      const bearer = { authorization: `Bearer ${key}` };
      assert.equal(await ask(dashboard.signedOut, operation, bearer), closed, 'an API key');
      const forged = method === 'GET' ? 'validation-failed' : 'request-forged';
      const mightiest = dashboard.as(role === 'operator' ? 'operator' : 'owner');
      assert.equal(await ask(mightiest, operation, { origin: 'https://evil.example' }), forged, 'Origin');
      assert.equal(await ask(mightiest, operation, { origin: 'null' }), forged, 'an opaque origin');
      const tokenless = role === 'anyone' ? 'validation-failed' : forged;
      assert.equal(await ask(mightiest, operation, { 'x-csrf-token': '' }), tokenless, 'no token');
      const ofAnother = { 'x-csrf-token': 'A'.repeat(43) };
      assert.equal(await ask(mightiest, operation, ofAnother), tokenless, 'another token');
    });

    if (needsConfirmation === true) {
      test(`${operationId} requires a recent confirmation`, async () => {
        const user = await dashboard.newUser('owner', { isOperator: true });
        await dashboard.db.database
          .updateTable('sessions')
          .set({ confirmedAt: new Date(Date.now() - 11 * 60_000) })
          .where('userId', '=', user.userId)
          .execute();
        assert.equal(await ask(user, operation), 'confirmation-required');
      });
    }
  }
});
