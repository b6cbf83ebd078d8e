import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import {
  HOSTED_DOMAIN,
  type RealApi,
  startRealApi,
  type TestProject,
} from '../../../../../test/support/api.ts';
import { newDomain } from '../../../../../test/support/projects.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import type { CreatedMailbox, Mailbox, MailboxList } from '../../../../contract/mailboxes.ts';
import { HOSTED_PROJECT_ID } from '../../../../domains/hosted.ts';
import { recordSender } from '../../../../mailboxes/reserved-addresses.ts';
import { localPartFault } from '../../../../mailboxes/local-part.ts';
import { verifyPassword } from '../../../../accounts/passwords/verify-password.ts';
import { decodeId, encodeId } from '../../../../model/ids.ts';
import { parseMailbox } from '../../../../rfc/address/index.ts';

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: unknown;
}
interface Problem {
  type: string;
  errors: Record<string, string>;
}

const PASSWORD = 'long enough 😀';
const UNKNOWN = `mbx_${'0'.repeat(26)}`;
let api: RealApi;
let hostedId: string;
let names = 0;

before(async () => {
  api = await startRealApi();
  const address = `service@${HOSTED_DOMAIN}`;
  await recordSender(api.db.database, { address, localPart: 'service', domain: HOSTED_DOMAIN });
  const { id } = await api.db.database
    .selectFrom('domains')
    .select('id')
    .where('projectId', '=', HOSTED_PROJECT_ID)
    .executeTakeFirstOrThrow();
  hostedId = encodeId('dom', id);
});
after(() => api[Symbol.asyncDispose]());

/** Adds an unverified domain to a project. */
async function addDomain(project: TestProject, name = `d${++names}.example`): Promise<string> {
  return encodeId('dom', await newDomain(api.db.database, project.id, name));
}

async function create(project: TestProject, fields: Json): Promise<CreatedMailbox> {
  const { status, body } = await project.client.post<CreatedMailbox>('/v1/mailboxes', {
    password: PASSWORD,
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

function stored(mailbox: Mailbox) {
  return api.db.database
    .selectFrom('mailboxes')
    .selectAll()
    .where('id', '=', decodeId('mbx', mailbox.id))
    .executeTakeFirstOrThrow();
}

function members(project: TestProject) {
  return api.db.database
    .selectFrom('people')
    .select(['name', 'email', 'mailboxId'])
    .where('projectId', '=', project.id)
    .orderBy('id')
    .execute();
}

function assertRefused({ status, body }: Answer, field: string, code = 'validation-failed'): void {
  const problem = body as Problem;
  assert.deepEqual([status, problem.type], [422, `/errors/${code}`], JSON.stringify(problem));
  assert.deepEqual(Object.keys(problem.errors), [field]);
}

describe('creating', () => {
  test('a mailbox gets defaults for omitted fields and a generated password', async () => {
    const domainId = await addDomain(api.project, 'shop.example');
    const { status, body } = await api.project.client.post<CreatedMailbox>('/v1/mailboxes', {
      domain_id: domainId,
      local_part: 'Support',
    });
    assert.equal(status, 201);
    const { id, created_at, password = '', ...rest } = body;
    assert.deepEqual(rest, {
      domain_id: domainId,
      address: 'Support@shop.example',
      local_part: 'Support',
      domain: 'shop.example',
      display_name: null,
      is_catch_all: false,
      quota_mb: 1024,
      daily_send_limit: null,
      spam_level: null,
      has_password: true,
      unread: 0,
    });
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
    const row = await stored(body);
    assert.ok(verifyPassword(password, row.passwordHash));
    const shown = await api.project.client.get<Mailbox>(`/v1/mailboxes/${id}`);
    assert.deepEqual(shown.body, { id, ...rest, created_at });
  });

  test('a given password is stored as a hash and never returned', async () => {
    const domain_id = await addDomain(api.project);
    const created = await create(api.project, { domain_id, local_part: 'given' });
    assert.ok(!('password' in created));
    const row = await stored(created);
    assert.match(row.passwordHash ?? '', /^\$argon2id\$/);
    assert.ok(verifyPassword(PASSWORD, row.passwordHash));
    assert.ok(
      !JSON.stringify(await api.db.database.selectFrom('mailboxes').selectAll().execute()).includes(PASSWORD),
    );
  });

  test('a mailbox may be on the hosted domain', async () => {
    const created = await create(api.project, { domain_id: hostedId, local_part: 'hosted' });
    assert.equal(created.address, `hosted@${HOSTED_DOMAIN}`);
    assert.equal(created.domain_id, hostedId);
  });

  test('an address is unique within its domain, ignoring case', async () => {
    const domain_id = await addDomain(api.project);
    await create(api.project, { domain_id, local_part: 'sales' });
    for (const local_part of ['sales', 'SALES', 'ｓales']) {
      const answer = await api.project.client.post('/v1/mailboxes', { domain_id, local_part });
      assertRefused(answer, 'local_part', 'already-exists');
    }
    await create(api.project, { domain_id: await addDomain(api.project), local_part: 'sales' });
  });

  test("an address is rejected because of another project's mailbox only on the hosted domain", async () => {
    await create(api.project, { domain_id: hostedId, local_part: 'first' });
    const answer = await api.other.client.post('/v1/mailboxes', { domain_id: hostedId, local_part: 'First' });
    assertRefused(answer, 'local_part', 'already-exists');
    for (const project of [api.project, api.other]) {
      await create(project, { domain_id: await addDomain(project, 'claimed.example'), local_part: 'first' });
    }
  });

  for (const local_part of ['postmaster', 'Abuse', 'secur\u0131ty', 'MAILER-DAEMON', 'admin']) {
    test(`${local_part} is reserved on the hosted domain, but allowed on other domains`, async () => {
      const answer = await api.project.client.post('/v1/mailboxes', { domain_id: hostedId, local_part });
      assertRefused(answer, 'local_part');
      await create(api.project, { domain_id: await addDomain(api.project), local_part });
    });
  }

  test('a domain can have one catch-all, and the hosted domain cannot have any', async () => {
    const domain_id = await addDomain(api.project);
    await create(api.project, { domain_id, local_part: 'all', is_catch_all: true });
    await create(api.project, { domain_id, local_part: 'some', is_catch_all: false });
    const fields = { local_part: 'more', is_catch_all: true };
    assertRefused(await api.project.client.post('/v1/mailboxes', { domain_id, ...fields }), 'is_catch_all');
    const hosted = await api.project.client.post('/v1/mailboxes', { domain_id: hostedId, ...fields });
    assertRefused(hosted, 'is_catch_all');
  });

  test('an unknown, malformed or foreign domain, and a former hosted domain, get the same 422 response', async () => {
    const old = await newDomain(api.db.database, HOSTED_PROJECT_ID, 'old.example', { status: 'verified' });
    const ids = [
      `dom_${'0'.repeat(26)}`,
      '',
      'shop.example',
      hostedId.toLowerCase(),
      hostedId.replace('dom_', 'mbx_'),
      await addDomain(api.other),
      encodeId('dom', old),
    ];
    const answers = [];
    for (const domain_id of ids) {
      const answer = await api.project.client.post<Problem>('/v1/mailboxes', { domain_id, local_part: 'x' });
      assertRefused(answer, 'domain_id');
      answers.push(JSON.stringify({ ...answer.body, instance: '' }));
    }
    assert.equal(new Set(answers).size, 1);
  });

  test('all invalid fields are reported at once', async () => {
    const { status, body } = await api.project.client.post<Problem>('/v1/mailboxes', {
      domain_id: 'dom_',
      local_part: 'a b',
      display_name: 'a\nb',
      reply_to: 'nobody',
    });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(body.errors).sort(), [
      'display_name',
      'domain_id',
      'local_part',
      'reply_to',
    ]);
  });

  test('a new mailbox becomes a member of the directory, named by its display name or else its address', async () => {
    const project = await api.newProject('members', 'paid');
    const domain_id = await addDomain(project, 'members.example');
    const named = await create(project, { domain_id, local_part: 'a', display_name: 'Ann' });
    const nameless = await create(project, { domain_id, local_part: 'b', display_name: ' ' });
    assert.deepEqual(await members(project), [
      { name: 'Ann', email: 'a@members.example', mailboxId: decodeId('mbx', named.id) },
      { name: 'b@members.example', email: 'b@members.example', mailboxId: decodeId('mbx', nameless.id) },
    ]);
  });

  test('a rejected request adds no member to the directory', async () => {
    const project = await api.newProject('refused', 'free');
    const domain_id = await addDomain(project);
    await create(project, { domain_id, local_part: 'a' });
    const answer = await project.client.post('/v1/mailboxes', { domain_id, local_part: 'b' });
    assertRefused(answer, 'local_part', 'plan-limit-exceeded');
    assert.equal((await members(project)).length, 1);
  });
});

for (const [what, fields, field] of [
  ['no local part', { local_part: undefined }, 'local_part'],
  ['an empty local part', { local_part: '' }, 'local_part'],
  ['a tag', { local_part: 'a+b' }, 'local_part'],
  ['a quoted local part', { local_part: '"a b"' }, 'local_part'],
  ['a password of 11 characters', { password: '😀'.repeat(11) }, 'password'],
  ['a password of 1025 bytes', { password: 'x'.repeat(1_025) }, 'password'],
  ['an empty password', { password: '' }, 'password'],
  ['null for the password', { password: null }, 'password'],
  ['null for the spam level', { spam_level: null }, 'spam_level'],
  ['another spam level', { spam_level: 'extreme' }, 'spam_level'],
  ['no quota', { quota_mb: 0 }, 'quota_mb'],
  ['half a megabyte', { quota_mb: 0.5 }, 'quota_mb'],
  ['a quota that is too large', { quota_mb: 2 ** 31 }, 'quota_mb'],
  ['a quota as text', { quota_mb: '1024' }, 'quota_mb'],
  ['null for the quota', { quota_mb: null }, 'quota_mb'],
  ['a limit of 0 emails', { daily_send_limit: 0 }, 'daily_send_limit'],
  ['a limit that is too large', { daily_send_limit: 2 ** 31 }, 'daily_send_limit'],
  ['a catch-all as text', { is_catch_all: 'true' }, 'is_catch_all'],
  ['a name with a line break', { display_name: 'a\r\nBcc: x@y.test' }, 'display_name'],
  ['a line separator in the name', { display_name: 'a\u2028b' }, 'display_name'],
  ['a name of 257 characters', { display_name: 'x'.repeat(257) }, 'display_name'],
  ['null for the name', { display_name: null }, 'display_name'],
  ['two reply-to addresses', { reply_to: 'a@x.test, b@x.test' }, 'reply_to'],
  ['a line break in the reply-to address', { reply_to: 'a@x.test\r\nBcc: b@x.test' }, 'reply_to'],
  ['an empty reply-to address', { reply_to: '' }, 'reply_to'],
  ['NUL in the signature', { signature_html: 'a\0' }, 'signature_html'],
  ['a signature of more than 64 KiB', { signature_html: 'x'.repeat(65_537) }, 'signature_html'],
  ['an unknown field', { displayName: 'x' }, 'displayName'],
] as const) {
  test(`creating a mailbox with ${what} is rejected`, async () => {
    const body = { domain_id: hostedId, local_part: 'refused', ...fields };
    assertRefused(await api.project.client.post('/v1/mailboxes', body), field);
  });
}

describe('updating', () => {
  test('changes only the given fields', async () => {
    const project = await api.newProject('update', 'paid');
    const domain_id = await addDomain(project, 'update.example');
    const created = await create(project, { domain_id, local_part: 'a', signature_html: '<p>old</p>' });
    const changes = {
      display_name: 'Ann',
      is_catch_all: true,
      spam_level: 'high',
      quota_mb: 5,
      daily_send_limit: 7,
    };
    const hidden = { reply_to: 'Ann <ann@x.test>', signature_html: '<p>new</p>' };
    const { status, body } = await project.client.patch<Mailbox>(`/v1/mailboxes/${created.id}`, {
      ...changes,
      ...hidden,
    });
    assert.equal(status, 200);
    assert.deepEqual(body, { ...created, ...changes });
    assert.partialDeepStrictEqual(await stored(created), {
      replyTo: hidden.reply_to,
      signatureHtml: hidden.signature_html,
    });
    assert.equal((await members(project))[0]?.name, 'Ann');

    const cleared = { spam_level: null, daily_send_limit: null, reply_to: '', display_name: '' };
    const { body: now } = await project.client.patch<Mailbox>(`/v1/mailboxes/${created.id}`, cleared);
    assert.deepEqual(now, { ...body, spam_level: null, daily_send_limit: null, display_name: '' });
    assert.equal((await stored(created)).replyTo, null);
    assert.equal((await members(project))[0]?.name, 'a@update.example');
  });

  test('no body, an empty body and an empty object change nothing', async () => {
    const domain_id = await addDomain(api.project);
    const created = await create(api.project, { domain_id, local_part: 'same', display_name: 'Same' });
    for (const options of [{}, { rawBody: '' }, { rawBody: '{}' }]) {
      const answer = await api.project.client.request<Mailbox>(
        'PATCH',
        `/v1/mailboxes/${created.id}`,
        options,
      );
      assert.deepEqual([answer.status, answer.body], [200, created]);
    }
  });

  test('a second catch-all is rejected until the first mailbox is no longer the catch-all', async () => {
    const domain_id = await addDomain(api.project);
    const first = await create(api.project, { domain_id, local_part: 'one', is_catch_all: true });
    const second = await create(api.project, { domain_id, local_part: 'two' });
    const set = (mailbox: Mailbox, is_catch_all: boolean) =>
      api.project.client.patch(`/v1/mailboxes/${mailbox.id}`, { is_catch_all });
    assertRefused(await set(second, true), 'is_catch_all');
    assert.equal((await set(first, true)).status, 200);
    assert.equal((await set(first, false)).status, 200);
    assert.equal((await set(second, true)).status, 200);
  });

  test('of many mailboxes updated concurrently, only one becomes the catch-all', async () => {
    const domain_id = await addDomain(api.project);
    const made = [];
    for (let n = 0; n < 8; n++) made.push(await create(api.project, { domain_id, local_part: `c${n}` }));
    const answers = await Promise.all(
      made.map(({ id }) => api.project.client.patch(`/v1/mailboxes/${id}`, { is_catch_all: true })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [
      200,
      ...Array.from({ length: 7 }, () => 422),
    ]);
  });

  test('a mailbox of the hosted domain cannot become a catch-all', async () => {
    const { id } = await create(api.project, { domain_id: hostedId, local_part: 'not-all' });
    const path = `/v1/mailboxes/${id}`;
    const body = { display_name: 'All', is_catch_all: true };
    assertRefused(await api.project.client.patch(path, body), 'is_catch_all');
    assert.equal((await api.project.client.get<Mailbox>(path)).body.display_name, null);
    assert.equal((await api.project.client.patch(path, { is_catch_all: false })).status, 200);
  });

  for (const [field, value] of [
    ['password', PASSWORD],
    ['local_part', 'other'],
    ['domain_id', 'dom_'],
    ['address', 'a@x.test'],
    ['unread', 1],
    ['display_name', null],
    ['display_name', 'a\u0085b'],
    ['is_catch_all', null],
    ['signature_html', null],
    ['reply_to', null],
    ['reply_to', 'a@x.test\n'],
    ['quota_mb', null],
    ['quota_mb', '5'],
    ['quota_mb', -1],
    ['spam_level', 'none'],
    ['spam_level', ''],
    ['daily_send_limit', 0],
  ] as const) {
    test(`setting ${field} to ${JSON.stringify(value)} returns 422, even for an unknown id`, async () => {
      const domain_id = await addDomain(api.project);
      const { id } = await create(api.project, { domain_id, local_part: 'keep' });
      for (const path of [id, UNKNOWN, 'nonsense']) {
        assertRefused(await api.project.client.patch(`/v1/mailboxes/${path}`, { [field]: value }), field);
      }
    });
  }
});

describe('a list', () => {
  test('contains only the mailboxes of the project, oldest first', async () => {
    const project = await api.newProject('list', 'paid');
    assert.deepEqual((await project.client.get('/v1/mailboxes')).body, { data: [] });
    const domain_id = await addDomain(project);
    const made = [];
    for (const local_part of ['c', 'a', 'b']) made.push(await create(project, { domain_id, local_part }));
    assert.deepEqual((await project.client.get<MailboxList>('/v1/mailboxes')).body, { data: made });
  });
});

describe('deleting', () => {
  test('removes the mailbox and its directory member, and frees the address', async () => {
    const project = await api.newProject('delete', 'free');
    const domain_id = await addDomain(project);
    const { id } = await create(project, { domain_id, local_part: 'gone', is_catch_all: true });
    assert.equal((await project.client.delete(`/v1/mailboxes/${id}`)).status, 204);
    assert.equal((await project.client.get(`/v1/mailboxes/${id}`)).status, 404);
    assert.equal((await project.client.delete(`/v1/mailboxes/${id}`)).status, 404);
    assert.deepEqual(await members(project), []);
    await create(project, { domain_id, local_part: 'gone', is_catch_all: true });
  });
});

describe('concurrent requests', () => {
  test('on the plan free create only one of 200 mailboxes, and the others return the plan limit', async () => {
    const project = await api.newProject('free', 'free');
    const domain_id = await addDomain(project);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        project.client.post('/v1/mailboxes', { domain_id, local_part: `m${n}`, password: PASSWORD }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 1);
    for (const answer of answers) {
      if (answer !== made[0]) assertRefused(answer, 'local_part', 'plan-limit-exceeded');
    }
    assert.equal((await project.client.get<MailboxList>('/v1/mailboxes')).body.data.length, 1);
  });

  test('of two projects create only one mailbox with the same hosted address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 === 0 ? api.project : api.other).client.post('/v1/mailboxes', {
          domain_id: hostedId,
          local_part: 'contested',
          password: PASSWORD,
        }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 11);
    for (const answer of refused) assertRefused(answer, 'local_part', 'already-exists');
  });

  test('to create a mailbox and delete its domain: the mailbox waits for the deletion and then fails', async () => {
    const domain_id = await addDomain(api.project);
    const { promise: locked, resolve: signalLocked } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const deletion = api.db.database.transaction().execute(async (tx) => {
      const row = tx.selectFrom('domains').select('id').where('projectId', '=', api.project.id);
      await row.where('id', '=', decodeId('dom', domain_id)).forUpdate().execute();
      signalLocked();
      await released;
      await tx
        .deleteFrom('domains')
        .where('projectId', '=', api.project.id)
        .where('id', '=', decodeId('dom', domain_id))
        .execute();
    });
    await locked;
    const creation = api.project.client.post('/v1/mailboxes', { domain_id, local_part: 'late' });
    const waits = await eventually(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(api.db.database);
      return rows.length === 1;
    }, 1_500);
    assert.ok(waits);
    release();
    await deletion;
    assertRefused(await creation, 'domain_id');
  });
});

describe('isolation', () => {
  test('a mailbox of another project gets the same response bytes as an unknown mailbox, and stays unchanged', async () => {
    const domain_id = await addDomain(api.other);
    const foreign = await create(api.other, { domain_id, local_part: 'foreign' });
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { display_name: 'Mine' }],
      ['PATCH', undefined],
      ['DELETE', undefined],
    ] as const) {
      const answers = [];
      for (const id of [UNKNOWN, foreign.id, foreign.id.toLowerCase(), 'x', '%00']) {
        const answer = await api.project.client.request<Json>(method, `/v1/mailboxes/${id}`, { body });
        assert.equal(answer.status, 404);
        answers.push(answer.text.replace(String(answer.body['instance']), ''));
      }
      assert.equal(new Set(answers).size, 1);
    }
    assert.deepEqual((await api.other.client.get(`/v1/mailboxes/${foreign.id}`)).body, foreign);
  });

  test('each operation on mailboxes requires its scope', async () => {
    const reader = await api.project.clientWith(['mailboxes:read']);
    const writer = await api.project.clientWith(['mailboxes:write']);
    assert.equal((await reader.get('/v1/mailboxes')).status, 200);
    assert.equal((await writer.get('/v1/mailboxes')).status, 403);
    assert.equal((await writer.get(`/v1/mailboxes/${UNKNOWN}`)).status, 403);
    assert.equal((await writer.delete(`/v1/mailboxes/${UNKNOWN}`)).status, 404);
    assert.equal((await reader.post('/v1/mailboxes', {})).status, 403);
    assert.equal((await reader.patch(`/v1/mailboxes/${UNKNOWN}`)).status, 403);
    assert.equal((await reader.delete(`/v1/mailboxes/${UNKNOWN}`)).status, 403);
  });
});

describe('sending from the hosted domain', () => {
  const send = (project: TestProject, from: string) =>
    project.client.post('/v1/emails', { from, to: ['b@dst.test'], text: 'x' });

  test('a project can send from its own mailbox and from an address without a mailbox', async () => {
    await create(api.project, { domain_id: hostedId, local_part: 'sender' });
    for (const name of ['sender', 'sender+tag', 'nobody']) {
      assert.equal((await send(api.project, `${name}@${HOSTED_DOMAIN}`)).status, 202, name);
    }
  });

  test('a project cannot send from a mailbox of another project, in any spelling', async () => {
    await create(api.other, { domain_id: hostedId, local_part: 'theirs' });
    for (const name of ['theirs', 'THEIRS', 'theirs+tag', '"theirs"', '"theirs "', 'ｔheirs']) {
      assertRefused(await send(api.project, `${name}@${HOSTED_DOMAIN}`), 'from');
      assertRefused(await send(api.project, `Theirs <${name}@${HOSTED_DOMAIN}>`), 'from');
    }
    assert.equal((await send(api.other, `theirs@${HOSTED_DOMAIN}`)).status, 202);
  });

  test('the address of service mail can be neither a mailbox nor a `from`', async () => {
    const address = `service@${HOSTED_DOMAIN}`;
    assertRefused(
      await api.project.client.post('/v1/mailboxes', { domain_id: hostedId, local_part: 'Service' }),
      'local_part',
    );
    const email = { from: `Service <"service"+x@${HOSTED_DOMAIN}>`, to: ['b@dst.test'], text: 'x' };
    assertRefused(await api.project.client.post('/v1/emails', { ...email, from: address }), 'from');
    const batch = [
      { ...email, from: `sender@${HOSTED_DOMAIN}` },
      { ...email, from: address.toUpperCase() },
    ];
    const { status, text } = await api.project.client.post('/v1/emails/batch', { emails: batch });
    assert.equal(status, 422, text);
    assert.match(text, /belongs to the operator/);
  });
});

const line = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom('', '\n', '\0', 'Ann'));
const spamLevel = fc.constantFrom('off', 'low', 'medium', 'high');
const address = fc.oneof(fc.emailAddress(), line);
const integer = fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.integer());
const anything = fc.dictionary(
  fc.constantFrom('domain_id', 'local_part', 'display_name', 'quota_mb', 'spam_level', '__proto__', 'x'),
  fc.jsonValue(),
);

/** The mailbox that the API returns after it has accepted the body. */
function shownOf({ reply_to: _r, signature_html: _s, password: _p, ...shown }: Json): Json {
  return shown;
}

test('no create request causes a 5xx, and the stored mailbox equals the request', async () => {
  const project = await api.newProject('create property', 'paid');
  const domain_id = await addDomain(project, 'property.example');
  const near = fc.record(
    {
      domain_id: fc.constant(domain_id),
      local_part: fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.stringMatching(/^[a-z.+]{1,9}$/),
      ),
      display_name: line,
      password: fc.constant(PASSWORD),
      quota_mb: integer,
      daily_send_limit: fc.option(integer),
      is_catch_all: fc.boolean(),
      spam_level: spamLevel,
      reply_to: address,
      signature_html: fc.string({ unit: 'grapheme' }),
    },
    { requiredKeys: ['domain_id', 'local_part', 'password'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: near }, { weight: 1, arbitrary: anything }),
      async (body) => {
        const sent = JSON.parse(JSON.stringify(body)) as Json;
        const answer = await project.client.post<Mailbox>('/v1/mailboxes', sent);
        if (answer.status !== 201) {
          assert.equal(answer.status, 422);
          return;
        }
        assert.equal(localPartFault(String(sent['local_part']), 'property.example'), null);
        assert.partialDeepStrictEqual(answer.body, shownOf(sent));
        const row = await stored(answer.body);
        assert.equal(row.replyTo, sent['reply_to'] ?? null);
        assert.equal(row.signatureHtml, sent['signature_html'] ?? null);
        const parsed = parseMailbox(answer.body.address);
        assert.ok(!('error' in parsed) && parsed.address === answer.body.address);
      },
    ),
    { numRuns: 100 },
  );
});

test('no update request causes a 5xx, and the stored mailbox equals the request', async () => {
  const domain_id = await addDomain(api.project);
  const { id } = await create(api.project, { domain_id, local_part: 'property' });
  const path = `/v1/mailboxes/${id}`;
  const near = fc.record(
    {
      display_name: line,
      quota_mb: integer,
      daily_send_limit: fc.option(integer),
      is_catch_all: fc.boolean(),
      spam_level: fc.option(spamLevel),
      reply_to: address,
      signature_html: fc.string({ unit: 'grapheme' }),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: near }, { weight: 1, arbitrary: anything }),
      async (body) => {
        const earlier = (await api.project.client.get<Mailbox>(path)).body;
        const sent = JSON.parse(JSON.stringify(body)) as Json;
        const answer = await api.project.client.patch<Mailbox>(path, sent);
        if (answer.status === 200) {
          assert.deepEqual(answer.body, { ...earlier, ...shownOf(sent) });
          const row = await stored(earlier);
          if ('reply_to' in sent) assert.equal(row.replyTo ?? '', sent['reply_to']);
          if ('signature_html' in sent) assert.equal(row.signatureHtml, sent['signature_html']);
        } else {
          assert.equal(answer.status, 422);
          assert.deepEqual((await api.project.client.get(path)).body, earlier);
        }
      },
    ),
    { numRuns: 100 },
  );
});
