import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { TOTP } from 'otpauth';
import { eventually } from '../../../../../test/support/eventually.ts';
import { SECRET } from '../../../../../test/support/postgres.ts';
import { checkSecret } from '../../../../db/seal.ts';
import { setPassword } from '../../../../mailboxes/set-password.ts';
import { removeMailboxSecondFactor } from '../../../../mailboxes/sign-in/mailbox-access.ts';
import { changeOwnPassword } from '../../../../mailboxes/sign-in/own-password.ts';
import { SignIn } from '../../../../mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../../../model/ids.ts';
import {
  mailCookie,
  PASSWORD,
  startMailClient,
  type TestMailClient,
  type TestOwner,
} from '../mail-client.fixture.ts';

let mail: TestMailClient;
before(async () => {
  mail = await startMailClient();
});
after(() => mail[Symbol.asyncDispose]());

const STEP_MS = 30_000;
const NEW_PASSWORD = 'another horse battery';

interface Answer {
  account?: { mailbox: string; address: string };
  second_factor?: { ticket: string; methods: string[] };
}

const signIn = (address: string, password = PASSWORD, headers = {}) =>
  mail.signedOut.post<Answer>('/session', { address, password }, { headers });

const isOut = (owner: TestOwner) =>
  eventually(async () => (await owner.get('/account')).status === 401, 2_500);

/** Sets up an app with the code of the previous time step, so that the current code stays unused. */
async function withApp(owner: TestOwner) {
  const { body } = await owner.post<{ secret: string; ticket: string }>('/authenticator-app');
  const totp = new TOTP({ secret: body.secret });
  const codeAt = (step: number) => totp.generate({ timestamp: Date.now() + step * STEP_MS });
  const confirmed = await owner.post<{ recovery_codes: string[] }>('/authenticator-app/confirmation', {
    ticket: body.ticket,
    code: codeAt(-1),
  });
  assert.equal(confirmed.status, 200);
  return { codeAt, recoveryCodes: confirmed.body.recovery_codes };
}

test('the session cookie is named after its mailbox and protected from scripts and other sites', async () => {
  const ann = await mail.newOwner('ann');
  const { status, headers, body } = await signIn(ann.address.toUpperCase());
  assert.equal(status, 200);
  assert.equal(body.account?.mailbox, ann.mailbox);
  const cookie = headers.get('set-cookie') ?? '';
  assert.match(cookie, new RegExp(`^posthorn_mail_${ann.mailboxId.replaceAll('-', '')}=[\\w-]{43}; `));
  assert.match(cookie, /; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/);
});

test('a wrong password, an unknown address and an app password return the same response', async () => {
  const owner = await mail.newOwner('olga');
  const made = await owner.post<{ password: string }>('/app-passwords', {
    name: 'Phone',
    access: 'everything',
  });
  const refusals = [
    await signIn(owner.address, 'wrong horse battery'),
    await signIn('nobody@hosted.example'),
    await signIn('no address'),
    await signIn(owner.address, made.body.password),
  ];
  for (const { status, body } of refusals) {
    assert.equal(status, 401);
    const { instance: _, ...problem } = body as Record<string, unknown>;
    const { instance: __, ...first } = (refusals[0]?.body ?? {}) as Record<string, unknown>;
    assert.deepEqual(problem, first);
  }
});

test('the time since which sending is paused is visible only with a session', async () => {
  const cookie = mailCookie(await mail.newOwner('unsent'));
  const since = async (headers: Record<string, string>) =>
    (await mail.signedOut.get<{ not_sending_since: string | null }>('/session', { headers })).body
      .not_sending_since;
  assert.equal(await since({ cookie }), null);
  const row = { name: 'provider_away_since', value: '2026-11-20T15:04:05.123Z' };
  await mail.db.database.insertInto('settings').values(row).execute();
  assert.equal(await since({ cookie }), row.value);
  assert.equal(await since({}), null);
  await mail.db.database.deleteFrom('settings').where('name', '=', row.name).execute();
});

test('a browser can be signed in to ten mailboxes, and can sign out of each mailbox separately', async () => {
  const owners: TestOwner[] = [];
  for (let n = 0; n < 11; n += 1) owners.push(await mail.newOwner(`many-${n}`));
  const [last] = owners.splice(10);
  const cookie = owners.map(mailCookie).join('; ');
  const list = async () =>
    (await mail.signedOut.get<{ accounts: { address: string }[] }>('/session', { headers: { cookie } })).body
      .accounts;
  assert.deepEqual(
    (await list()).map(({ address }) => address),
    owners.map(({ address }) => address),
  );
  assert.equal((await signIn(last?.address ?? '', PASSWORD, { cookie })).status, 422);
  assert.equal((await owners[0]?.delete('/session'))?.status, 204);
  assert.ok(await eventually(async () => (await list()).length === 9, 2_500));
  assert.equal((await signIn(last?.address ?? '', PASSWORD, { cookie })).status, 200);
});

test('setting up the first second factor ends sessions that used only a password, and setting up further factors does not', async () => {
  const owner = await mail.newOwner('doris');
  const other = await mail.signIn(owner);
  await withApp(owner);
  assert.ok(await isOut(other));
  assert.equal((await owner.get('/account')).status, 200);
  const proved = await mail.signIn(owner);
  // Add a passkey, so that replacing the app does not set up a first factor again.
  await sql`insert into mailbox_passkeys (project_id, mailbox_id, id, name, credential_id, public_key, counter, transports, created_at)
    values (${owner.projectId}, ${owner.mailboxId}, ${newUuid()}, 'Key', '\\x01', '\\x01', 0, '{}', now())`.execute(
    mail.db.database,
  );
  assert.equal((await owner.delete('/authenticator-app')).status, 204);
  await withApp(owner);
  assert.equal(await isOut(proved), false);
});

test('a passkey with a wrong signature is rejected', async () => {
  const owner = await mail.newOwner('dolly');
  await sql`insert into mailbox_passkeys (project_id, mailbox_id, id, name, credential_id, public_key, counter, transports, created_at)
    values (${owner.projectId}, ${owner.mailboxId}, ${newUuid()}, 'Key', '\\x02', '\\x01', 0, '{}', now())`.execute(
    mail.db.database,
  );
  const { body } = await mail.signedOut.post<{ ticket: string }>('/session/passkey-question', {});
  const { status, headers } = await mail.signedOut.post('/session/passkey', {
    ticket: body.ticket,
    response: {
      id: 'Ag',
      rawId: 'Ag',
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'AQ', authenticatorData: 'AQ', signature: 'AQ' },
    },
  });
  assert.deepEqual([status, headers.get('set-cookie')], [401, null]);
});

test('with a second factor, signing in requires a code and mail apps need app passwords, and an admin can remove the factor', async () => {
  const owner = await mail.newOwner('carla');
  const { codeAt, recoveryCodes } = await withApp(owner);
  const first = await signIn(owner.address);
  assert.equal(first.headers.get('set-cookie'), null);
  assert.deepEqual(first.body.second_factor?.methods, ['code', 'recovery-code']);
  const prove = (code: string, ticket = first.body.second_factor?.ticket) =>
    mail.signedOut.post<Answer>('/session/second-factor', { ticket, code });
  assert.equal((await prove('000000')).status, 401);
  assert.equal((await prove(codeAt(0))).status, 200);
  assert.equal((await prove(recoveryCodes[0] ?? '')).status, 401, 'a ticket works once');
  const again = await signIn(owner.address);
  assert.equal((await prove(recoveryCodes[1] ?? '', again.body.second_factor?.ticket)).status, 200);

  const { body: made } = await owner.post<{ password: string; id: string }>('/app-passwords', {
    name: 'Phone',
    access: 'everything',
  });
  await using apps = new SignIn({
    database: mail.db.database,
    databaseUrl: mail.db.url,
    processId: newUuid(),
    unseal: () => checkSecret(mail.db.database, SECRET),
    logger: { info() {} },
  });
  const open = async (password: string) => {
    const attempt = {
      user: owner.address,
      password,
      address: '192.0.2.7',
      door: 'imap',
      access: 'read',
    } as const;
    const result = await apps.signIn(attempt);
    return result.outcome === 'signed-in' ? result.mailbox : null;
  };
  assert.equal(await open(PASSWORD), null);
  using app = await open(made.password);
  assert.ok(app !== null);
  assert.equal((await owner.delete(`/app-passwords/${made.id}`)).status, 204);
  assert.ok(await eventually(async () => app.ended.aborted, 2_500));

  assert.equal(await removeMailboxSecondFactor(mail.db.database, owner), true);
  assert.ok((await signIn(owner.address)).body.account !== undefined);
  const { body } = await owner.get('/account');
  assert.partialDeepStrictEqual(body, { authenticator_app: false, recovery_codes: 0, passkeys: [] });
});

test('a sign-in ticket of the web client is invalid in the dashboard', async () => {
  const owner = await mail.newOwner('dora');
  await withApp(owner);
  const { body } = await signIn(owner.address);
  const ticket = body.second_factor?.ticket ?? '';
  const there = await fetch(`${mail.baseUrl}/dashboard/api/session/second-factor`, {
    method: 'POST',
    headers: { origin: mail.baseUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ ticket, code: '000000' }),
  });
  assert.match(((await there.json()) as { detail: string }).detail, /has expired/);
});

test('changing the password requires the current password, and ends all other sessions', async () => {
  const [one] = [await mail.newOwner('erna')];
  const other = await mail.signIn(one);
  assert.equal((await other.get('/account')).status, 200);
  const change = (current_password: string) =>
    one.put('/password', { current_password, password: NEW_PASSWORD });
  assert.equal((await change('wrong horse battery')).status, 401);
  assert.equal((await change(PASSWORD)).status, 204);
  assert.ok(await isOut(other));
  assert.equal((await one.get('/account')).status, 200);
  assert.equal((await signIn(one.address)).status, 401);
  assert.equal((await signIn(one.address, NEW_PASSWORD)).status, 200);
});

test('a proof of the previous password cannot change a password that was set in the meantime', async () => {
  const owner = await mail.newOwner('emil');
  const { projectId, mailboxId } = owner;
  const { passwordHash } = await mail.db.database
    .selectFrom('mailboxes')
    .select('passwordHash')
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .executeTakeFirstOrThrow();
  await setPassword(mail.db.database, { projectId, mailboxId }, NEW_PASSWORD);
  const late = { password: 'someone else has it now', provedHash: passwordHash ?? '' };
  await assert.rejects(changeOwnPassword(mail.db.database, owner, late), { code: 'sign-in-refused' });
  assert.equal((await signIn(owner.address, NEW_PASSWORD)).status, 200);
});

test('other browsers are listed, and can be signed out one by one or all at once', async () => {
  const one = await mail.newOwner('frida');
  const [other, third] = [await mail.signIn(one), await mail.signIn(one)];
  const { body } = await one.get<{ browsers: { id: string; is_current: boolean }[] }>('/sessions');
  assert.deepEqual(body.browsers.map(({ is_current: isCurrent }) => isCurrent).toSorted(), [
    false,
    false,
    true,
  ]);
  const ended = body.browsers.find(({ is_current: isCurrent }) => !isCurrent);
  assert.equal((await one.delete(`/sessions/${ended?.id}`)).status, 204);
  assert.equal((await one.delete(`/sessions/${ended?.id}`)).status, 404);
  assert.equal((await one.delete('/sessions')).status, 204);
  assert.ok((await isOut(other)) && (await isOut(third)));
  assert.equal((await one.get('/account')).status, 200);
});

test('the event streams of a browser end with its session', async () => {
  const owner = await mail.newOwner('greta');
  await using signIns = new SignIn({
    database: mail.db.database,
    databaseUrl: mail.db.url,
    processId: newUuid(),
    unseal: () => checkSecret(mail.db.database, SECRET),
    logger: { info() {} },
  });
  const { projectId, mailboxId, sessionId, address } = owner;
  const session = { projectId, mailboxId, sessionId, address, sessionsVersion: 0 };
  const rest = { displayName: null, confirmedAt: new Date() };
  using open = await signIns.openForWebSession({ ...session, ...rest }, '192.0.2.8');
  assert.ok(open !== null);
  await owner.delete('/session');
  assert.ok(await eventually(async () => open.ended.aborted, 2_500));
});
