import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  HOSTED_DOMAIN,
  type RealApi,
  startRealApi,
  type TestProject,
} from '../../../../../test/support/api.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import { newAlias, newMailbox } from '../../../../../test/support/mail.ts';
import { newDomain } from '../../../../../test/support/projects.ts';
import type { Alias, AliasList } from '../../../../contract/aliases.ts';
import { HOSTED_PROJECT_ID } from '../../../../domains/hosted.ts';
import { decodeId, encodeId } from '../../../../model/ids.ts';
import { within } from '../../../../concurrency/within.ts';

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: unknown;
}

const UNKNOWN = `als_${'0'.repeat(26)}`;
const UNKNOWN_MAILBOX = `mbx_${'0'.repeat(26)}`;
let api: RealApi;
let hostedId: string;
let names = 0;

before(async () => {
  api = await startRealApi();
  const { id } = await api.db.database
    .selectFrom('domains')
    .select('id')
    .where('projectId', '=', HOSTED_PROJECT_ID)
    .executeTakeFirstOrThrow();
  hostedId = encodeId('dom', id);
});
after(() => api[Symbol.asyncDispose]());

async function addDomain(project: TestProject): Promise<string> {
  return encodeId('dom', await newDomain(api.db.database, project.id, `alias${++names}.example`));
}

async function addMailbox(project: TestProject): Promise<string> {
  return encodeId('mbx', (await newMailbox(api.db.database, { projectId: project.id })).mailboxId);
}

async function create(project: TestProject, fields: Json): Promise<Alias> {
  const { status, body } = await project.client.post<Alias>('/v1/aliases', fields);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

function assertRefused({ status, body }: Answer, field: string, code = 'validation-failed'): void {
  const problem = body as { type: string; errors: Record<string, string> };
  assert.deepEqual([status, problem.type], [422, `/errors/${code}`], JSON.stringify(problem));
  assert.deepEqual(Object.keys(problem.errors), [field]);
}

describe('an alias', () => {
  test('can be created, listed, fetched, redirected and deleted', async () => {
    const project = await api.newProject('aliases', 'paid');
    assert.deepEqual((await project.client.get('/v1/aliases')).body, { data: [] });
    const domain_id = await addDomain(project);
    const [ann, ben] = [await addMailbox(project), await addMailbox(project)];
    const made = await create(project, { domain_id, local_part: 'Sales', mailbox_ids: [ben, ann, ben] });
    const domain = `alias${names}.example`;
    assert.deepEqual(made, {
      id: made.id,
      domain_id,
      address: `Sales@${domain}`,
      local_part: 'Sales',
      domain,
      mailbox_ids: [ann, ben],
      created_at: made.created_at,
    });
    const other = await create(project, { domain_id, local_part: 'älva', mailbox_ids: [ann] });
    assert.deepEqual((await project.client.get<AliasList>('/v1/aliases')).body, { data: [made, other] });

    const path = `/v1/aliases/${made.id}`;
    assert.deepEqual((await project.client.get(path)).body, made);
    const led = { ...made, mailbox_ids: [ben] };
    assert.deepEqual((await project.client.patch(path, { mailbox_ids: [ben] })).body, led);
    for (const options of [{}, { rawBody: '' }, { rawBody: '{}' }])
      assert.deepEqual((await project.client.request('PATCH', path, options)).body, led);
    assert.deepEqual((await project.client.patch(path, { mailbox_ids: [ann] })).body, {
      ...made,
      mailbox_ids: [ann],
    });
    assert.equal((await project.client.delete(path)).status, 204);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal((await project.client.request(method, path)).status, 404);
  });

  test('loses deleted mailboxes, and is deleted together with its last mailbox', async () => {
    const project = await api.newProject('alias ends', 'paid');
    const domain_id = await addDomain(project);
    const [ann, ben] = [await addMailbox(project), await addMailbox(project)];
    const both = await create(project, { domain_id, local_part: 'both', mailbox_ids: [ann, ben] });
    const one = await create(project, { domain_id, local_part: 'one', mailbox_ids: [ann] });
    assert.equal((await project.client.delete(`/v1/mailboxes/${ann}`)).status, 204);
    assert.deepEqual((await project.client.get<AliasList>('/v1/aliases')).body, {
      data: [{ ...both, mailbox_ids: [ben] }],
    });
    await create(project, { domain_id, local_part: 'one', mailbox_ids: [ben] });
    assert.equal((await project.client.get(`/v1/aliases/${one.id}`)).status, 404);
  });

  test('is deleted when its last two mailboxes are deleted concurrently', async () => {
    const project = await api.newProject('alias ends at once', 'paid');
    const domain_id = await addDomain(project);
    for (let round = 0; round < 3; round++) {
      const mailbox_ids = await Promise.all([1, 2, 3, 4].map(() => addMailbox(project)));
      for (const local_part of ['a', 'b', 'c']) await create(project, { domain_id, local_part, mailbox_ids });
      const answers = await Promise.all(
        mailbox_ids.map((id) => project.client.delete(`/v1/mailboxes/${id}`)),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [204, 204, 204, 204],
      );
      assert.deepEqual((await project.client.get('/v1/aliases')).body, { data: [] });
    }
  });

  test('can be changed and deleted while its mailboxes are deleted, and then delivers to the remaining mailboxes', async () => {
    const project = await api.newProject('alias changes', 'paid');
    const domain_id = await addDomain(project);
    const kept = await addMailbox(project);
    for (let round = 0; round < 3; round++) {
      const [one, two] = [await addMailbox(project), await addMailbox(project)];
      const [a, b] = [
        await create(project, { domain_id, local_part: 'a', mailbox_ids: [one, two] }),
        await create(project, { domain_id, local_part: 'b', mailbox_ids: [one, two] }),
      ];
      const patched = [[two, kept], [kept]].map((mailbox_ids) =>
        project.client.patch<Alias>(`/v1/aliases/${a.id}`, { mailbox_ids }),
      );
      const removed = [`mailboxes/${two}`, `mailboxes/${one}`, `aliases/${b.id}`].map((path) =>
        project.client.delete(`/v1/${path}`),
      );
      for (const { status } of await Promise.all([...patched, ...removed]))
        assert.ok([200, 204, 404, 422].includes(status), String(status));
      const { data } = (await project.client.get<AliasList>('/v1/aliases')).body;
      for (const { mailbox_ids } of data) assert.deepEqual(mailbox_ids, [kept]);
      for (const { id } of data) await project.client.delete(`/v1/aliases/${id}`);
    }
  });
});

describe('creating an alias fails', () => {
  for (const [field, value] of [
    ['domain_id', 'dom_'],
    ['domain_id', `dom_${'0'.repeat(26)}`],
    ['local_part', ''],
    ['local_part', 'with space'],
    ['local_part', 'a+b'],
    ['local_part', '-a'],
    ['local_part', 'ä'.repeat(33)],
    ['mailbox_ids', []],
    ['mailbox_ids', ['mbx_']],
    ['mailbox_ids', [UNKNOWN_MAILBOX]],
    ['mailbox_ids', [null]],
    ['mailbox_ids', UNKNOWN_MAILBOX],
    ['mailbox_ids', Array.from({ length: 51 }, () => UNKNOWN_MAILBOX)],
    ['address', 'a@acme.example'],
  ] as const)
    test(`with ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const body = {
        domain_id: await addDomain(api.project),
        local_part: 'a',
        mailbox_ids: [await addMailbox(api.project)],
        [field]: value,
      };
      assertRefused(await api.project.client.post('/v1/aliases', body), field);
    });

  test('on the domain of another project, or with a mailbox of another project', async () => {
    const [own, foreign] = [await addMailbox(api.project), await addMailbox(api.other)];
    const [domain_id, foreignDomain] = [await addDomain(api.project), await addDomain(api.other)];
    const post = (body: Json) =>
      api.project.client.post('/v1/aliases', { domain_id, local_part: 'theirs', ...body });
    assertRefused(await post({ domain_id: foreignDomain, mailbox_ids: [own] }), 'domain_id');
    assertRefused(await post({ mailbox_ids: [own, foreign] }), 'mailbox_ids');
    const { id } = await create(api.project, { domain_id, local_part: 'mine', mailbox_ids: [own] });
    for (const mailbox_ids of [[foreign], [], ['x'], null])
      assertRefused(await api.project.client.patch(`/v1/aliases/${id}`, { mailbox_ids }), 'mailbox_ids');
  });

  test('with a name reserved for the operator of the hosted domain', async () => {
    const mailbox_ids = [await addMailbox(api.project)];
    for (const local_part of ['Postmaster', 'abuse', 'ａdmin'])
      assertRefused(
        await api.project.client.post('/v1/aliases', { domain_id: hostedId, local_part, mailbox_ids }),
        'local_part',
      );
    await create(api.project, { domain_id: await addDomain(api.project), local_part: 'abuse', mailbox_ids });
  });

  test('if the project already has 1,000 aliases', async () => {
    const project = await api.newProject('many aliases', 'paid');
    const mailbox = await newMailbox(api.db.database, { projectId: project.id });
    const domain_id = await addDomain(project);
    const body = { domain_id, local_part: 'last', mailbox_ids: [encodeId('mbx', mailbox.mailboxId)] };
    const id = await newAlias(api.db.database, 'n', [mailbox]);
    const { domainId, domain } = await api.db.database
      .selectFrom('aliases')
      .select(['domainId', 'domain'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 998 }, (_, n) => ({
      projectId: project.id,
      id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
      domainId,
      domain,
      localPart: `n${n}`,
      localPartKey: `n${n}`,
      createdAt: new Date(),
    }));
    await api.db.database.insertInto('aliases').values(rows).execute();
    const answers = await Promise.all(
      ['x', 'y', 'z'].map((local_part) => project.client.post('/v1/aliases', { ...body, local_part })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422]);
    for (const answer of answers)
      if (answer.status === 422) assertRefused(answer, 'local_part', 'plan-limit-exceeded');
  });
});

describe('an address', () => {
  test('belongs either to a mailbox or to an alias, in any spelling', async () => {
    const domain_id = await addDomain(api.project);
    const mailbox_ids = [await addMailbox(api.project)];
    const mailbox = { domain_id, password: 'long enough 😀' };
    const post = (path: string, body: Json) => api.project.client.post(`/v1/${path}`, body);
    assert.equal((await post('mailboxes', { ...mailbox, local_part: 'Ann' })).status, 201);
    await create(api.project, { domain_id, local_part: 'Straße', mailbox_ids });
    for (const local_part of ['ann', 'strasse']) {
      const alias = { domain_id, local_part, mailbox_ids };
      assertRefused(await post('aliases', alias), 'local_part', 'already-exists');
      assertRefused(await post('mailboxes', { ...mailbox, local_part }), 'local_part', 'already-exists');
    }
  });

  test('goes to only one of many mailboxes and aliases that two projects create concurrently', async () => {
    const wanting = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const project = n % 2 === 0 ? api.project : api.other;
        const body = { domain_id: hostedId, local_part: 'wanted' };
        return n % 4 < 2
          ? () => project.client.post('/v1/mailboxes', { ...body, password: 'long enough 😀' })
          : await addMailbox(project).then(
              (id) => () => project.client.post('/v1/aliases', { ...body, mailbox_ids: [id] }),
            );
      }),
    );
    const answers = await Promise.all(wanting.map((ask) => ask()));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 11);
    for (const answer of refused) assertRefused(answer, 'local_part', 'already-exists');
  });

  test('of the hosted domain can become an alias of one project while another project waits for a mailbox lock', async () => {
    const [held, free] = [await addMailbox(api.project), await addMailbox(api.other)];
    const aliasTo = (project: TestProject, local_part: string, mailbox: string) =>
      project.client.post('/v1/aliases', { domain_id: hostedId, local_part, mailbox_ids: [mailbox] });
    const { waiting, status } = await api.db.database.transaction().execute(async (tx) => {
      await sql`select from mailboxes where id = ${decodeId('mbx', held)} for update`.execute(tx);
      const waiting = aliasTo(api.project, 'waits', held);
      const blocked = sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update%'`;
      assert.ok(
        await eventually(async () => (await blocked.execute(api.db.database)).rows.length > 0, 5_000),
      );
      const answer = aliasTo(api.other, 'free', free).then(({ status }) => status);
      return { waiting, status: await within(5_000, answer, 0) };
    });
    assert.equal(status, 201);
    assert.equal((await waiting).status, 201);
  });

  test('of an alias cannot become a mailbox, even if an older version of the service inserts the row', async () => {
    const mailbox = await newMailbox(api.db.database);
    const aliasId = await newAlias(api.db.database, 'taken', [mailbox]);
    const insert = api.db.database
      .insertInto('mailboxes')
      .columns([
        'projectId',
        'id',
        'domainId',
        'domain',
        'localPart',
        'localPartKey',
        'isCatchAll',
        'quotaMb',
        'createdAt',
      ])
      .expression((eb) =>
        eb
          .selectFrom('aliases')
          .select(['projectId', 'id', 'domainId', 'domain', 'localPart', 'localPartKey'])
          .select((row) => [row.lit(false).as('isCatchAll'), row.lit(1).as('quotaMb'), 'createdAt'])
          .where('id', '=', aliasId),
      );
    await assert.rejects(insert.execute(), { code: '23505' });
  });

  test('prevents the deletion of its domain', async () => {
    const domain_id = await addDomain(api.project);
    const { id } = await create(api.project, {
      domain_id,
      local_part: 'held',
      mailbox_ids: [await addMailbox(api.project)],
    });
    const remove = () => api.project.client.delete<{ type: string }>(`/v1/domains/${domain_id}`);
    const refused = await remove();
    assert.deepEqual([refused.status, refused.body.type], [400, '/errors/domain-in-use']);
    await api.project.client.delete(`/v1/aliases/${id}`);
    assert.equal((await remove()).status, 204);
  });
});

describe('isolation', () => {
  test('an alias of another project gets the same response bytes as an unknown alias, and stays unchanged', async () => {
    const foreign = await create(api.other, {
      domain_id: await addDomain(api.other),
      local_part: 'foreign',
      mailbox_ids: [await addMailbox(api.other)],
    });
    const own = await addMailbox(api.project);
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { mailbox_ids: [own] }],
      ['PATCH', undefined],
      ['DELETE', undefined],
    ] as const) {
      const answers = [];
      for (const id of [UNKNOWN, foreign.id, foreign.id.toLowerCase(), 'x', '%00']) {
        const answer = await api.project.client.request<Json>(method, `/v1/aliases/${id}`, { body });
        assert.equal(answer.status, 404);
        answers.push(answer.text.replace(String(answer.body['instance']), ''));
      }
      assert.equal(new Set(answers).size, 1);
    }
    assert.deepEqual((await api.other.client.get(`/v1/aliases/${foreign.id}`)).body, foreign);
  });

  test('operations on aliases require a mailboxes scope', async () => {
    const reader = await api.project.clientWith(['mailboxes:read']);
    const writer = await api.project.clientWith(['mailboxes:write']);
    assert.equal((await reader.get('/v1/aliases')).status, 200);
    assert.equal((await writer.get('/v1/aliases')).status, 403);
    assert.equal((await writer.delete(`/v1/aliases/${UNKNOWN}`)).status, 404);
    assert.equal((await reader.post('/v1/aliases', {})).status, 403);
    assert.equal((await reader.patch(`/v1/aliases/${UNKNOWN}`)).status, 403);
    assert.equal((await reader.delete(`/v1/aliases/${UNKNOWN}`)).status, 403);
  });

  test('a project cannot send from an alias of another project on the hosted domain', async () => {
    const mailbox_ids = [await addMailbox(api.other)];
    await create(api.other, { domain_id: hostedId, local_part: 'their-alias', mailbox_ids });
    const send = (project: TestProject, from: string) =>
      project.client.post('/v1/emails', { from, to: ['b@dst.test'], text: 'x' });
    for (const name of ['their-alias', 'THEIR-alias+tag', '"their-alias"'])
      assertRefused(await send(api.project, `${name}@${HOSTED_DOMAIN}`), 'from');
    assert.equal((await send(api.other, `their-alias@${HOSTED_DOMAIN}`)).status, 202);
  });
});
