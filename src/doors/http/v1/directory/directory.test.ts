import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { anyText } from '../../../../../test/support/any-text.ts';
import { type RealApi, startRealApi, type TestProject } from '../../../../../test/support/api.ts';
import type { DirectoryList, Person } from '../../../../contract/directory.ts';
import { Directory, MAX_PEOPLE } from '../../../../directory/directory.ts';
import { addMember, renameMember } from '../../../../directory/members.ts';
import { shareDirectory, unshareDirectory } from '../../../../directory/shares.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId, encodeId, newUuid } from '../../../../model/ids.ts';
import { parseMailbox } from '../../../../rfc/address/index.ts';

type Json = Record<string, unknown>;
interface Problem {
  type: string;
  detail: string;
  instance: string;
  errors: Record<string, string>;
}

const UNKNOWN = `per_${'0'.repeat(26)}`;
let api: RealApi;
let projects = 0;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

/** A project with an empty directory. */
const newProject = () => api.newProject(`project ${++projects}`, 'paid');

async function add(project: TestProject, person: Json): Promise<Person> {
  const { status, body } = await project.client.post<Person>('/v1/directory', person);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

async function refused(project: TestProject, person: Json): Promise<Problem> {
  const { status, body } = await project.client.post<Problem>('/v1/directory', person);
  assert.equal(status, 422);
  return body;
}

async function list(project: TestProject): Promise<DirectoryList> {
  const { status, body } = await project.client.get<DirectoryList>('/v1/directory');
  assert.equal(status, 200);
  return body;
}

const namesOf = ({ people }: DirectoryList) => people.map(({ name }) => name);

/** @returns the uuid of a new mailbox, which is a member of the directory */
async function newMember(project: TestProject, name: string): Promise<string> {
  const mailboxId = newUuid();
  await api.db.database.transaction().execute(async (tx) => {
    await tx
      .insertInto('mailboxes')
      .values({
        projectId: project.id,
        id: mailboxId,
        domainId: newUuid(),
        domain: 'acme.example',
        localPart: mailboxId,
        localPartKey: mailboxId,
        displayName: name,
        passwordHash: null,
        isCatchAll: false,
        quotaMb: 1024,
        dailySendLimit: null,
        spamLevel: null,
        replyTo: null,
        signatureHtml: null,
        createdAt: new Date(),
      })
      .execute();
    await addMember(tx, project.id, { mailboxId, name, email: `${mailboxId}@acme.example` });
  });
  return mailboxId;
}

describe('adding a person', () => {
  test('returns the person as the list shows it', async () => {
    const project = await newProject();
    const sent = {
      name: 'Ada Lovelace',
      email: 'Ada@ACME.example',
      title: 'Analyst',
      organization: '',
      notes: 'a\nb',
    };
    const { id, created_at, ...person } = await add(project, sent);
    assert.deepEqual(person, { ...sent, source: 'manual', project_id: encodeId('prj', project.id) });
    const { people } = await list(project);
    assert.deepEqual(people, [{ id, created_at, ...person }]);
  });

  test('stores null for omitted fields', async () => {
    const person = await add(await newProject(), { name: 'Ada', email: 'ada@acme.example' });
    assert.partialDeepStrictEqual(person, { title: null, organization: null, notes: null });
  });

  const wrong: [what: string, change: Json, field: string, message: RegExp][] = [
    ['no name', { name: undefined }, 'name', /is required/],
    ['an empty name', { name: '' }, 'name', /empty|at least/],
    ['a blank name', { name: ' \u3000' }, 'name', /blank/],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, 'name', /at most 200/],
    ['a name with a line break', { name: 'Ada\r\nBcc: x@y.example' }, 'name', /line breaks/],
    ['a name with another line break', { name: 'Ada\u2028' }, 'name', /line breaks/],
    ['no email', { email: undefined }, 'email', /is required/],
    ['an invalid email', { email: 'ada' }, 'email', /no @/],
    ['an email with a name', { email: 'Ada <ada@acme.example>' }, 'email', /only an address/],
    ['an email in brackets', { email: '<ada@acme.example>' }, 'email', /only an address/],
    ['an email with a line break', { email: 'ada@acme.example\n' }, 'email', /line break/],
    ['two emails', { email: 'a@acme.example,b@acme.example' }, 'email', /one address/],
    ['a title of 201 characters', { title: 'a'.repeat(201) }, 'title', /at most 200/],
    ['notes of 2001 characters', { notes: 'a'.repeat(2_001) }, 'notes', /at most 2000/],
    ['a title that is not a string', { title: null }, 'title', /must be a string/],
    ['an unknown field', { phone: '1' }, 'phone', /unknown field/],
  ];
  for (const [what, change, field, message] of wrong) {
    test(`rejects ${what}`, async () => {
      const problem = await refused(api.project, { name: 'Ada', email: 'ada@acme.example', ...change });
      assert.equal(problem.type, '/errors/validation-failed');
      assert.match(problem.errors[field] ?? '', message);
    });
  }

  test('reports all invalid fields at once', async () => {
    const { errors } = await refused(api.project, { name: ' ', email: 'x' });
    assert.deepEqual(Object.keys(errors), ['name', 'email']);
  });

  test('rejects the address of a person who was already added, in any spelling', async () => {
    const project = await newProject();
    await add(project, { name: 'Jörg', email: 'jörg@büro.example' });
    for (const email of ['jörg@büro.example', 'JÖRG@xn--bro-hoa.example', '"jo\u0308rg"@BÜRO.example']) {
      const problem = await refused(project, { name: 'Someone else', email });
      assert.equal(problem.type, '/errors/already-exists');
      assert.deepEqual(Object.keys(problem.errors), ['email']);
    }
    await add(await newProject(), { name: 'Jörg', email: 'jörg@büro.example' });
  });

  test('many times at once with the same address adds only one person', async () => {
    const project = await newProject();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        project.client.post('/v1/directory', { name: 'Ada', email: 'ada@acme.example' }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 422).length, 19);
    assert.equal((await list(project)).people.length, 1);
  });

  test('concurrently adds exactly as many people as the limit allows', async () => {
    const { database } = api.db;
    const directory = new Directory(database);
    // Several rounds, because it is random whether two requests race for the last slot.
    for (let round = 0; round < 5; round++) {
      const project = await newProject();
      await sql`
        insert into people (project_id, id, name, email, email_key, created_at)
        select ${project.id}, gen_random_uuid(), 'Bob', n || '@b.example', n || '@b.example', now()
        from generate_series(1, ${MAX_PEOPLE - 3}::int) as n`.execute(database);
      const added = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          directory.add(project.id, { name: 'Ada', email: `ada${n}@acme.example` }),
        ),
      );
      for (const result of added) {
        if (result.status === 'fulfilled') continue;
        assert.ok(result.reason instanceof AppError && result.reason.code === 'plan-limit-exceeded');
      }
      assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 3);
    }
  });

  test('stores any input unchanged, or rejects it and names the field', async () => {
    const project = await newProject();
    const often = <A, B>(common: fc.Arbitrary<A>, rare: fc.Arbitrary<B>) =>
      fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: rare });
    const odd = fc.oneof(
      anyText({ maxLength: 8 }),
      fc.constantFrom('', ' ', '\n', '\0', 'a'.repeat(201), 'a'.repeat(2_001)),
      fc.jsonValue(),
    );
    const text = often(fc.string({ unit: 'grapheme' }), odd);
    const local = often(fc.uuid(), fc.string({ unit: fc.constantFrom(...'aAbB.+-_ü"\\ @<') }));
    const domain = often(fc.constantFrom('acme.example', 'BÜRO.example', '[192.0.2.1]'), fc.constant('-'));
    const email = often(
      fc.tuple(local, domain).map((parts) => parts.join('@')),
      odd,
    );
    const person = fc.record(
      { name: text, email, title: text, organization: text, notes: text },
      { requiredKeys: ['name', 'email'] },
    );
    await fc.assert(
      fc.asyncProperty(person, async (sent) => {
        const { status, body } = await project.client.post<Person & Problem>('/v1/directory', sent);
        if (status === 422) {
          assert.ok(Object.keys(body.errors).every((field) => field in sent));
          return;
        }
        assert.equal(status, 201);
        assert.ok(!('error' in parseMailbox(String(sent.email))));
        const row = await api.db.database
          .selectFrom('people')
          .select(['name', 'email', 'title', 'organization', 'notes'])
          .where('id', '=', decodeId('per', body.id))
          .executeTakeFirstOrThrow();
        assert.deepEqual({ ...row }, { title: null, organization: null, notes: null, ...sent });
      }),
      { numRuns: 150 },
    );
  });
});

describe('the list', () => {
  test('is sorted by name and then by creation, and does not contain shared people', async () => {
    const project = await newProject();
    assert.deepEqual(await list(project), { people: [], shares: { inbound: [], outbound: [] } });
    const sent = ['Zoë', 'ada', 'Ångström', 'Ada', 'Ada', 'Bob'];
    for (const [n, name] of sent.entries())
      await add(project, { name, email: `p${n}@acme.example`, title: `${n}` });
    const { people } = await list(project);
    assert.deepEqual(
      people.map(({ name, title }) => `${name} ${title}`),
      ['ada 1', 'Ada 3', 'Ada 4', 'Ångström 2', 'Bob 5', 'Zoë 0'],
    );
  });

  test('rejects a person whose address is that of a member with a mailbox', async () => {
    const mailboxId = await newMember(api.project, 'sales');
    const { status, body } = await api.project.client.post<{ type: string }>('/v1/directory', {
      name: 'Sales',
      email: `${mailboxId}@acme.example`,
    });
    assert.deepEqual([status, body.type], [422, '/errors/already-exists']);
  });

  test('contains the members of mailboxes; a member is renamed and deleted with the mailbox', async () => {
    const project = await newProject();
    const { database } = api.db;
    const mailboxId = await newMember(project, 'support');
    const { people } = await list(project);
    assert.partialDeepStrictEqual(people, [
      { name: 'support', email: `${mailboxId}@acme.example`, source: 'mailbox' },
    ]);
    await database.transaction().execute((tx) => renameMember(tx, project.id, mailboxId, 'Customer support'));
    assert.deepEqual(namesOf(await list(project)), ['Customer support']);
    await database.deleteFrom('mailboxes').where('id', '=', mailboxId).execute();
    assert.deepEqual(namesOf(await list(project)), []);
  });

  test('contains no people from other projects', async () => {
    await add(await newProject(), { name: 'Ada', email: 'ada@acme.example' });
    assert.deepEqual((await list(await newProject())).people, []);
  });
});

describe('removing a person', () => {
  test('removes the person from the list, and a second removal returns 404', async () => {
    const project = await newProject();
    const { id } = await add(project, { name: 'Ada', email: 'ada@acme.example' });
    const { status, text } = await project.client.delete(`/v1/directory/${id}`);
    assert.deepEqual([status, text], [204, '']);
    assert.deepEqual((await list(project)).people, []);
    assert.equal((await project.client.delete(`/v1/directory/${id}`)).status, 404);
    await add(project, { name: 'Ada', email: 'ada@acme.example' });
  });

  test('is rejected for the member of a mailbox', async () => {
    const project = await newProject();
    await newMember(project, 'support');
    const [member] = (await list(project)).people;
    const { status, body } = await project.client.delete<Problem>(`/v1/directory/${member?.id}`);
    assert.deepEqual([status, body.type], [400, '/errors/synced-member-protected']);
    assert.equal((await list(project)).people.length, 1);
  });

  test('reports people of other projects as unknown, whether shared or not', async () => {
    const owner = await newProject();
    const project = await newProject();
    const { id } = await add(owner, { name: 'Ada', email: 'ada@acme.example' });
    await newMember(owner, 'support');
    await shareDirectory(api.db.database, owner.id, project.id);
    const member = (await list(owner)).people.find(({ source }) => source === 'mailbox');
    const answerOf = async (client: TestProject, personId: string) => {
      const { status, body } = await client.client.delete<Problem>(`/v1/directory/${personId}`);
      return { status, body: { ...body, instance: '' } };
    };
    const unknown = await answerOf(project, UNKNOWN);
    assert.equal(unknown.status, 404);
    for (const asked of [id, String(member?.id), 'x', `mbx_${id.slice(4)}`, id.toLowerCase(), '%00']) {
      assert.deepEqual(await answerOf(project, asked), unknown, asked);
    }
    assert.deepEqual(await answerOf(await newProject(), id), unknown);
    assert.equal((await list(owner)).people.length, 2);
  });
});

describe('a share', () => {
  test('shows the people of a project to another project, and the share to both projects', async () => {
    const [first, owner, reader] = [await newProject(), await newProject(), await newProject()];
    const { database } = api.db;
    await add(first, { name: 'Farther', email: 'farther@acme.example' });
    await shareDirectory(database, first.id, owner.id);
    const ada = await add(owner, { name: 'Ada', email: 'ada@acme.example' });
    await newMember(owner, 'support');
    await add(reader, { name: 'Bob', email: 'ada@acme.example' });
    const id = await shareDirectory(database, owner.id, reader.id);
    assert.match(id, /^shr_/);

    const seen = await list(reader);
    assert.deepEqual(
      seen.people.map(({ name, source, project_id }) => [name, source, project_id]),
      [
        ['Ada', 'shared', encodeId('prj', owner.id)],
        ['Bob', 'manual', encodeId('prj', reader.id)],
        ['support', 'shared', encodeId('prj', owner.id)],
      ],
    );
    assert.equal(seen.people[0]?.id, ada.id);
    const [inbound] = seen.shares.inbound;
    assert.partialDeepStrictEqual(inbound, {
      id,
      project_id: encodeId('prj', owner.id),
      project_name: owner.name,
      people_count: 2,
    });
    assert.deepEqual(seen.shares.outbound, []);

    const given = await list(owner);
    assert.deepEqual(namesOf(given), ['Ada', 'Farther', 'support']);
    assert.partialDeepStrictEqual(given.shares, {
      inbound: [{ project_name: first.name, people_count: 1 }],
      outbound: [{ id, project_id: encodeId('prj', reader.id), project_name: reader.name, people_count: 2 }],
    });
  });

  test('ends for both projects and can be created again', async () => {
    const [owner, reader] = [await newProject(), await newProject()];
    const { database } = api.db;
    await add(owner, { name: 'Ada', email: 'ada@acme.example' });
    await shareDirectory(database, owner.id, reader.id);
    assert.equal(await unshareDirectory(database, reader.id, { toProjectId: owner.id }), false);
    assert.equal(await unshareDirectory(database, owner.id, { toProjectId: reader.id }), true);
    assert.equal(await unshareDirectory(database, owner.id, { toProjectId: reader.id }), false);
    assert.deepEqual(await list(reader), { people: [], shares: { inbound: [], outbound: [] } });
    assert.deepEqual((await list(owner)).shares, { inbound: [], outbound: [] });
    await shareDirectory(database, owner.id, reader.id);
  });

  test('can be created only once, only within one organization, and not with the project itself', async () => {
    const [owner, reader] = [await newProject(), await newProject()];
    const { database } = api.db;
    const organizationId = newUuid();
    const strangerId = newUuid();
    await database
      .insertInto('organizations')
      .values({ id: organizationId, name: 'stranger', createdAt: new Date() })
      .execute();
    await database
      .insertInto('projects')
      .values({ id: strangerId, organizationId, name: 'stranger', plan: 'paid', createdAt: new Date() })
      .execute();
    await shareDirectory(database, owner.id, reader.id);
    const cases: [toProjectId: string, code: string, message: RegExp][] = [
      [reader.id, 'already-exists', /already/],
      [owner.id, 'validation-failed', /another project/],
      [strangerId, 'validation-failed', /another organization/],
    ];
    for (const [toProjectId, code, message] of cases) {
      await assert.rejects(shareDirectory(database, owner.id, toProjectId), (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, code);
        assert.match(error.errors?.['to'] ?? '', message);
        return true;
      });
    }
    await shareDirectory(database, reader.id, owner.id);
  });
});

test('each operation on the directory requires its scope', async () => {
  const reads = await api.project.clientWith(['directory:read']);
  const writes = await api.project.clientWith(['directory:write']);
  assert.equal((await reads.get('/v1/directory')).status, 200);
  assert.equal((await writes.get('/v1/directory')).status, 403);
  assert.equal((await reads.post('/v1/directory', {})).status, 403);
  assert.equal((await writes.post('/v1/directory', {})).status, 422);
  assert.equal((await reads.delete(`/v1/directory/${UNKNOWN}`)).status, 403);
  assert.equal((await writes.delete(`/v1/directory/${UNKNOWN}`)).status, 404);
});
