import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { anyText } from '../../../../../test/support/any-text.ts';
import { HOSTED_DOMAIN, startRealApi, type TestProject } from '../../../../../test/support/api.ts';
import type { ApiClient } from '../../../../../test/support/api-client.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import type { Domain, DomainList } from '../../../../contract/domains.ts';
import type { Database, DatabaseTransaction } from '../../../../db/database.ts';
import { parseDomainName } from '../../../../domains/domain-name.ts';
import { decodeId, encodeId, newUuid, timeOf } from '../../../../model/ids.ts';
import type { Plan } from '../../../../model/plans.ts';
import type { Problem } from '../../../../contract/problem.ts';

const api = await startRealApi();
after(() => api[Symbol.asyncDispose]());
const { database } = api.db;

const newProject = (plan: Plan = 'paid') => api.newProject(`project ${newUuid()}`, plan);
const newName = () => `acme-${newUuid().slice(-12)}.example`;

async function add(client: ApiClient, domain = newName()): Promise<Domain> {
  const { status, body } = await client.post<Domain>('/v1/domains', { domain });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

async function list(client: ApiClient): Promise<Domain[]> {
  return (await client.get<DomainList>('/v1/domains')).body.data;
}

/** Inserts claims directly, without generating their keys. */
async function insertClaims(projectId: string, count: number): Promise<void> {
  await database
    .insertInto('domains')
    .values(
      Array.from({ length: count }, () => ({
        projectId,
        id: newUuid(),
        name: newName(),
        status: 'pending' as const,
        createdAt: new Date(),
        verifiedAt: null,
      })),
    )
    .execute();
}

async function insertMailbox(
  projectId: string,
  domainId: string,
  tx: Database | DatabaseTransaction = database,
): Promise<void> {
  await tx
    .insertInto('mailboxes')
    .values({
      projectId,
      id: newUuid(),
      domainId,
      domain: 'any.example',
      displayName: null,
      passwordHash: null,
      localPart: 'me',
      localPartKey: 'me',
      isCatchAll: false,
      quotaMb: 1,
      dailySendLimit: null,
      spamLevel: null,
      replyTo: null,
      signatureHtml: null,
      createdAt: new Date(),
    })
    .execute();
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
  return rows[0]?.count ?? 0;
}

const uuidOf = ({ id }: Domain) => decodeId('dom', id) ?? '';

describe('adding a domain', () => {
  test('returns the domain with the records to publish, and later requests return the same', async () => {
    const { client } = await newProject();
    const name = newName();
    const added = await add(client, name);
    const { records, id, ...rest } = added;
    assert.deepEqual(rest, {
      domain: name,
      region: null,
      created_at: timeOf(uuidOf(added)).toISOString(),
      is_hosted: false,
      status: 'pending',
      spf_verified: false,
      dkim_verified: false,
      mail_from_verified: false,
      dmarc_verified: false,
      verified_at: null,
      last_checked_at: null,
    });
    assert.deepEqual(
      records.map(({ record, status, found, error }) => [record, status, found, error]),
      ['DKIM', 'MAIL_FROM', 'SPF', 'DMARC', 'MX'].map((record) => [record, 'pending', [], null]),
    );
    assert.match(records[0]?.name ?? '', new RegExp(`^ph[0-9a-z]{8}\\._domainkey\\.${name}$`));
    assert.match(records[0]?.value ?? '', /^v=DKIM1; k=rsa; p=MIIBIjAN[\w+/]+IDAQAB$/);
    assert.deepEqual((await client.get(`/v1/domains/${id}`)).body, added);
    assert.deepEqual((await list(client))[1], added);
  });

  test('stores the private key sealed, and never returns the private key', async () => {
    const { client, id: projectId } = await newProject();
    const added = await add(client);
    const key = await database
      .selectFrom('dkimKeys')
      .selectAll()
      .where('projectId', '=', projectId)
      .executeTakeFirstOrThrow();
    assert.match(key.privateKeySealed, /^v1\./);
    assert.ok(!JSON.stringify(added).includes(key.privateKeySealed.slice(-40)));
  });

  test('returns the normalized name and the requested region', async () => {
    const { client } = await newProject();
    const given = { domain: 'Bücher.Example', region: ' EU-West ' };
    const { body } = await client.post<Domain>('/v1/domains', given);
    assert.equal(body.domain, 'xn--bcher-kva.example');
    assert.equal(body.region, ' EU-West ');
  });

  test('that another project also has creates a separate key for it', async () => {
    const [one, two] = [await newProject(), await newProject()];
    const name = newName();
    const [first, second] = [await add(one.client, name), await add(two.client, name)];
    assert.notEqual(first.records[0]?.name, second.records[0]?.name);
    assert.notEqual(first.records[0]?.value, second.records[0]?.value);
  });

  const refused: [domain: unknown, why: RegExp][] = [
    [HOSTED_DOMAIN, /hosted domain/],
    [`sub.${HOSTED_DOMAIN}`, /hosted domain/],
    ['co.uk', /public suffix/],
    ['github.io', /public suffix/],
    ['localhost', /has no dot/],
    ['192.0.2.1', /number/],
    ['acme.example.', /dot/],
    ['', /1 character|empty|shorter/],
    ['a'.repeat(254), /./],
    [42, /string/],
    [null, /string/],
    [['acme.example'], /string/],
  ];
  for (const [domain, why] of refused) {
    test(`rejects ${JSON.stringify(domain)?.slice(0, 40)}`, async () => {
      const { status, body } = await api.project.client.post<Problem>('/v1/domains', { domain });
      assert.equal(status, 422);
      assert.equal(body.type, '/errors/validation-failed');
      assert.match(body.errors?.['domain'] ?? '', why);
    });
  }

  test('rejects a missing domain, an unknown field and an invalid region', async () => {
    const { client } = api.project;
    const errorsOf = async (body: unknown) =>
      Object.keys((await client.post<Problem>('/v1/domains', body)).body.errors ?? {});
    assert.deepEqual(await errorsOf({}), ['domain']);
    assert.deepEqual(await errorsOf({ domain: newName(), verified: true }), ['verified']);
    for (const region of [7, null, '', 'x'.repeat(65)]) {
      assert.deepEqual(await errorsOf({ domain: newName(), region }), ['region']);
    }
  });

  test('twice to the same project is rejected, in any spelling', async () => {
    const { client } = await newProject();
    const name = newName();
    await add(client, name);
    const { status, body } = await client.post<Problem>('/v1/domains', { domain: name.toUpperCase() });
    assert.equal(status, 422);
    assert.equal(body.type, '/errors/already-exists');
    assert.deepEqual(Object.keys(body.errors ?? {}), ['domain']);
  });

  test('twenty times concurrently adds the domain once', async () => {
    const { client } = await newProject();
    const domain = newName();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post<Problem>('/v1/domains', { domain })),
    );
    const types = answers.filter(({ status }) => status !== 201).map(({ body }) => body.type);
    assert.deepEqual(
      types,
      Array.from({ length: 19 }, () => '/errors/already-exists'),
    );
  });
});

describe('the plan', () => {
  async function race(project: TestProject, requests: number) {
    const answers = await Promise.all(
      Array.from({ length: requests }, () =>
        project.client.post<Problem>('/v1/domains', { domain: newName() }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { status, body } of refused) {
      assert.equal(status, 422);
      assert.equal(body.type, '/errors/plan-limit-exceeded');
      assert.match(body.detail ?? '', /allows (1 domain|50 domains) of your own\./);
      assert.deepEqual(Object.keys(body.errors ?? {}), ['domain']);
    }
    return answers.length - refused.length;
  }

  test('free allows one domain, even with 200 concurrent requests', async () => {
    const project = await newProject('free');
    assert.equal(await race(project, 200), 1);
    assert.equal((await list(project.client)).filter(({ is_hosted }) => !is_hosted).length, 1);
  });

  test('paid allows 50 domains, even with 200 concurrent requests', async () => {
    const project = await newProject('paid');
    await insertClaims(project.id, 47);
    assert.equal(await race(project, 200), 3);
    assert.equal((await list(project.client)).filter(({ is_hosted }) => !is_hosted).length, 50);
  });

  test('allows another domain after a domain was removed', async () => {
    const { client } = await newProject('free');
    const { id } = await add(client);
    assert.equal((await client.delete(`/v1/domains/${id}`)).status, 204);
    await add(client);
  });
});

describe('the hosted domain', () => {
  async function hosted(client: ApiClient): Promise<Domain> {
    const [first] = await list(client);
    assert.ok(first?.is_hosted);
    return first;
  }

  test('is the first in the list of every project, and verified', async () => {
    const { client } = await newProject();
    const domain = await hosted(client);
    assert.equal(domain.domain, HOSTED_DOMAIN);
    assert.equal(domain.status, 'verified');
    assert.ok(domain.spf_verified && domain.dkim_verified && domain.mail_from_verified);
    assert.deepEqual(domain.records, []);
    assert.deepEqual(domain, await hosted(api.other.client));
  });

  test('can be fetched, and verifying it has no effect', async () => {
    const domain = await hosted(api.project.client);
    assert.deepEqual((await api.project.client.get(`/v1/domains/${domain.id}`)).body, domain);
    const { status, body } = await api.project.client.post(`/v1/domains/${domain.id}/verify`);
    assert.equal(status, 200);
    assert.deepEqual(body, domain);
  });

  test('cannot be removed', async () => {
    const { id } = await hosted(api.project.client);
    const { status, body } = await api.project.client.delete<Problem>(`/v1/domains/${id}`);
    assert.equal(status, 400);
    assert.equal(body.type, '/errors/hosted-domain-protected');
    assert.equal((await hosted(api.other.client)).id, id);
  });
});

describe('removing a domain', () => {
  test('deletes the domain and its keys', async () => {
    const { client, id: projectId } = await newProject();
    const { id } = await add(client);
    const answer = await client.delete(`/v1/domains/${id}`);
    assert.equal(answer.status, 204);
    assert.equal(answer.text, '');
    assert.equal((await client.get(`/v1/domains/${id}`)).status, 404);
    assert.equal((await client.delete(`/v1/domains/${id}`)).status, 404);
    const keys = await database
      .selectFrom('dkimKeys')
      .select('selector')
      .where('projectId', '=', projectId)
      .execute();
    assert.deepEqual(keys, []);
  });

  test('is rejected while the domain has mailboxes', async () => {
    const { client, id: projectId } = await newProject();
    const domain = await add(client);
    await insertMailbox(projectId, uuidOf(domain));
    const { status, body } = await client.delete<Problem>(`/v1/domains/${domain.id}`);
    assert.equal(status, 400);
    assert.equal(body.type, '/errors/domain-in-use');
    await database.deleteFrom('mailboxes').where('projectId', '=', projectId).execute();
    assert.equal((await client.delete(`/v1/domains/${domain.id}`)).status, 204);
  });

  test('waits for a mailbox that is being created on the domain, and is then rejected', async () => {
    const { client, id: projectId } = await newProject();
    const domain = await add(client);
    const { removing } = await database.transaction().execute(async (tx) => {
      await tx
        .selectFrom('domains')
        .select('id')
        .where('projectId', '=', projectId)
        .where('id', '=', uuidOf(domain))
        .forKeyShare()
        .execute();
      const answer = client.delete<Problem>(`/v1/domains/${domain.id}`);
      assert.ok(await eventually(async () => (await waitingForLocks()) === 1, 5_000));
      await insertMailbox(projectId, uuidOf(domain), tx);
      return { removing: answer };
    });
    assert.equal((await removing).body.type, '/errors/domain-in-use');
  });
});

describe('a domain of another project', () => {
  const operations: [
    name: string,
    run: (client: ApiClient, id: string) => Promise<{ status: number; body: unknown }>,
  ][] = [
    ['fetched', (client, id) => client.get(`/v1/domains/${id}`)],
    ['removed', (client, id) => client.delete(`/v1/domains/${id}`)],
    ['verified', (client, id) => client.post(`/v1/domains/${id}/verify`)],
  ];
  for (const [name, run] of operations) {
    test(`cannot be ${name} and is reported as unknown`, async () => {
      const { id } = await add(api.project.client);
      const bodies = await Promise.all(
        [id, encodeId('dom', newUuid()), 'dom_', 'nothing', id.toLowerCase()].map(async (asked) => {
          const { status, body } = await run(api.other.client, asked);
          assert.equal(status, 404);
          return JSON.stringify({ ...(body as Problem), instance: null });
        }),
      );
      assert.equal(new Set(bodies).size, 1);
      assert.equal((await api.project.client.get(`/v1/domains/${id}`)).status, 200);
    });
  }

  test('is not in the list of domains', async () => {
    const { id } = await add(api.project.client);
    assert.ok(!(await list(api.other.client)).some((domain) => domain.id === id));
  });
});

describe('the scopes', () => {
  test('domains:read allows listing and fetching, but no changes', async () => {
    const { id } = await add(api.project.client);
    const reader = await api.project.clientWith(['domains:read']);
    assert.equal((await reader.get(`/v1/domains/${id}`)).status, 200);
    assert.equal((await reader.get('/v1/domains')).status, 200);
    for (const answer of [
      await reader.post<Problem>('/v1/domains', { domain: newName() }),
      await reader.post<Problem>(`/v1/domains/${id}/verify`),
      await reader.delete<Problem>(`/v1/domains/${id}`),
    ]) {
      assert.equal(answer.status, 403);
      assert.equal(answer.body.required_scope, 'domains:write');
    }
  });

  test('domains:write does not allow listing', async () => {
    const writer = await api.project.clientWith(['domains:write']);
    assert.equal((await writer.get('/v1/domains')).status, 403);
  });
});

test('a domain with any name and region is either stored, with the name in normal form, or rejected with field errors', async () => {
  const { client } = await newProject();
  const text = anyText({ maxLength: 80 });
  const body = fc.record(
    {
      domain: fc.oneof(
        { weight: 4, arbitrary: text },
        { weight: 2, arbitrary: fc.domain() },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      region: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() }),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const answer = await client.post<Domain & Pick<Problem, 'errors'>>('/v1/domains', sent);
      if (answer.status !== 201) {
        assert.equal(answer.status, 422, answer.text);
        assert.ok(Object.keys(answer.body.errors ?? {}).length > 0);
        return;
      }
      const { body: stored } = await client.get<Domain>(`/v1/domains/${answer.body.id}`);
      assert.equal(stored.domain, parseDomainName(String(sent.domain), HOSTED_DOMAIN));
      assert.equal(stored.region, sent.region ?? null);
      await client.delete(`/v1/domains/${stored.id}`);
    }),
    { numRuns: 150 },
  );
});
