import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newAlias, newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { noteVerified } from '../../domains/first-verified.ts';
import { recordMx } from '../../domains/mx/record-mx.ts';
import { verifyManually } from '../../domains/verify-manually.ts';
import { localPartKey } from '../../mailboxes/local-part.ts';
import { newUuid } from '../../model/ids.ts';
import { parseCommand } from '../../rfc/smtp/parse-command.ts';
import { Store } from '../../store/store.ts';
import { Router, type RouterOptions } from './router.ts';

const HOSTED = 'posthorn.example';
let db: TestDatabase;
let projectId: string;
let otherId: string;

async function addMailbox(owner: string, domainId: string, domain: string, localPart: string, fields = {}) {
  await db.database
    .insertInto('mailboxes')
    .values({
      projectId: owner,
      id: newUuid(),
      domainId,
      domain,
      localPart,
      localPartKey: localPartKey(localPart),
      isCatchAll: false,
      quotaMb: 1,
      createdAt: new Date(),
      ...fields,
    })
    .execute();
}

before(async () => {
  db = await testDatabase();
  projectId = await newProject(db.database);
  otherId = await newProject(db.database);
  const verified = { status: 'verified', verifiedAt: new Date() } as const;
  const add = async (
    owner: string,
    name: string,
    localParts: Record<string, object>,
    claim: object = verified,
  ) => {
    const domainId = await newDomain(
      db.database,
      owner === HOSTED_PROJECT_ID ? HOSTED_PROJECT_ID : owner,
      name,
      claim,
    );
    for (const [localPart, fields] of Object.entries(localParts))
      await addMailbox(owner === HOSTED_PROJECT_ID ? projectId : owner, domainId, name, localPart, fields);
  };
  await add(HOSTED_PROJECT_ID, HOSTED, { shop: {}, ops: {} });
  await add(projectId, 'acme.example', { Sales: { spamLevel: 'high' }, älva: {} });
  await add(projectId, 'all.example', { first: {}, rest: { isCatchAll: true } });
  await db.database
    .insertInto('serviceSenders')
    .values({ domain: 'all.example', localPartKey: 'accounts', address: 'accounts@all.example' })
    .execute();
  await add(projectId, 'roles.example', { zoe: {}, amy: {}, Abuse: {} });
  await add(
    projectId,
    'warned.example',
    { sales: {} },
    { ...verified, status: 'warning', warningSince: new Date() },
  );
  await add(projectId, 'xn--bcher-kva.example', { info: {} });
  await add(projectId, 'pending.example', { sales: {} }, {});
  // Two projects claim this domain. The verified claim gets the mail, although it is newer.
  await add(otherId, 'contested.example', { sales: {} }, {});
  await add(projectId, 'contested.example', { info: {} });
  await add(otherId, 'empty.example', {}, {});
  await add(projectId, 'empty.example', { sales: {} }, {});
  await add(projectId, 'aliases.example', {});
  await addAlias('aliases.example', 'Team', [
    'zoe@roles.example',
    'amy@roles.example',
    'sales@warned.example',
  ]);
  await addAlias('aliases.example', 'postmaster', ['amy@roles.example']);
  await addAlias('all.example', 'alias', ['amy@roles.example']);
  await addAlias('all.example', 'abuse', ['zoe@roles.example']);
  await addAlias(HOSTED, 'desk', ['shop@posthorn.example', 'amy@roles.example']);
});
after(() => db[Symbol.asyncDispose]());

async function addAlias(domain: string, localPart: string, members: readonly string[]): Promise<void> {
  const { id: domainId, projectId: owner } = await db.database
    .selectFrom('domains')
    .select(['id', 'projectId'])
    .where('name', '=', domain)
    .where('status', '=', 'verified')
    .executeTakeFirstOrThrow();
  const mailboxes = await db.database
    .selectFrom('mailboxes')
    .select(['projectId', 'id as mailboxId'])
    .where(sql`local_part || '@' || domain`, 'in', members)
    .where('projectId', '=', projectId)
    .execute();
  assert.ok(
    mailboxes[0] &&
      mailboxes.length === members.length &&
      (owner === projectId || owner === HOSTED_PROJECT_ID),
  );
  await newAlias(db.database, localPart, [mailboxes[0], ...mailboxes.slice(1)], { domainId, domain });
}

const routerWith = (options: Partial<RouterOptions> = {}) =>
  new Router({
    database: db.database,
    hostedDomain: HOSTED,
    hostname: 'mx.posthorn.example',
    postmaster: `ops@${HOSTED}`,
    trustsManualVerification: false,
    mxWatch: { current: (_, known) => known, ownHosts: ['mx.posthorn.example'] },
    ...options,
  });

async function reached(address: string, options: Partial<RouterOptions> = {}): Promise<string> {
  const route = await routerWith(options).route(address);
  if ('refusal' in route) return route.refusal;
  if ('operators' in route) return `operators for ${route.operators}`;
  return route.deliveries
    .map(({ mailbox }) => mailbox.address)
    .sort()
    .join(' ');
}

const CASES: [address: string, reached: string][] = [
  ['sales@acme.example', 'Sales@acme.example'],
  ['SALES@ACME.Example', 'Sales@acme.example'],
  ['"sales"@acme.example', 'Sales@acme.example'],
  ['sales+any+thing@acme.example', 'Sales@acme.example'],
  ['a\u0308lva@acme.example', 'älva@acme.example'],
  ['info@bücher.example', 'info@xn--bcher-kva.example'],
  ['info@xn--bcher-kva.example', 'info@xn--bcher-kva.example'],
  ['nobody@acme.example', 'noSuchRecipient'],
  ['+sales@acme.example', 'noSuchRecipient'],
  ['first@all.example', 'first@all.example'],
  ['anything@all.example', 'rest@all.example'],
  ['+anything@all.example', 'rest@all.example'],
  ['postmaster@all.example', 'rest@all.example'],
  ['sales@warned.example', 'sales@warned.example'],
  ['team@aliases.example', 'amy@roles.example sales@warned.example zoe@roles.example'],
  ['TEAM+tag@aliases.example', 'amy@roles.example sales@warned.example zoe@roles.example'],
  ['"team"@aliases.example', 'amy@roles.example sales@warned.example zoe@roles.example'],
  ['nobody@aliases.example', 'noSuchRecipient'],
  ['postmaster@aliases.example', 'amy@roles.example'],
  ['postmaster@send.aliases.example', 'amy@roles.example'],
  ['abuse@aliases.example', 'ops@posthorn.example'],
  ['alias@all.example', 'amy@roles.example'],
  ['alias+tag@all.example', 'amy@roles.example'],
  ['abuse@all.example', 'zoe@roles.example'],
  ['alia@all.example', 'rest@all.example'],
  ['desk@posthorn.example', 'amy@roles.example shop@posthorn.example'],
  ['sales@pending.example', 'noRelay'],
  ['info@contested.example', 'info@contested.example'],
  ['sales@contested.example', 'noSuchRecipient'],
  ['shop@posthorn.example', 'shop@posthorn.example'],
  ['nobody@posthorn.example', 'noSuchRecipient'],
  ['someone@elsewhere.example', 'noRelay'],
  ['PostMaster@acme.example', 'ops@posthorn.example'],
  ['postmaster+tag@roles.example', 'ops@posthorn.example'],
  ['abuse@roles.example', 'Abuse@roles.example'],
  ['hostmaster@roles.example', 'noSuchRecipient'],
  ['postmaster@send.roles.example', 'ops@posthorn.example'],
  ['abuse@send.roles.example', 'Abuse@roles.example'],
  ['zoe@send.roles.example', 'noSuchRecipient'],
  ['anything@send.all.example', 'noSuchRecipient'],
  // The service itself sends mail from this address, so the catch-all gets no replies to it.
  ['Accounts+reset@all.example', 'noSuchRecipient'],
  ['zoe@mail.roles.example', 'noRelay'],
  ['postmaster@send.elsewhere.example', 'noRelay'],
  ['postmaster@elsewhere.example', 'noRelay'],
  ['postmaster', 'ops@posthorn.example'],
  ['Postmaster', 'ops@posthorn.example'],
  ['postmaster@posthorn.example', 'ops@posthorn.example'],
  ['security@posthorn.example', 'ops@posthorn.example'],
  ['abuse@mx.posthorn.example', 'ops@posthorn.example'],
  ['ops@mx.posthorn.example', 'noRelay'],
  ['', 'noRelay'],
  ['no address', 'noRelay'],
];
describe('mail to an address is routed to', () => {
  for (const [address, expected] of CASES) {
    test(`${address}: ${expected}`, async () => assert.equal(await reached(address), expected));
  }

  test('the operators if neither the operator nor the domain has a mailbox for postmaster or abuse', async () => {
    for (const postmaster of [null, 'someone@elsewhere.example', `nobody@${HOSTED}`, 'no address']) {
      for (const address of [
        'postmaster',
        `abuse@${HOSTED}`,
        'postmaster@acme.example',
        'Abuse+x@send.acme.example',
      ])
        assert.equal(await reached(address, { postmaster }), `operators for ${address}`);
      assert.equal(await reached('postmaster@all.example', { postmaster }), 'rest@all.example');
      assert.equal(await reached('abuse@roles.example', { postmaster }), 'Abuse@roles.example');
      assert.equal(await reached(`hostmaster@${HOSTED}`, { postmaster }), 'noSuchRecipient');
      assert.equal(await reached('postmaster@elsewhere.example', { postmaster }), 'noRelay');
    }
  });

  test('all mailboxes of an alias if the address of the operators is an alias', async () => {
    const operator = { postmaster: 'team+root@aliases.example' };
    assert.equal(await reached('postmaster', operator), await reached('team@aliases.example'));
  });

  test('a mailbox that stands in for the address, which is marked, so that senders get no report', async () => {
    const isFallback = async (address: string) => {
      const route = await routerWith().route(address);
      return 'deliveries' in route && route.deliveries.every((one) => one.isFallback === true);
    };
    for (const address of [
      'postmaster',
      'abuse@aliases.example',
      `security@${HOSTED}`,
      'abuse@send.roles.example',
    ])
      assert.ok(await isFallback(address), address);
    for (const address of ['sales@acme.example', 'abuse@roles.example', 'postmaster@all.example'])
      assert.ok(!(await isFallback(address)), address);
  });

  test('the operators for a domain without mailboxes', async () => {
    await newDomain(db.database, projectId, 'bare.example', { status: 'verified' });
    assert.equal(await reached('postmaster@bare.example'), `ops@${HOSTED}`);
    assert.equal(await reached('sales@bare.example'), 'noSuchRecipient');
  });

  test('no unverified claim, but outside production, to a manually verified claim if no other claim is verified', async () => {
    for (const [owner, name] of [
      [projectId, 'empty.example'],
      [otherId, 'contested.example'],
    ] as const)
      await verifyManually(db.database, owner, name);
    const byHand = { trustsManualVerification: true };
    assert.equal(await reached('sales@pending.example', byHand), 'noRelay');
    assert.equal(await reached('sales@empty.example', byHand), 'sales@empty.example');
    assert.equal(await reached('sales@empty.example'), 'noRelay');
    assert.equal(await reached('sales@contested.example', byHand), 'noSuchRecipient');
    assert.equal(await reached('someone@elsewhere.example', byHand), 'noRelay');
  });
});

describe('a claim that was verified and then lost its DNS records', () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;
  const OURS = ['mx.posthorn.example'];

  /**
   * @returns the name and id of a domain with the mailbox `sales`, whose claim was last verified `daysAgo` days ago
   * @param mx the MX in DNS; null if DNS never answered
   */
  async function lost(daysAgo: number, mx: string | null): Promise<{ name: string; id: string }> {
    const name = `${newUuid().slice(-12)}.example`;
    const id = await newDomain(db.database, projectId, name);
    await addMailbox(projectId, id, name, 'sales');
    const at = new Date(Date.now() - daysAgo * DAY_MS);
    await noteVerified(db.database, { projectId, id }, at);
    const answer =
      mx === null
        ? ({ outcome: 'failed', reason: 'SERVFAIL' } as const)
        : ({ outcome: 'found', records: [{ priority: 10, exchange: mx }] } as const);
    await recordMx(db.database, { projectId, id, name }, OURS, answer, at);
    return { name, id };
  }

  for (const [what, daysAgo, mx, expected] of [
    [
      'receives mail while its MX is ours, however long ago it was verified',
      400,
      'mx.posthorn.example',
      'sales',
    ],
    [
      'causes temporary errors for seven days while its MX is elsewhere',
      6.9,
      'mx.other.example',
      'notServedNow',
    ],
    ['receives no mail after seven days with its MX elsewhere', 7.1, 'mx.other.example', 'noRelay'],
    ['causes temporary errors for seven days while DNS does not respond', 6.9, null, 'notServedNow'],
  ] as const)
    test(what, async () => {
      const { name } = await lost(daysAgo, mx);
      const found = await reached(`sales@${name}`);
      assert.equal(found, expected === 'sales' ? `sales@${name}` : expected);
    });

  test('yields to a verified claim of another project', async () => {
    const { name } = await lost(1, 'mx.posthorn.example');
    const id = await newDomain(db.database, otherId, name, { status: 'verified', verifiedAt: new Date() });
    await addMailbox(otherId, id, name, 'info');
    assert.equal(await reached(`sales@${name}`), 'noSuchRecipient');
    assert.equal(await reached(`info@${name}`), `info@${name}`);
  });

  test('yields to the most recently verified claim if no claim is verified now', async () => {
    const { name } = await lost(1, 'mx.posthorn.example');
    const id = await newDomain(db.database, otherId, name);
    await addMailbox(otherId, id, name, 'info');
    await noteVerified(db.database, { projectId: otherId, id }, new Date());
    assert.equal(await reached(`info@${name}`), 'notServedNow');
  });
});

test('a route contains the mailbox, its project, its spam level, and the address in RCPT', async () => {
  const route = await routerWith().route('sales+news@ACME.example');
  assert.ok('deliveries' in route);
  const [delivery] = route.deliveries;
  assert.ok(delivery);
  assert.equal(delivery.address, 'sales+news@acme.example');
  const { mailboxId, ...mailbox } = delivery.mailbox;
  assert.ok(mailboxId);
  const usage = { octets: 0, quotaOctets: 1024 * 1024, fullSince: null, storageLeft: null };
  assert.deepEqual(mailbox, {
    projectId,
    address: 'Sales@acme.example',
    spamLevel: 'high',
    filingVersion: 0,
    usage,
  });
  const other = await routerWith().route('shop@posthorn.example');
  assert.ok('deliveries' in other && other.deliveries[0]?.mailbox.spamLevel === 'medium');
});

/** Known tricks to make servers relay mail. The domain all.example has a catch-all. */
const RELAYS = [
  'victim@elsewhere.example',
  'victim%elsewhere.example@acme.example',
  'victim%elsewhere.example@all.example',
  '"victim%elsewhere.example"@all.example',
  'victim％elsewhere.example@all.example',
  'elsewhere.example!victim@all.example',
  'elsewhere.example!victim',
  'elsewhere.example！victim@all.example',
  'all.example!elsewhere.example!victim@all.example',
  '"victim@elsewhere.example"@all.example',
  '"victim\\@elsewhere.example"@all.example',
  'victim＠elsewhere.example@all.example',
  '"elsewhere.example!victim"@all.example',
  'victim@elsewhere.example@all.example',
  'victim@all.example@elsewhere.example',
  'victim@[192.0.2.1]',
  'victim@[127.0.0.1]',
  'victim@[IPv6:2001:db8::1]',
  'victim@192.0.2.1',
  'victim@all.example.elsewhere.example',
  'victim@all.example.',
  'victim@xall.example',
  'victim@all-example',
  'victim@аll.example',
  'victim@ɑll.example',
  'victim@all.example\u200b.elsewhere.example',
  'victim@"all.example"',
  'victim@all.example ',
  'victim@all.example,victim@elsewhere.example',
  'victim@localhost',
  'victim@',
  '@all.example',
  'victim',
  '"victim"',
  'victim%elsewhere.example',
];
describe('does not relay', () => {
  for (const address of RELAYS) {
    test(address, async () => {
      for (const trustsManualVerification of [false, true])
        assert.equal(await reached(address, { trustsManualVerification }), 'noRelay');
    });
  }

  for (const [line, expected] of [
    ['RCPT TO:<@all.example:victim@elsewhere.example>', 'noRelay'],
    ['RCPT TO:<@all.example,@acme.example:victim@elsewhere.example>', 'noRelay'],
    ['RCPT TO:<@elsewhere.example:first@all.example>', 'first@all.example'],
    ['RCPT TO:<"victim@elsewhere.example">', 'noRelay'],
  ] as const) {
    test(`${line}: ${expected}`, async () => {
      const command = parseCommand(line);
      assert.ok('verb' in command && command.verb === 'RCPT');
      assert.equal(await reached(command.forwardPath), expected);
    });
  }
});

describe('a flood of addresses', () => {
  test('is looked up in batches and cached for a moment', async () => {
    const clock = { nowMs: 0 };
    let statements = 0;
    const counting = db.database.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const router = routerWith({ database: counting, nowMs: () => clock.nowMs });
    const addresses = Array.from({ length: 600 }, (_, n) => `guess${n % 300}@acme.example`);
    await Promise.all(addresses.map((address) => router.route(address)));
    assert.equal(statements, 2);
    await Promise.all(addresses.map((address) => router.route(address)));
    assert.equal(statements, 2);
    clock.nowMs = 2_001;
    await router.route('guess0@acme.example');
    assert.equal(statements, 3);
  });
});

test('a full mailbox causes a temporary error, and after a day a permanent error, while other mailboxes receive mail', async () => {
  const clock = { nowMs: 0 };
  const router = routerWith({ nowMs: () => clock.nowMs });
  const route = await router.route('zoe@roles.example');
  assert.ok('deliveries' in route && route.deliveries[0]);
  const { mailboxId } = route.deliveries[0].mailbox;
  await new Store(db.database).ensureFolders([{ projectId, mailboxId }]);
  const states = db.database.updateTable('mailboxStates').where('mailboxId', '=', mailboxId);
  await states.set({ octets: 1024 * 1024 - 10 }).execute();
  const quotaReply = async (size: number | null) => {
    clock.nowMs += 2_001;
    const found = await router.route('zoe@roles.example', size);
    return 'refusal' in found ? found.refusal : 'taken';
  };
  assert.equal(await quotaReply(10), 'taken');
  assert.equal(await quotaReply(2 * 1024 * 1024), 'messageOverQuota');
  const since = () =>
    db.database
      .selectFrom('mailboxStates')
      .select('fullSince')
      .where('mailboxId', '=', mailboxId)
      .executeTakeFirst();
  assert.equal((await since())?.fullSince, null);
  assert.equal(await quotaReply(11), 'mailboxFull');
  const first = (await since())?.fullSince;
  assert.ok(first);
  assert.equal(await quotaReply(11), 'mailboxFull');
  assert.deepEqual((await since())?.fullSince, first);
  await states.set({ fullSince: new Date(Date.now() - 25 * 3_600_000) }).execute();
  assert.equal(await quotaReply(11), 'mailboxFullForLong');
  assert.equal(await quotaReply(10), 'taken');
  const neighbor = await router.route('amy@roles.example', 11);
  assert.ok('deliveries' in neighbor);
});

test('mail to an alias is delivered to its mailboxes that have space, and is rejected only if all its mailboxes are full', async () => {
  const clock = { nowMs: 0 };
  const router = routerWith({ nowMs: () => clock.nowMs });
  const mailboxes = await Promise.all([
    newMailbox(db.database, { projectId }),
    newMailbox(db.database, { projectId }),
  ]);
  await addAlias(
    'aliases.example',
    'full',
    mailboxes.map(({ mailboxId }) => `anna@${mailboxId.slice(-12)}.example`),
  );
  const fill = async ({ mailboxId }: { mailboxId: string }, hours: number) => {
    await new Store(db.database).ensureFolders([{ projectId, mailboxId }]);
    await db.database
      .updateTable('mailboxStates')
      .where('mailboxId', '=', mailboxId)
      .set({ octets: 1024 * 1024 * 1024, fullSince: new Date(Date.now() - hours * 3_600_000) })
      .execute();
  };
  const quotaReply = async () => {
    clock.nowMs += 2_001;
    const route = await router.route('full@aliases.example', 10);
    if ('refusal' in route) return route.refusal;
    assert.ok('deliveries' in route);
    return route.deliveries.map(({ mailbox, address }) => [mailbox.mailboxId, address]);
  };
  const [one, other] = mailboxes;
  assert.ok(one && other);
  assert.equal((await quotaReply()).length, 2);
  await fill(one, 30);
  assert.deepEqual(await quotaReply(), [[other.mailboxId, 'full@aliases.example']]);
  await fill(other, 1);
  assert.equal(await quotaReply(), 'mailboxFull');
  await fill(other, 25);
  assert.equal(await quotaReply(), 'mailboxFullForLong');
});

test('the remaining storage of the plan also limits each mailbox of the project', async () => {
  const limited = await newProject(db.database, newUuid(), 'free');
  const domainId = await newDomain(db.database, limited, 'free.example', {
    status: 'verified',
    verifiedAt: new Date(),
  });
  await addMailbox(limited, domainId, 'free.example', 'anna', { quotaMb: 4_096 });
  const router = routerWith({ nowMs: () => performance.now() * 1e6 });
  const quotaReply = async (size: number) => {
    const found = await router.route('anna@free.example', size);
    return 'refusal' in found ? found.refusal : 'taken';
  };
  const GIB = 1024 ** 3;
  await db.database
    .updateTable('projects')
    .set({ storageBytes: String(GIB - 100) })
    .where('id', '=', limited)
    .execute();
  assert.deepEqual([await quotaReply(100), await quotaReply(101)], ['taken', 'mailboxFull']);
  // Pretend that the mailbox has been full for more than a day.
  await db.database
    .updateTable('mailboxStates')
    .set({ fullSince: new Date(Date.now() - 25 * 3_600_000) })
    .where('projectId', '=', limited)
    .execute();
  assert.equal(await quotaReply(101), 'mailboxFullForLong');
  await db.database.updateTable('projects').set({ plan: 'paid' }).where('id', '=', limited).execute();
  assert.equal(await quotaReply(101), 'taken');
});
