import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { composingWith } from '../../test/support/composing.ts';
import { queueEmailWith } from '../../test/support/emails.ts';
import { newEvent } from '../../test/support/events.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { deferRows, deleteRows, park, setCrashes } from '../../test/support/queue-rows.ts';
import { FairReads } from '../db/fair-reads.ts';
import { newProject } from '../../test/support/projects.ts';
import { insertDelivery, newWebhook } from '../../test/support/webhooks.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { ensureHostedDomain } from '../domains/hosted.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { closeDestination } from '../queue/destinations.ts';
import { MAX_CRASHES } from '../queue/end-lease.ts';
import { pauseSending, resumeSending } from '../queue/pause.ts';
import { pauseDestination } from '../queue/paused-destinations.ts';
import { changeProviderKind, NOT_SENDING_SINCE, type ProviderKind } from '../queue/provider-kind.ts';
import type { NewEmail } from '../sending/accept/insert-emails.ts';
import { type NewEvent, recordEvents } from '../sending/events/record-events.ts';
import { suppress } from '../sending/suppress/suppressing.ts';
import { EmailInspector } from './email-inspector.ts';

let db: Awaited<ReturnType<typeof sealedDatabase>>;
let inspector: EmailInspector;
before(async () => {
  db = await sealedDatabase();
  await ensureHostedDomain(db.database, db.sealer, 'posthorn.localhost');
  const keyring = new DkimKeyring(db.database, db.sealer, 'posthorn.localhost');
  inspector = new EmailInspector({
    reads: new FairReads(db.database, 2),
    composing: composingWith(db.database, db.sealer, keyring),
    hostname: 'mail.acme.example',
  });
});
after(async () => {
  await inspector[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

const TRACKED = { opens: true, clicks: true, unsubscribe: false, base_url: 'https://mail.acme.example' };
const record = (email: NewEmail, events: readonly NewEvent[]): Promise<void> =>
  db.database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));

describe('the description of an email', () => {
  test('contains the recipients with their fields and stages, and whether their delivery has ended', async () => {
    const email = await queueEmailWith(db.database, ['sending', 'sent', 'delivered'], {
      to: ['Bo <b@dst.test>'],
      cc: ['c@dst.test'],
      bcc: ['d@dst.test'],
      recipients: ['b@dst.test', 'c@dst.test', 'd@dst.test'],
    });
    const shown = await inspector.describe(email.projectId, email.emailId, true);
    assert.deepEqual(
      shown?.recipients.map(({ address, field, status, is_done: isDone }) => [
        address,
        field,
        status,
        isDone,
      ]),
      [
        ['b@dst.test', 'to', 'delivered', false],
        ['c@dst.test', 'cc', 'sent', false],
        ['d@dst.test', 'bcc', 'sent', false],
      ],
    );
    assert.equal(shown?.content, 'kept');
    assert.deepEqual(
      shown?.events.map(({ event }) => event.type),
      ['queued', 'sending', 'sent', 'delivered'],
    );
  });

  test('names the other kind of provider if the email waits because it was accepted for that kind', async () => {
    const change = (kind: ProviderKind) =>
      db.database.transaction().execute((tx) => changeProviderKind(tx, kind));
    await change('sandbox');
    const email = await queueEmailWith(db.database, []);
    const otherProvider = async () =>
      (await inspector.describe(email.projectId, email.emailId, true))?.recipients[0]?.other_provider;
    assert.equal(await otherProvider(), null);
    await change('real');
    assert.equal(await otherProvider(), 'sandbox');
  });

  describe('says of each recipient', () => {
    const recipientOf = async ({ projectId, emailId }: NewEmail) => {
      const [recipient] = (await inspector.describe(projectId, emailId, true))?.recipients ?? [];
      assert.ok(recipient !== undefined);
      return recipient;
    };

    test('the entry of its address on the suppression list of the project, as long as it lasts', async () => {
      const email = await queueEmailWith(db.database, ['sending'], {
        projectId: await newProject(db.database),
      });
      const other = await queueEmailWith(db.database, [], { projectId: await newProject(db.database) });
      const { projectId, emailId } = email;
      const listing = (expiresAt: Date | null) =>
        db.database.transaction().execute((tx) =>
          suppress(tx, [
            {
              projectId,
              address: 'B@dst.test',
              reason: 'bounce',
              detail: { diagnostic: '550 no' },
              cause: { emailId, recipientIndex: 0 },
              expiresAt,
            },
          ]),
        );
      await listing(new Date(Date.now() - 1_000));
      assert.equal((await recipientOf(email)).suppression, null);
      await listing(null);
      const { suppression } = await recipientOf(email);
      assert.ok(suppression !== null);
      const { created_at: since, ...entry } = suppression;
      assert.ok(Math.abs(Date.parse(since) - Date.now()) < 60_000);
      assert.deepEqual(entry, {
        address: 'B@dst.test',
        reason: 'bounce',
        email_id: encodeId('em', emailId),
        detail: { diagnostic: '550 no' },
        expires_at: null,
      });
      assert.equal((await recipientOf(other)).suppression, null);
    });

    for (const [response, smtp_code, expected] of [
      ['451 4.7.1 Greylisted, try again in 300 seconds', 451, 'greylisting'],
      ['452 4.2.2 The mailbox is full', 452, 'mailbox_full'],
      ['451 4.7.1 try again later', 451, 'other'],
      ['connection refused', null, 'no_answer'],
      [
        'It is unknown whether the message was accepted: after its end, the connection was closed',
        null,
        'no_answer',
      ],
    ] as const)
      test(`that “${response}” deferred it, until something else happens`, async () => {
        const email = await queueEmailWith(db.database, ['sending']);
        assert.equal((await recipientOf(email)).deferral, null);
        const event = newEvent('deferred', 0, 'b@dst.test');
        assert.ok(event.type === 'deferred');
        await record(email, [
          { ...event, detail: { ...event.detail, response, smtp_code, enhanced_code: null } },
        ]);
        const { deferral, is_in_doubt } = await recipientOf(email);
        const isInDoubt = response.startsWith('It is unknown');
        assert.deepEqual([deferral, is_in_doubt], [expected, isInDoubt]);
        // An email in doubt may be opened while it waits for the retry.
        await record(email, [newEvent('opened', 0, 'b@dst.test')]);
        assert.equal((await recipientOf(email)).deferral, expected);
        // A later reply says nothing about the attempt in doubt.
        await record(email, [newEvent('deferred', 0, 'b@dst.test')]);
        assert.equal((await recipientOf(email)).is_in_doubt, isInDoubt);
        await record(email, [newEvent('delivered', 0, 'b@dst.test')]);
        assert.equal((await recipientOf(email)).deferral, null);
      });

    test('that it is in doubt after three days only if our own words say so', async () => {
      const email = await queueEmailWith(db.database, ['sending'], {
        to: ['b@dst.test', 'c@dst.test', 'd@dst.test'],
        recipients: ['b@dst.test', 'c@dst.test', 'd@dst.test'],
      });
      const bouncedWith = (index: number, address: string, detail: object): NewEvent => {
        const event = newEvent('bounced', index, address);
        assert.ok(event.type === 'bounced');
        const diagnostic = 'It is unknown whether the message was accepted';
        return { ...event, detail: { ...event.detail, smtp_code: null, diagnostic, ...detail } };
      };
      await record(email, [
        bouncedWith(0, 'b@dst.test', {}),
        bouncedWith(1, 'c@dst.test', { source: 'dsn' }),
        bouncedWith(2, 'd@dst.test', { smtp_code: 550 }),
      ]);
      const shown = await inspector.describe(email.projectId, email.emailId, true);
      assert.deepEqual(
        shown?.recipients.map(({ is_in_doubt: isInDoubt }) => isInDoubt),
        [true, false, false],
      );
    });

    test('whether it waits for a destination, when that is retried, and whether it can be tried now', async () => {
      const email = await queueEmailWith(db.database, []);
      const { emailId } = email;
      const shown = async () => {
        const { waits_for, is_paused, can_try_now, next_attempt_at } = await recipientOf(email);
        const isLater = next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now();
        return { waits_for, is_paused, can_try_now, isLater };
      };
      const nothing = { waits_for: null, is_paused: false, can_try_now: false, isLater: false };
      assert.deepEqual(await shown(), nothing);
      await deferRows(db.database, { emailId });
      assert.deepEqual(await shown(), { ...nothing, can_try_now: true, isLater: true });
      await park(db.database, 'dst.test', { emailId });
      await sql`insert into destinations (name, failures, next_attempt_at) values ('dst.test', 0, now())`.execute(
        db.database,
      );
      // A backlog is no reason to say that the destination accepts no mail.
      assert.deepEqual(await shown(), nothing);
      await closeDestination(db.database, 'dst.test', 0, 60_000, {});
      // The time of the next attempt is not known: while a worker tries the destination, its row holds another time.
      assert.deepEqual(await shown(), { ...nothing, waits_for: 'dst.test' });
      await pauseDestination(db.database, 'dst.test', new Date());
      assert.deepEqual(await shown(), { ...nothing, waits_for: 'dst.test', is_paused: true });
      await sql`truncate destinations, destination_holds`.execute(db.database);
    });

    test('that it waits for a failing destination, even if it has a retry time of its own', async () => {
      const email = await queueEmailWith(db.database, []);
      await closeDestination(db.database, 'dst.test', 0, 60_000, {});
      assert.equal((await recipientOf(email)).waits_for, null);
      await deferRows(db.database, { emailId: email.emailId });
      const { waits_for, can_try_now, next_attempt_at } = await recipientOf(email);
      assert.deepEqual([waits_for, can_try_now, next_attempt_at], ['dst.test', false, null]);
      await sql`truncate destinations`.execute(db.database);
    });

    test('that it can be tried only while mail is sent at all', async () => {
      const email = await queueEmailWith(db.database, []);
      await deferRows(db.database, { emailId: email.emailId });
      const shown = async () => {
        const found = await inspector.describe(email.projectId, email.emailId, true);
        const { can_try_now, next_attempt_at } = found?.recipients[0] ?? {};
        return [found?.sending_stopped, can_try_now, next_attempt_at === null];
      };
      assert.deepEqual(await shown(), [null, true, false]);
      await pauseSending(db.database, new Date());
      assert.deepEqual(await shown(), ['paused', false, true]);
      await resumeSending(db.database);
      const away = { name: NOT_SENDING_SINCE, value: new Date().toISOString() };
      await db.database.insertInto('settings').values(away).execute();
      assert.deepEqual(await shown(), ['no_provider', false, true]);
      await db.database.deleteFrom('settings').where('name', '=', NOT_SENDING_SINCE).execute();
    });

    test('whether its last attempt was made at a server in transit, which no event contains', async () => {
      const email = await queueEmailWith(db.database, ['sending']);
      const { projectId, emailId } = email;
      const isRelayed = true;
      await record(email, [{ ...newEvent('deferred', 0, 'b@dst.test'), isRelayed }]);
      assert.equal((await recipientOf(email)).was_relayed, true);
      const events = (await inspector.describe(projectId, emailId, true))?.events ?? [];
      assert.doesNotMatch(JSON.stringify(events), /relayed/);
      await record(email, [newEvent('deferred', 0, 'b@dst.test')]);
      assert.equal((await recipientOf(email)).was_relayed, false);
    });

    test('its last outcome, which is also shown in a long timeline', async () => {
      const email = await queueEmailWith(db.database, ['sending'], {
        to: ['b@dst.test', 'c@dst.test'],
        recipients: ['b@dst.test', 'c@dst.test'],
      });
      const { projectId, emailId } = email;
      const opens = Array.from({ length: 501 }, () => newEvent('opened', 1, 'c@dst.test'));
      await record(email, opens);
      await record(email, [newEvent('deferred', 0, 'b@dst.test'), newEvent('deferred', 0, 'b@dst.test')]);
      await record(email, opens);
      assert.equal((await recipientOf(email)).deferral, 'other');
      const shown = await inspector.describe(projectId, emailId, true);
      assert.deepEqual(
        [shown?.events.filter(({ event }) => event.type === 'deferred').length, shown?.events.length],
        [1, 1_001],
      );
      assert.equal(shown?.events_left_out, 2 + 2 * 501 + 2 - 1_001);
    });

    test('whether it can be retried, as long as the body of the email is stored', async () => {
      const email = await queueEmailWith(db.database, ['failed']);
      const { emailId } = email;
      await deleteRows(db.database, { emailId });
      assert.equal((await recipientOf(email)).can_retry, false);
      await setCrashes(db.database, MAX_CRASHES, { emailId });
      assert.equal((await recipientOf(email)).can_retry, true);
      await db.database
        .updateTable('emailContents')
        .set({ bodiesDeletedAt: new Date() })
        .where('emailId', '=', emailId)
        .execute();
      const { can_retry, is_abandoned } = await recipientOf(email);
      assert.deepEqual([can_retry, is_abandoned], [false, true]);
    });
  });

  test("names the domain of the sender only if it is the project's own", async () => {
    const projectId = await newProject(db.database);
    const domainId = newUuid();
    await sql`insert into domains (project_id, id, name, status, created_at)
      values (${projectId}, ${domainId}, 'inspected.example', 'pending', now())`.execute(db.database);
    const from = { sender: 'a@inspected.example', senderAddress: 'a@inspected.example' };
    for (const [owner, expected] of [
      [projectId, encodeId('dom', domainId)],
      [await newProject(db.database), null],
    ] as const) {
      const { emailId } = await queueEmailWith(db.database, [], { ...from, projectId: owner });
      assert.equal((await inspector.describe(owner, emailId, true))?.domain_id, expected);
    }
  });

  test('contains the webhook deliveries of each event', async () => {
    const projectId = await newProject(db.database);
    const hook = await newWebhook(db.database, db.sealer, {
      projectId,
      events: ['email.queued', 'email.sent'],
    });
    const email = await queueEmailWith(db.database, ['sending', 'sent'], { projectId });
    const before = await inspector.describe(projectId, email.emailId, true);
    const statuses = before?.events.map(({ event, deliveries }) => [
      event.type,
      deliveries.map(({ status }) => status),
    ]);
    assert.deepEqual(statuses, [
      ['queued', ['pending']],
      ['sending', []],
      ['sent', ['pending']],
    ]);
    const due = await db.database
      .selectFrom('dueDeliveries')
      .selectAll()
      .where('webhookId', '=', hook.webhookId)
      .execute();
    await db.database.deleteFrom('dueDeliveries').where('webhookId', '=', hook.webhookId).execute();
    for (const { leaseId: _, nextAttemptAt: __, pastAttempts: ___, ...row } of due)
      await db.database
        .insertInto('deliveries')
        .values({ ...row, status: 'delivered', deliveredAt: new Date(), httpStatus: 200 })
        .execute();
    await insertDelivery(db.database, hook, { emailId: email.emailId });
    const after = await inspector.describe(projectId, email.emailId, true);
    const [delivery] = after?.events[0]?.deliveries ?? [];
    assert.equal(delivery?.status, 'delivered');
    assert.equal(delivery?.http_status, 200);
    assert.equal(delivery?.webhook_id, encodeId('wh', hook.webhookId));
    assert.equal(after?.events.flatMap(({ deliveries }) => deliveries).length, 2);
  });

  test('contains the dialogues of only the newest five attempts of each recipient', async () => {
    const email = await queueEmailWith(db.database, []);
    const dialogue = [{ at_ms: 0, by: 'server' as const, text: '451 later' }];
    for (let attempt = 1; attempt <= 7; attempt++) {
      const event = newEvent('deferred', 0, 'b@dst.test');
      assert.ok(event.type === 'deferred');
      await record(email, [{ ...event, detail: { ...event.detail, attempt, dialogue } }]);
    }
    const shown = await inspector.describe(email.projectId, email.emailId, true);
    const found = shown?.events.flatMap(({ event }) =>
      event.type === 'deferred' ? [[event.detail.attempt, event.detail.dialogue?.length]] : [],
    );
    assert.deepEqual(found, [
      [1, undefined],
      [2, undefined],
      [3, 1],
      [4, 1],
      [5, 1],
      [6, 1],
      [7, 1],
    ]);
  });

  test('contains the first and the last 500 events of a long timeline', async () => {
    const email = await queueEmailWith(db.database, ['sending']);
    await record(
      email,
      Array.from({ length: 1_200 }, () => newEvent('clicked', 0, 'b@dst.test')),
    );
    const shown = await inspector.describe(email.projectId, email.emailId, true);
    assert.equal(shown?.events.length, 1_000);
    assert.equal(shown?.events_left_out, 202);
    assert.equal(shown?.events[0]?.event.type, 'queued');
  });

  test('contains neither content nor clicked links for a viewer without access to bodies', async () => {
    const email = await queueEmailWith(db.database, ['sending', 'sent', 'delivered', 'clicked']);
    const shown = await inspector.describe(email.projectId, email.emailId, false);
    assert.equal(shown?.content, 'hidden');
    assert.ok(!JSON.stringify(shown).includes('acme.example/'));
    const open = await inspector.describe(email.projectId, email.emailId, true);
    assert.ok(JSON.stringify(open).includes('acme.example/'));
  });

  test('is null for another project, like the content, source and preview of the email', async () => {
    const { emailId } = await queueEmailWith(db.database, []);
    const other = newUuid();
    assert.equal(await inspector.describe(other, emailId, true), null);
    assert.equal(await inspector.content(other, emailId), null);
    assert.equal(await inspector.source(other, emailId), null);
    assert.equal(await inspector.preview(other, emailId, { theme: 'light', remote: false }), null);
  });
});

describe('the content of an email', () => {
  test('contains the message in the form in which it is sent, and explains its header', async () => {
    const email = await queueEmailWith(db.database, []);
    const content = await inspector.content(email.projectId, email.emailId);
    assert.equal(content?.html, '<p>It works.</p>');
    assert.equal(content?.text, 'It works.');
    assert.equal(content?.text_is_made, true);
    assert.equal(content?.source?.is_rebuilt, true);
    assert.match(content?.source?.text ?? '', /^DKIM-Signature: /);
    const signature = content?.header_fields.find(({ name }) => name === 'DKIM-Signature');
    assert.match(signature?.meaning ?? '', /selector/);
    assert.ok(content?.header_fields.every(({ meaning }) => meaning !== null));
    assert.deepEqual(
      content?.signatures.map(({ domain, is_aligned: isAligned }) => [domain, isAligned]),
      [
        ['posthorn.localhost', true],
        ['posthorn.localhost', true],
      ].slice(0, content.signatures.length),
    );
    assert.ok((content?.spam?.score ?? 9) < 1, JSON.stringify(content?.spam));
  });

  test('contains the number of clicks on each link, with clicks by machines counted separately', async () => {
    const html = '<a href="https://acme.example">Shop</a> <a href="https://acme.example/b?x=1&amp;y=2">B</a>';
    const email = await queueEmailWith(db.database, ['sending', 'sent', 'delivered'], {
      html,
      tracking: TRACKED,
    });
    const click = (url: string, is_machine: boolean): NewEvent => ({
      type: 'clicked',
      recipientIndex: 0,
      recipient: 'b@dst.test',
      detail: { recipient: 'b@dst.test', url, ip: null, user_agent: null, is_machine },
    });
    await record(email, [
      click('https://acme.example/', false),
      click('https://acme.example/', false),
      click('https://acme.example/', true),
    ]);
    const content = await inspector.content(email.projectId, email.emailId);
    assert.deepEqual(content?.links, [
      {
        url: 'https://acme.example',
        text: 'Shop',
        problem: null,
        is_unsubscribe: false,
        clicks: 2,
        machine_clicks: 1,
      },
      {
        url: 'https://acme.example/b?x=1&y=2',
        text: 'B',
        problem: null,
        is_unsubscribe: false,
        clicks: 0,
        machine_clicks: 0,
      },
    ]);
  });

  test('is previewed without the tracking pixel', async () => {
    const email = await queueEmailWith(db.database, [], { tracking: TRACKED });
    const source = await inspector.source(email.projectId, email.emailId);
    assert.match(source?.data.toString() ?? '', /\/t\/o\//);
    const preview = await inspector.preview(email.projectId, email.emailId, { theme: 'light', remote: true });
    assert.doesNotMatch(preview ?? '', /\/t\/o\//);
  });

  test('is previewed as text if it has only text', async () => {
    const email = await queueEmailWith(db.database, [], { html: null, text: '1 < 2\n& so on' });
    const preview = await inspector.preview(email.projectId, email.emailId, {
      theme: 'light',
      remote: false,
    });
    assert.match(preview ?? '', /1 &lt; 2\n&amp; so on/);
  });

  test('cannot be read after the bodies of the email were deleted', async () => {
    const email = await queueEmailWith(db.database, []);
    await db.database
      .updateTable('emailContents')
      .set({ bodiesDeletedAt: new Date() })
      .where('projectId', '=', email.projectId)
      .where('emailId', '=', email.emailId)
      .execute();
    const shown = await inspector.describe(email.projectId, email.emailId, true);
    assert.equal(shown?.content, 'deleted');
    const deleted = { code: 'bad-request', message: /deleted/ };
    await assert.rejects(inspector.content(email.projectId, email.emailId), deleted);
    await assert.rejects(
      inspector.preview(email.projectId, email.emailId, { theme: 'light', remote: false }),
      deleted,
    );
    await assert.rejects(inspector.source(email.projectId, email.emailId), deleted);
  });

  test('contains no message if the domain of the sender was removed', async () => {
    const email = await queueEmailWith(db.database, [], {
      sender: 'a@gone.example',
      senderAddress: 'a@gone.example',
    });
    const content = await inspector.content(email.projectId, email.emailId);
    assert.equal(content?.source, null);
    assert.equal(content?.spam, null);
    assert.equal(content?.html, '<p>It works.</p>');
    await assert.rejects(inspector.source(email.projectId, email.emailId), { code: 'domain-not-verified' });
  });
});

test('the content of only a few emails is in memory, however many previews are requested at once', async () => {
  const email = await queueEmailWith(db.database, [], { html: '<p>x</p>'.repeat(10_000) });
  let inMemory = 0;
  let most = 0;
  await using own = new EmailInspector({
    reads: new FairReads(
      db.database.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          most = Math.max(most, ++inMemory);
          return result;
        },
      }),
      2,
    ),
    composing: composingWith(
      db.database,
      db.sealer,
      new DkimKeyring(db.database, db.sealer, 'posthorn.localhost'),
    ),
    hostname: 'mail.acme.example',
  });
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      await own.preview(email.projectId, email.emailId, { theme: 'light', remote: false });
      inMemory--;
    }),
  );
  assert.ok(most <= 2, `${most} at once`);
});
