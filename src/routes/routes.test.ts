import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newMailbox } from '../../test/support/mail.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { newRoute } from '../../test/support/routes.ts';
import type { CreateRoute } from '../contract/routes.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { Aliases } from '../mailboxes/aliases.ts';
import { findLocal } from '../mailboxes/local-addresses.ts';
import { HostedAddresses } from '../mailboxes/hosted-addresses.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId, encodeId, newUuid } from '../model/ids.ts';
import { Router } from '../receiving/route/router.ts';
import { setApiAccess } from './api-access.ts';
import { Routes } from './routes.ts';
import { openRouteSecrets } from './secrets.ts';

const HOSTED = 'posthorn.example';
const db = await sealedDatabase();
after(() => db[Symbol.asyncDispose]());
const { database, sealer } = db;
const options = { database, hostedDomain: HOSTED };
const routes = new Routes({ ...options, sealer, environment: 'production' });
const mailboxes = new Mailboxes(options);
const aliases = new Aliases(options);
const URL_ = 'https://hooks.acme.example/in';
let projectId: string;
let otherId: string;
let hostedId: string;
let domainId: string;
let domain: string;

before(async () => {
  projectId = await newProject(database);
  otherId = await newProject(database);
  hostedId = encodeId('dom', await newDomain(database, HOSTED_PROJECT_ID, HOSTED));
  domain = `${newUuid().slice(-12)}.example`;
  const verified = { status: 'verified', verifiedAt: new Date() } as const;
  domainId = encodeId('dom', await newDomain(database, projectId, domain, verified));
});

/** A router without a cache. */
const routed = async (address: string) => {
  const router = new Router({
    database,
    hostname: 'mx.posthorn.example',
    postmaster: null,
    hostedDomain: HOSTED,
    trustsManualVerification: false,
    mxWatch: { current: (_, known) => known, ownHosts: [] },
  });
  const route = await router.route(address);
  if (!('deliveries' in route)) return 'refusal' in route ? route.refusal : 'operators';
  return {
    mailboxes: route.deliveries.map(({ mailbox }) => encodeId('mbx', mailbox.mailboxId)),
    routes: (route.routes ?? []).map(({ routeId }) => encodeId('rt', routeId)),
  };
};

const rejectedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
const on = (localPart: string, fields: Partial<CreateRoute> = {}): CreateRoute => ({
  domain_id: domainId,
  local_part: localPart,
  url: URL_,
  ...fields,
});

describe('a route on an address', () => {
  test('gets the mail of the address and of its tagged forms', async () => {
    const { id, secret, ...route } = await routes.create(projectId, on('Orders'));
    assert.match(secret, /^whsec_/);
    assert.partialDeepStrictEqual(route, {
      matches: 'address',
      address: `Orders@${domain}`,
      format: 'json',
      url: URL_,
    });
    for (const address of [`orders@${domain}`, `ORDERS+4711@${domain}`])
      assert.deepEqual(await routed(address), { mailboxes: [], routes: [id] });
    assert.equal(await routed(`other@${domain}`), 'noSuchRecipient');
  });

  test('owns the address: no mailbox, alias or other route can have it', async () => {
    await routes.create(projectId, on('owned'));
    const [mailbox] = [await newMailbox(database, { projectId })];
    const body = { domain_id: domainId, local_part: 'OWNED', quota_mb: 1 };
    const mailboxIds = [encodeId('mbx', mailbox.mailboxId)];
    await assert.rejects(mailboxes.create(projectId, body), rejectedWith('already-exists'));
    await assert.rejects(
      aliases.create(projectId, { ...body, mailbox_ids: mailboxIds }),
      rejectedWith('already-exists'),
    );
    await assert.rejects(routes.create(projectId, on('owned')), rejectedWith('already-exists'));
    await mailboxes.create(projectId, { ...body, local_part: 'person' });
    await assert.rejects(routes.create(projectId, on('person')), rejectedWith('already-exists'));
  });

  test('that is created at the same time as a mailbox or an alias with the address exists alone', async () => {
    const target = encodeId('mbx', (await newMailbox(database, { projectId })).mailboxId);
    for (let run = 0; run < 5; run++) {
      const local_part = `race${run}`;
      const results = await Promise.allSettled([
        routes.create(projectId, on(local_part)),
        mailboxes.create(projectId, { domain_id: domainId, local_part, quota_mb: 1 }),
        aliases.create(projectId, { domain_id: domainId, local_part, mailbox_ids: [target] }),
        routes.create(projectId, on(local_part)),
      ]);
      assert.deepEqual(results.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const result of results)
        if (result.status === 'rejected')
          assert.ok(rejectedWith('already-exists')(result.reason), String(result.reason));
    }
  });

  test('on the hosted domain never passes to another project', async () => {
    const body = on('shop', { domain_id: hostedId });
    const { id } = await routes.create(projectId, body);
    assert.equal(await new HostedAddresses(database, HOSTED).ownerOf('shop'), projectId);
    await assert.rejects(routes.create(otherId, body), rejectedWith('already-exists'));
    assert.equal(await routes.delete(projectId, decodeId('rt', id) ?? ''), true);
    await assert.rejects(routes.create(otherId, body), rejectedWith('already-exists'));
    await assert.rejects(
      mailboxes.create(otherId, { domain_id: hostedId, local_part: 'shop', quota_mb: 1 }),
      rejectedWith('already-exists'),
    );
    await routes.create(projectId, body);
  });

  test('is never reserved for the operator or the service', async () => {
    await database
      .insertInto('serviceSenders')
      .values({ domain, localPartKey: 'accounts', address: `accounts@${domain}` })
      .execute();
    for (const body of [
      on('accounts'),
      on('postmaster'),
      on('Abuse'),
      on('postmaster', { domain_id: hostedId }),
      on('posthorn', { domain_id: hostedId }),
    ])
      await assert.rejects(routes.create(projectId, body), rejectedWith('validation-failed'));
  });

  test('makes the address local, so that no links to accounts are mailed to it', async () => {
    await routes.create(projectId, on('links'));
    assert.equal((await findLocal(database, `links+x@${domain}`))?.organizationIds.length, 1);
    assert.equal(await findLocal(database, `nothing@${domain}`), null);
  });

  test('takes precedence over a catch-all mailbox', async () => {
    const verified = { status: 'verified', verifiedAt: new Date() } as const;
    const name = `${newUuid().slice(-12)}.example`;
    const ofAll = encodeId('dom', await newDomain(database, projectId, name, verified));
    const rest = await mailboxes.create(projectId, {
      domain_id: ofAll,
      local_part: 'rest',
      quota_mb: 1,
      is_catch_all: true,
    });
    const { id } = await routes.create(projectId, on('orders', { domain_id: ofAll }));
    assert.deepEqual(await routed(`orders@${name}`), { mailboxes: [], routes: [id] });
    assert.deepEqual(await routed(`any@${name}`), { mailboxes: [rest.id], routes: [] });
    await assert.rejects(
      routes.create(projectId, { domain_id: ofAll, url: URL_ }),
      rejectedWith('already-exists'),
    );
  });
});

describe('a route on a domain', () => {
  test('gets mail only to addresses that nothing else receives, and never mail to a sender of the service', async () => {
    const verified = { status: 'verified', verifiedAt: new Date() } as const;
    const name = `${newUuid().slice(-12)}.example`;
    const ofAll = encodeId('dom', await newDomain(database, projectId, name, verified));
    const { id } = await routes.create(projectId, { domain_id: ofAll, url: URL_ });
    const person = await mailboxes.create(projectId, { domain_id: ofAll, local_part: 'person', quota_mb: 1 });
    const one = await routes.create(projectId, on('one', { domain_id: ofAll }));
    await database
      .insertInto('serviceSenders')
      .values({ domain: name, localPartKey: 'noreply', address: `noreply@${name}` })
      .execute();
    assert.deepEqual(await routed(`any@${name}`), { mailboxes: [], routes: [id] });
    assert.deepEqual(await routed(`person+x@${name}`), { mailboxes: [person.id], routes: [] });
    assert.deepEqual(await routed(`one@${name}`), { mailboxes: [], routes: [one.id] });
    assert.equal(await routed(`noreply@${name}`), 'noSuchRecipient');
    for (const role of ['postmaster', 'Abuse', 'abuse+x'])
      assert.equal(await routed(`${role}@${name}`), 'operators');
    assert.equal((await findLocal(database, `any@${name}`))?.organizationIds.length, 1);
  });

  test('and a catch-all mailbox of the domain exclude each other, also if they are created at the same time', async () => {
    const verified = { status: 'verified', verifiedAt: new Date() } as const;
    const ofAll = async () =>
      encodeId('dom', await newDomain(database, projectId, `${newUuid().slice(-12)}.example`, verified));
    const taken = await ofAll();
    await routes.create(projectId, { domain_id: taken, url: URL_ });
    const body = { local_part: 'all', quota_mb: 1 };
    await assert.rejects(
      mailboxes.create(projectId, { ...body, domain_id: taken, is_catch_all: true }),
      rejectedWith('validation-failed'),
    );
    for (let round = 0; round < 5; round++) {
      const domain_id = await ofAll();
      const { id } = await mailboxes.create(projectId, { ...body, domain_id });
      const results = await Promise.allSettled([
        routes.create(projectId, { domain_id, url: URL_ }),
        mailboxes.update(projectId, decodeId('mbx', id) ?? '', { is_catch_all: true }),
      ]);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    }
  });

  test('is not possible on the hosted domain, or on the domain of another project', async () => {
    for (const [owner, id] of [
      [projectId, hostedId],
      [otherId, domainId],
    ] as const)
      await assert.rejects(
        routes.create(owner, { domain_id: id, url: URL_ }),
        rejectedWith('validation-failed'),
      );
  });

  test('receives nothing before the domain is verified', async () => {
    const name = `${newUuid().slice(-12)}.example`;
    const pending = encodeId('dom', await newDomain(database, projectId, name));
    await routes.create(projectId, { domain_id: pending, url: URL_ });
    assert.equal(await routed(`any@${name}`), 'noRelay');
  });
});

describe('a route on a mailbox', () => {
  test('needs API access, and gets nothing after it was withdrawn', async () => {
    const mailbox = await mailboxes.create(projectId, {
      domain_id: domainId,
      local_part: 'anna',
      quota_mb: 1,
    });
    const key = { projectId, mailboxId: decodeId('mbx', mailbox.id) ?? '' };
    await assert.rejects(
      routes.create(projectId, { mailbox_id: mailbox.id, url: URL_ }),
      rejectedWith('validation-failed'),
    );
    assert.deepEqual(await setApiAccess(database, key, { api_access: true }), { api_access: true });
    const all = await routes.create(projectId, { mailbox_id: mailbox.id, url: URL_ });
    assert.partialDeepStrictEqual(all, {
      matches: 'mailbox',
      address: mailbox.address,
      mailbox_id: mailbox.id,
      domain,
    });
    const tagged = await routes.create(projectId, { mailbox_id: mailbox.id, tag: 'Tickets', url: URL_ });
    await assert.rejects(
      routes.create(projectId, { mailbox_id: mailbox.id, tag: 'tickets', url: URL_ }),
      rejectedWith('already-exists'),
    );
    await aliases.create(projectId, { domain_id: domainId, local_part: 'team', mailbox_ids: [mailbox.id] });
    assert.deepEqual(await routed(`anna@${domain}`), { mailboxes: [mailbox.id], routes: [all.id] });
    assert.deepEqual(await routed(`team@${domain}`), { mailboxes: [mailbox.id], routes: [all.id] });
    const both = await routed(`anna+TICKETS@${domain}`);
    assert.deepEqual(new Set(typeof both === 'string' ? [] : both.routes), new Set([all.id, tagged.id]));
    await setApiAccess(database, key, { api_access: false });
    assert.deepEqual(await routed(`anna@${domain}`), { mailboxes: [mailbox.id], routes: [] });
    await mailboxes.delete(projectId, key.mailboxId);
    assert.equal(await routes.get(projectId, decodeId('rt', all.id) ?? ''), null);
  });

  test('of another project does not exist', async () => {
    const { mailboxId } = await newMailbox(database, { projectId: otherId });
    await database.updateTable('mailboxes').set({ apiAccess: true }).where('id', '=', mailboxId).execute();
    await assert.rejects(
      routes.create(projectId, { mailbox_id: encodeId('mbx', mailboxId), url: URL_ }),
      rejectedWith('validation-failed'),
    );
    assert.equal(await setApiAccess(database, { projectId, mailboxId }, { api_access: false }), null);
  });
});

describe('the URL of a route', () => {
  test('may have a user name and a password, which are never shown', async () => {
    const created = await routes.create(
      projectId,
      on('rails', { url: 'https://actionmailbox:s%3Acret@app.acme.example/in' }),
    );
    assert.equal(created.url, 'https://app.acme.example/in');
    assert.equal(created.has_credentials, true);
    const id = decodeId('rt', created.id) ?? '';
    const updated = await routes.update(projectId, id, { url: URL_ });
    assert.equal(updated?.has_credentials, false);
    assert.equal((await routes.update(projectId, id, { url: '' }))?.url, null);
    const logged = await database
      .selectFrom('auditLog')
      .selectAll()
      .where('target', '=', created.id)
      .execute();
    assert.deepEqual(logged.map(({ action }) => action).sort(), [
      'route.create',
      'route.update',
      'route.update',
    ]);
    assert.ok(!JSON.stringify([created, updated, logged]).includes('cret@'));
  });

  for (const url of [
    'http://app.acme.example/',
    'https://a:b@127.0.0.1/',
    'https://a:%E0@app.acme.example/',
    'https://a:b@c@app.acme.example/',
    'app',
  ])
    test(`must not be ${url}`, async () => {
      await assert.rejects(routes.create(projectId, on('wrong', { url })), (error) => {
        assert.ok(error instanceof AppError && error.code === 'validation-failed');
        assert.ok(!JSON.stringify(error).includes('a:b'));
        return true;
      });
    });
});

test('a replaced secret signs for the chosen time, or no more', async () => {
  const { id, secret } = await routes.create(projectId, on('rotated'));
  const routeId = decodeId('rt', id) ?? '';
  const secrets = async () => {
    const row = await database
      .selectFrom('routes')
      .selectAll()
      .where('id', '=', routeId)
      .executeTakeFirstOrThrow();
    return openRouteSecrets(sealer, row, new Date());
  };
  const second = await routes.rotateSecret(projectId, routeId, 24);
  assert.deepEqual(await secrets(), { current: secret, next: second?.secret });
  const third = await routes.rotateSecret(projectId, routeId, 24);
  assert.deepEqual(await secrets(), { current: secret, next: third?.secret });
  const last = await routes.rotateSecret(projectId, routeId, 0);
  assert.deepEqual(await secrets(), { current: last?.secret, next: null });
});

test('a project sees and changes only its own routes', async () => {
  const { routeId } = await newRoute(database, sealer, { projectId });
  assert.equal(await routes.get(otherId, routeId), null);
  assert.equal(await routes.update(otherId, routeId, { format: 'json' }), null);
  assert.equal(await routes.rotateSecret(otherId, routeId, 0), null);
  assert.equal(await routes.delete(otherId, routeId), false);
  assert.ok((await routes.list(projectId)).data.some(({ id }) => id === encodeId('rt', routeId)));
});
