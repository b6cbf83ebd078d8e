import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOTP } from 'otpauth';
import { eventually } from '../../../../../test/support/eventually.ts';
import { resetSecondFactor } from '../../../../accounts/factors/reset-second-factor.ts';
import { quickHash } from '../../../../../test/support/quick-hash.ts';
import { newUuid } from '../../../../model/ids.ts';
import { makeResetLink } from '../../../../accounts/sign-in-links.ts';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const PASSWORD = 'correct horse battery';
const hashed = quickHash(PASSWORD);
const STEP_MS = 30_000;

async function newUser(): Promise<TestUser> {
  const user = await dashboard.newUser('viewer');
  await dashboard.db.database
    .updateTable('users')
    .set({ passwordHash: hashed })
    .where('id', '=', user.userId)
    .execute();
  return user;
}

interface WithApp {
  user: TestUser;
  recoveryCodes: string[];
  /** The code of a time step, relative to the current time step. */
  codeAt(step: number): string;
}

/** Creates a user and sets up an app with the code of the previous time step, so that the current code stays unused. */
async function newUserWithApp(): Promise<WithApp> {
  const user = await newUser();
  const { body } = await user.post<{ secret: string; ticket: string; qr_code: string }>(
    '/user/authenticator-app',
  );
  assert.match(body.qr_code, /^data:image\/svg\+xml;base64,/);
  const totp = new TOTP({ secret: body.secret });
  const codeAt = (step: number) => totp.generate({ timestamp: Date.now() + step * STEP_MS });
  const confirmed = await user.post<{ recovery_codes: string[] }>('/user/authenticator-app/confirmation', {
    ticket: body.ticket,
    code: codeAt(-1),
  });
  assert.equal(confirmed.status, 200);
  return { user, codeAt, recoveryCodes: confirmed.body.recovery_codes };
}

async function signInWithPassword({ email }: TestUser) {
  const { body } = await dashboard.signedOut.post<{ next: string; ticket: string; methods: string[] }>(
    '/session',
    {
      email,
      password: PASSWORD,
    },
  );
  return body;
}

const prove = (ticket: string, code: string) =>
  dashboard.signedOut.post('/session/second-factor', { ticket, code });

test('after the password, a code from the app is required to get a session', async () => {
  const { user, codeAt } = await newUserWithApp();
  const { next, ticket, methods } = await signInWithPassword(user);
  assert.deepEqual([next, methods], ['second-factor', ['code', 'recovery-code']]);
  const wrong = await prove(ticket, '000000');
  assert.equal(wrong.status, 401);
  assert.equal(wrong.headers.get('set-cookie'), null);
  const { status, headers } = await prove(ticket, codeAt(0));
  assert.equal(status, 200);
  assert.match(headers.get('set-cookie') ?? '', /^posthorn_session=/);
});

test('a code works only once, and so does a ticket for the second step', async () => {
  const { user, codeAt } = await newUserWithApp();
  const [one, other] = [await signInWithPassword(user), await signInWithPassword(user)];
  const code = codeAt(0);
  const answers = await Promise.all([prove(one.ticket, code), prove(other.ticket, code)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
  const used = answers[0].status === 200 ? one : other;
  assert.equal((await prove(used.ticket, codeAt(1))).status, 401);
});

test('a code is accepted if the clock of the phone is off by one time step, but not by more', async () => {
  for (const [step, status] of [
    [1, 200],
    [2, 401],
  ] as const) {
    const { user, codeAt } = await newUserWithApp();
    const { ticket } = await signInWithPassword(user);
    assert.equal((await prove(ticket, codeAt(step))).status, status, String(step));
  }
});

test('ten recovery codes are shown once, and each works once in place of a code', async () => {
  const { user, recoveryCodes } = await newUserWithApp();
  assert.equal(recoveryCodes.length, 10);
  const [code = ''] = recoveryCodes;
  assert.match(code, /^(?:[0-9a-z]{4}-){3}[0-9a-z]{4}$/);
  assert.equal((await prove((await signInWithPassword(user)).ticket, code.toUpperCase())).status, 200);
  assert.equal((await prove((await signInWithPassword(user)).ticket, code)).status, 401);
  const { body } = await user.get('/user');
  assert.partialDeepStrictEqual(body, { authenticator_app: true, recovery_codes: 9 });
});

test('new recovery codes replace the previous recovery codes', async () => {
  const { user, recoveryCodes } = await newUserWithApp();
  const { body } = await user.post<{ recovery_codes: string[] }>('/user/recovery-codes');
  assert.equal((await prove((await signInWithPassword(user)).ticket, recoveryCodes[0] ?? '')).status, 401);
  assert.equal(
    (await prove((await signInWithPassword(user)).ticket, body.recovery_codes[0] ?? '')).status,
    200,
  );
});

test('wrong codes count against the limit for wrong passwords', async () => {
  const { user, codeAt } = await newUserWithApp();
  const { ticket } = await signInWithPassword(user);
  const statuses: number[] = [];
  for (let n = 0; n < 22; n += 1) statuses.push((await prove(ticket, '000000')).status);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await prove(ticket, codeAt(0))).status, 429);
});

test('a reset link does not bypass the second factor', async () => {
  const { user, codeAt } = await newUserWithApp();
  const { token } = await makeResetLink(dashboard.db.database, user.userId);
  const { body, headers } = await dashboard.signedOut.post<{ next: string; ticket: string }>('/links/reset', {
    token,
    password: 'another horse battery',
  });
  assert.equal(body.next, 'second-factor');
  assert.equal(headers.get('set-cookie'), null);
  assert.equal((await prove(body.ticket, codeAt(0))).status, 200);
});

test('a ticket for the second step is invalid after a password change or tampering', async () => {
  const { user, codeAt } = await newUserWithApp();
  const { ticket } = await signInWithPassword(user);
  assert.equal((await prove(`${ticket}A`, codeAt(0))).status, 401);
  await user.request('PUT', '/user/password', {
    body: { current_password: PASSWORD, password: 'another horse battery' },
  });
  assert.equal((await prove(ticket, codeAt(0))).status, 401);
});

test('after the app is removed, the password alone signs in, and the recovery codes are deleted', async () => {
  const { user } = await newUserWithApp();
  assert.equal((await user.delete('/user/authenticator-app')).status, 204);
  assert.equal((await user.delete('/user/authenticator-app')).status, 404);
  assert.equal((await signInWithPassword(user)).next, 'done');
  assert.partialDeepStrictEqual((await user.get('/user')).body, { recovery_codes: 0, passkeys: [] });
});

test('the command line can turn off a lost second factor', async () => {
  const { user } = await newUserWithApp();
  assert.equal(await resetSecondFactor(dashboard.db.database, user.userId), true);
  assert.equal(await resetSecondFactor(dashboard.db.database, user.userId), false);
  assert.equal((await signInWithPassword(user)).next, 'done');
});

test('a code confirms the identity of the user, but a recovery code does not', async () => {
  const { user, codeAt, recoveryCodes } = await newUserWithApp();
  const confirm = (code: string) => user.post('/session/confirmation', { code });
  assert.equal((await confirm(recoveryCodes[0] ?? '')).status, 401);
  assert.equal((await confirm(codeAt(0))).status, 200);
  assert.equal((await user.post('/session/confirmation', {})).status, 422);
});

test('setting up a second factor requires a recent confirmation', async () => {
  const user = await newUser();
  await dashboard.db.database
    .updateTable('sessions')
    .set({ confirmedAt: new Date(Date.now() - 3_600_000) })
    .where('userId', '=', user.userId)
    .execute();
  for (const path of ['/user/authenticator-app', '/user/passkeys/question', '/user/recovery-codes'])
    assert.equal((await user.post(path)).body['type'], '/errors/confirmation-required', path);
});

test('a passkey with a wrong signature is rejected', async () => {
  const { userId } = await newUser();
  await dashboard.db.database
    .insertInto('userPasskeys')
    .values({
      userId,
      id: newUuid(),
      name: 'Key',
      credentialId: Buffer.of(1),
      publicKey: Buffer.of(1),
      counter: 0,
      transports: [],
      createdAt: new Date(),
    })
    .execute();
  const { body } = await dashboard.signedOut.post<{ ticket: string }>('/session/passkey-question', {});
  const { status, headers } = await dashboard.signedOut.post('/session/passkey', {
    ticket: body.ticket,
    response: {
      id: 'AQ',
      rawId: 'AQ',
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'AQ', authenticatorData: 'AQ', signature: 'AQ' },
    },
  });
  assert.deepEqual([status, headers.get('set-cookie')], [401, null]);
});

test('the setup and the use of second factors are in the audit log, without secrets', async () => {
  const { user, recoveryCodes } = await newUserWithApp();
  await prove((await signInWithPassword(user)).ticket, recoveryCodes[0] ?? '');
  await user.delete('/user/authenticator-app');
  const lines = await dashboard.db.database
    .selectFrom('auditLog')
    .select(['action', 'actorName', 'before', 'after'])
    .where('targetName', '=', user.email)
    .where('action', 'like', 'user.%')
    .orderBy('id')
    .execute();
  const actorName = user.email;
  assert.deepEqual(lines, [
    { action: 'user.add-authenticator-app', actorName, before: null, after: null },
    { action: 'user.use-recovery-code', actorName, before: null, after: { recovery_codes: 9 } },
    { action: 'user.remove-authenticator-app', actorName, before: null, after: null },
  ]);
});

const mailsTo = (address: string) =>
  dashboard.db.database
    .selectFrom('submissionRecipients as r')
    .innerJoin('submissions as s', (join) =>
      join.onRef('s.projectId', '=', 'r.projectId').onRef('s.id', '=', 'r.submissionId'),
    )
    .select(['s.kind', 's.fromAddress', 's.projectId'])
    .where('r.address', '=', address)
    .execute();

test('a reset email is sent from the hosted domain and belongs to no project', async () => {
  const user = await newUser();
  assert.equal((await dashboard.signedOut.post('/links/reset-request', { email: user.email })).status, 202);
  assert.ok(await eventually(async () => (await mailsTo(user.email)).length === 1, 3_000));
  const [mail] = await mailsTo(user.email);
  assert.partialDeepStrictEqual(mail, {
    kind: 'service',
    fromAddress: 'posthorn@hosted.example',
    projectId: '00000000-0000-0000-0000-000000000000',
  });
});

test('a reset for an unknown address gets the same response, and reset emails per address are limited per hour', async () => {
  for (const email of ['nobody@nowhere.example', (await newUser()).email]) {
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await dashboard.signedOut.post('/links/reset-request', { email })).status);
    assert.deepEqual(statuses, [202, 202, 202, 429], email);
  }
  assert.deepEqual(await mailsTo('nobody@nowhere.example'), []);
});

test('inviting a person sends an email to them', async () => {
  const email = 'grace@elsewhere.example';
  const { status } = await dashboard
    .as('owner')
    .post(`/organizations/${dashboard.organization.id}/invitations`, { email, role: 'viewer' });
  assert.equal(status, 201);
  assert.ok(await eventually(async () => (await mailsTo(email)).length === 1, 3_000));
});
