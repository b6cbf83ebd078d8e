/** The page of a single email in the dashboard. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import type { Locator, Page } from 'playwright-core';
import { decodeId, encodeId, firstUuidAt, newUuid } from '../../src/model/ids.ts';
import { utc } from '../../web/ui/times.ts';
import { newEvent } from '../support/events.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newMailbox } from '../support/mail.ts';
import { newEmail, queueEmailWith } from '../support/emails.ts';
import { recordMx } from '../../src/domains/mx/record-mx.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { pauseSending, resumeSending } from '../../src/queue/pause.ts';
import { pauseDestination } from '../../src/queue/paused-destinations.ts';
import { MAX_CRASHES } from '../../src/queue/end-lease.ts';
import { failedUnsent } from '../../src/sending/deliver/outcome-events.ts';
import { recordEvents } from '../../src/sending/events/record-events.ts';
import { suppress } from '../../src/sending/suppress/suppressing.ts';
import { soon } from '../support/soon.ts';

let dashboard: OpenedDashboard;
before(async () => {
  if (NO_BROWSER === false) dashboard = await openDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

const HTML =
  '<h1>Your order has shipped</h1><p>Follow it <a href="https://acme.example/o/4711">here</a>.</p><img src="https://acme.example/logo.png" width="40" height="40"><a href="acme.example">shop</a>';

/** Sends an email with the API. @returns the id */
async function send(fields: object = {}): Promise<string> {
  const { body } = await dashboard.service.client().post<{ id: string }>('/v1/emails', {
    from: 'Acme <hello@posthorn.localhost>',
    to: ['ada@dst.test'],
    subject: 'Your order has shipped',
    html: HTML,
    ...fields,
  });
  return body.id;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe('email page', { skip: NO_BROWSER }, () => {
  test('an email is shown as its recipient sees it, and its delivery appears without a reload', async () => {
    const { body: webhook } = await dashboard.service
      .client()
      .post<{ id: string }>('/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['email.delivered'] });
    const page = await dashboard.open(`/emails/${await send()}`);
    await heading(page, 'Your order has shipped').waitFor();
    const preview = page.frameLocator('iframe[title=Preview]');
    await preview.getByRole('heading', { name: 'Your order has shipped', exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Timeline', exact: true })
      .getByText('Delivered', { exact: true })
      .first()
      .waitFor();
    await checkAccess(page);
    const deliveries = page.getByRole('list', { name: 'Webhooks', exact: true }).getByRole('link');
    assert.match(
      (await deliveries.first().getAttribute('href')) ?? '',
      /\/webhooks\/wh_\w+\?.*delivery=dlv_/,
    );
    await page.setViewportSize({ width: 390, height: 844 });
    const frame = page.locator('iframe[title=Preview]');
    // The preview is wider than a phone and scrolls within its frame.
    await soon(async () => assert.ok(((await frame.boundingBox())?.width ?? 0) >= 640));
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await checkAccess(page);
    await page.getByRole('radio', { name: 'Phone', exact: true }).check();
    await soon(async () => assert.ok(((await frame.boundingBox())?.width ?? 640) <= 375));
    await page.getByRole('radio', { name: 'Dark', exact: true }).check();
    await soon(async () => assert.match(page.url(), /width=phone/));
    await soon(async () => assert.match(page.url(), /theme=dark/));
    await checkAccess(page);
    await page.context().close();
    await dashboard.service.client().delete(`/v1/webhooks/${webhook.id}`);
  });

  test('an email that was submitted over SMTP lists its files, which can be downloaded, and the removed header fields', async () => {
    const { service } = dashboard;
    const transport = createTransport({
      host: '127.0.0.1',
      port: service.submissionPort,
      ignoreTLS: true,
      auth: { user: 'apikey', pass: service.token ?? '' },
    });
    const { response } = await transport.sendMail({
      from: 'shop@posthorn.localhost',
      to: 'ada@dst.test',
      subject: 'Your invoice',
      text: 'See the file.',
      headers: { 'X-PM-Tag': 'invoice', 'X-SES-CONFIGURATION-SET': 'all' },
      attachments: [
        { filename: 'Invoice 4711.pdf', content: Buffer.alloc(250_000, '%PDF ') },
        { filename: 'setup.exe', content: 'MZ' },
      ],
    });
    transport.close();
    const [id = ''] = /em_\w+/.exec(response ?? '') ?? [];
    const page = await dashboard.open(`/emails/${id}`);
    await heading(page, 'Your invoice').waitFor();
    const files = page.getByRole('region', { name: 'Files', exact: true });
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await files.getByRole('link', { name: /^Invoice 4711\.pdf/ }).waitFor();
      await files.getByText('It is a program (.exe)').waitFor();
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      await checkAccess(page);
    }
    await page
      .getByText('Removed header fields for other sending services: X-PM-Tag, X-SES-CONFIGURATION-SET.')
      .waitFor();
    const downloading = page.waitForEvent('download');
    await files.getByRole('link', { name: /^Invoice/ }).focus();
    await page.keyboard.press('Enter');
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'Invoice 4711.pdf');
    assert.deepEqual(readFileSync((await download.path()) ?? ''), Buffer.alloc(250_000, '%PDF '));
    assert.equal(await page.getByRole('button', { name: 'Copy as curl', exact: true }).count(), 0);
    await page.context().close();
  });

  test('the timeline names the server for mail to a domain whose MX moved to another host', async () => {
    const { database } = dashboard.service;
    const { projectId, mailboxId } = await newMailbox(database);
    const { id, name } = await database
      .updateTable('domains')
      .set({ status: 'verified' })
      .from('mailboxes as m')
      .whereRef('m.domainId', '=', 'domains.id')
      .where('m.id', '=', mailboxId)
      .returning(['domains.id', 'domains.name'])
      .executeTakeFirstOrThrow();
    for (const [hoursAgo, exchange] of [
      [2, 'mx.here.example'],
      [1, 'mx.other.example'],
      [0, 'mx.other.example'],
    ] as const) {
      const answer = { outcome: 'found', records: [{ priority: 10, exchange }] } as const;
      const at = new Date(Date.now() - hoursAgo * 3_600_000);
      await recordMx(database, { projectId, id, name }, ['mx.here.example'], answer, at);
    }
    const page = await dashboard.open(`/emails/${await send({ to: [`anna@${name}`] })}`);
    const timeline = page.getByRole('region', { name: 'Timeline', exact: true });
    await timeline
      .getByText(`The MX of ${name} moved to mx.other.example, so the message is sent there`)
      .first()
      .waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('a scheduled email shows its time, and can be sent now, canceled and erased', async () => {
    const scheduled_at = new Date(Date.now() + 7_200_000).toISOString();
    const page = await dashboard.open(`/emails/${await send({ scheduled_at })}`);
    const fact = (name: string) =>
      page.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd[1]');
    await fact('Scheduled for').getByText('(in 2 hr)').waitFor();
    await fact('Accepted').getByText('(just now)').waitFor();
    await page.locator('span').getByText('Scheduled', { exact: true }).waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Send now', exact: true }).click();
    await page
      .getByRole('region', { name: 'Timeline', exact: true })
      .getByText('Delivered', { exact: true })
      .first()
      .waitFor();

    const id = await send({ scheduled_at, to: ['ada@dst.example', 'bo@dst.example'] });
    // The email to this recipient was already sent.
    await sql`delete from queue where email_id = ${decodeId('em', id)} and recipient_index = 1`.execute(
      dashboard.service.database,
    );
    await page.goto(page.url().replace(/em_[^?]+/, id));
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await checkAccess(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel email', exact: true }).click();
    await page.getByText(/^Cancelled for 1 of 2 recipients\./).waitFor();
    await page.getByText('Failed', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    await soon(async () =>
      assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Erase email'),
    );
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Erase', exact: true }).click();
    await heading(page, 'Emails').waitFor();
    await page.context().close();
  });

  test('text, HTML, source, headers, links and checks of an email can be opened by keyboard', async () => {
    const page = await dashboard.open(`/emails/${await send()}`);
    await page.getByRole('tab', { name: 'Preview', exact: true }).focus();
    for (const [name, words] of [
      ['Text', 'The request had no text part'],
      ['HTML', '<h1>Your order has shipped</h1>'],
      ['Source', 'DKIM-Signature:'],
      ['Headers', 'Signed by posthorn.localhost'],
      ['Links', 'https://acme.example/o/4711'],
      ['Checks', '1 link is not well formed.'],
    ] as const) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name, selected: true }).waitFor();
      await page.getByRole('tabpanel').getByText(words).first().waitFor();
      await checkAccess(page);
    }
    await page
      .getByRole('list', { name: 'Checks', exact: true })
      .getByText('1 image has no alternative text.')
      .waitFor();
    await page.getByRole('heading', { name: 'Spam score' }).waitFor();
    await page.context().close();
  });

  test('the request is copied as a command, remote images load on request, and clicks are counted by link', async () => {
    const logo = `${dashboard.service.baseUrl}/docs/icon.svg?logo`;
    const id = await send({
      html: `<a href="https://acme.example/o/1">here</a><img src="${logo}" alt="Acme">`,
    });
    const page = await dashboard.open(`/emails/${id}`, {
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    });
    await page.getByRole('button', { name: 'Copy as curl', exact: true }).click();
    await page.getByText('Copied. Set POSTHORN_KEY').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.ok(command.startsWith('curl ') && command.includes('ada@dst.test') && command.includes(logo));
    const requested = page.waitForRequest(logo);
    await page.getByRole('button', { name: 'Load remote images', exact: true }).click();
    await requested;
    await page.getByRole('button', { name: 'Remote images shown', exact: true }).waitFor();

    const { database } = dashboard.service;
    const tracked = await queueEmailWith(database, ['sending', 'sent', 'delivered'], {
      projectId: dashboard.projectUuid,
      html: '<a href="https://acme.example/o/1">here</a>',
      tracking: { opens: false, clicks: true, unsubscribe: false, base_url: 'https://t.acme.example' },
    });
    await database
      .insertInto('events')
      .values(
        [false, true].map((isMachine) => ({
          projectId: tracked.projectId,
          emailId: tracked.emailId,
          id: newUuid(),
          type: 'clicked' as const,
          recipient: 'b@dst.test',
          detail: JSON.stringify({
            recipient: 'b@dst.test',
            url: 'https://acme.example/o/1',
            ip: null,
            user_agent: null,
            is_machine: isMachine,
          }),
        })),
      )
      .execute();
    await page.goto(`/dashboard/emails/${encodeId('em', tracked.emailId)}`);
    await page.getByRole('tab', { name: 'Links', exact: true }).click();
    const link = page.getByRole('list', { name: 'Links', exact: true }).getByRole('listitem');
    await link.getByText('1 click', { exact: true }).waitFor();
    await link.getByText('1 by machines').waitFor();
    await page.context().close();
  });

  test('the SMTP dialogue of each attempt is collapsed', async () => {
    const email = await queueEmailWith(dashboard.service.database, ['sending'], {
      projectId: dashboard.projectUuid,
      to: ['x@dst.test', 'y@dst.test'],
      recipients: ['x@dst.test', 'y@dst.test'],
    });
    await dashboard.service.database
      .insertInto('events')
      .values({
        projectId: email.projectId,
        emailId: email.emailId,
        id: crypto.randomUUID().replace(/^.{8}-.{4}-4/, 'ffffffff-0000-7'),
        type: 'bounced',
        recipient: 'x@dst.test',
        detail: JSON.stringify({
          recipient: 'x@dst.test',
          type: 'hard',
          category: 'unknown_user',
          smtp_code: 550,
          enhanced_code: '5.1.1',
          diagnostic: '550 5.1.1 no such user',
          remote_mta: 'mx.dst.test',
          suppressed: true,
          source: 'smtp',
          dialogue: [
            { at_ms: 0, by: 'note', text: 'connecting to mx.dst.test, port 25' },
            { at_ms: 12, by: 'client', text: 'EHLO mail.acme.example' },
            { at_ms: 31, by: 'server', text: '550 5.1.1 no such user' },
          ],
        }),
      })
      .execute();
    const page = await dashboard.open(`/emails/${encodeId('em', email.emailId)}`);
    const dialogue = page.getByRole('list', { name: 'SMTP dialogue', exact: true });
    const summary = page.getByText('SMTP dialogue').first();
    await summary.waitFor();
    await soon(async () => assert.equal(await dialogue.isVisible(), false));
    await summary.click();
    await dialogue.getByText('EHLO mail.acme.example').waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('an email is sent again, and the new email opens', async () => {
    const id = await send();
    const page = await dashboard.open(`/emails/${id}`);
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('ada@dst.test').waitFor();
    await dialog.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.waitForURL((url) => url.pathname.includes('/emails/em_') && !url.pathname.endsWith(id));
    await heading(page, 'Your order has shipped').waitFor();
    await page.context().close();
  });

  test('each event shows its exact time and the time since the event before of the same recipient', async () => {
    const { database } = dashboard.service;
    const now = Date.now();
    const scheduled_at = new Date(now + 3_600_000).toISOString();
    const to = ['x@dst.test', 'y@dst.test'];
    const id = await send({ to, scheduled_at });
    const emailId = decodeId('em', id) as string;
    await database.deleteFrom('events').where('emailId', '=', emailId).execute();
    const event = (type: 'sending' | 'deferred' | 'delivered', ms: number, recipient: string | null) => {
      const { detail } = newEvent(type, 0, recipient);
      const { projectUuid: projectId } = dashboard;
      const eventId = firstUuidAt(new Date(now + ms));
      return { projectId, emailId, id: eventId, type, recipient, detail: detail && JSON.stringify(detail) };
    };
    await database
      .insertInto('events')
      .values([
        event('sending', 0, null),
        ...Array.from({ length: 9 }, (_, at) => event('deferred', 10_000 * (at + 1), to[1] ?? '')),
        event('delivered', 15_320, to[0] ?? ''),
        event('delivered', 86_400_000 + 90_000, to[1] ?? ''),
      ])
      .execute();
    const page = await dashboard.open(`/emails/${id}`, { context: { timezoneId: 'UTC' } });
    const timeline = page.getByRole('region', { name: 'Timeline', exact: true });
    const timesOf = (recipient: string) =>
      timeline
        .getByRole('group')
        .filter({ hasText: recipient })
        .getByRole('listitem')
        .locator('div:has(> span > time)');
    const clock = (ms: number) => utc.clock(now + ms);
    await soon(async () =>
      assert.deepEqual(await timesOf('x@dst.test').allTextContents(), [`Delivered+15.32 s${clock(15_320)}`]),
    );
    await soon(async () => assert.equal(await timesOf('y@dst.test').count(), 5));
    await timeline.getByRole('button', { name: 'Show all 10 events', exact: true }).click();
    await soon(async () => {
      const shown = await timesOf('y@dst.test').allTextContents();
      assert.equal(shown.length, 10);
      assert.match(shown[1] ?? '', /^Deferred, attempt 1\+10\.00 s/);
      const tomorrow = now + 86_400_000 + 90_000;
      assert.equal(shown[9], `Delivered+1 day${utc.date(tomorrow)}, ${utc.clock(tomorrow)}`);
    });
    await checkAccess(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const topOf = async (region: Locator) => (await region.boundingBox())?.y ?? 0;
    const content = page.getByRole('tablist', { name: 'Content', exact: true });
    assert.ok((await topOf(timeline)) < (await topOf(content)));
    await page.context().close();
  });

  test('a subject and a tag without spaces do not make the page wider than the window', async () => {
    const subject = 'Ünbroken'.repeat(25);
    const tag = 'tag'.repeat(45);
    const page = await dashboard.open(`/emails/${await send({ subject, tags: [tag, 'order'] })}`);
    await heading(page, subject).waitFor();
    const sendAgain = page.getByRole('button', { name: 'Send again', exact: true });
    for (const width of [390, 1_440]) {
      await page.setViewportSize({ width, height: 844 });
      await soon(async () =>
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width),
      );
      for (const shown of [heading(page, subject), page.getByTitle(tag, { exact: true }), sendAgain]) {
        const { x = -1, width: own = 0 } = (await shown.boundingBox()) ?? {};
        assert.ok(x >= 0 && x + own <= width, `${x} + ${own} of ${width}`);
      }
      await checkAccess(page);
    }
    await page.context().close();
  });

  describe('the card about a recipient', () => {
    const card = (page: Page, title: string | RegExp) => page.getByRole('region', { name: title });
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

    for (const [local, title, words] of [
      [
        'soft-bounced',
        'The mailbox is full',
        ['Soft bounce', '452 4.2.2 mailbox full', 'A later email may be delivered'],
      ],
      ['complained', 'The recipient reported the email as spam', ['Spam complaint', 'Suppressed']],
      [
        'failed',
        'The sandbox simulated a failure',
        ['550 5.7.1 rejected by the sandbox', 'No more for this email'],
      ],
    ] as const)
      test(`explains what happened to ${local}@`, async () => {
        const page = await dashboard.open(`/emails/${await send({ to: [`${local}@dst.test`] })}`);
        for (const each of words) await card(page, title).getByText(each).first().waitFor();
        await checkAccess(page);
        await page.context().close();
      });

    test('leads by keyboard from a suppressed address to the email sent again', async () => {
      const { database } = dashboard.service;
      const address = `bounced+${newUuid()}@dst.test`;
      const first = await send({ to: [address] });
      await database.transaction().execute((tx) =>
        suppress(tx, [
          {
            projectId: dashboard.projectUuid,
            address,
            reason: 'bounce',
            detail: { diagnostic: '550 5.1.1 no such user' },
            cause: { emailId: decodeId('em', first) as string, recipientIndex: 0 },
            expiresAt: null,
          },
        ]),
      );
      const second = await send({ to: [address] });
      const page = await dashboard.open(`/emails/${second}`, { colorScheme: 'dark' });
      const suppressed = card(page, 'The address is on the suppression list');
      await suppressed.getByText('550 5.1.1 no such user').waitFor();
      await checkAccess(page);
      const cause = suppressed.getByRole('link', { name: 'another email', exact: true });
      assert.match((await cause.getAttribute('href')) ?? '', new RegExp(`/emails/${first}`));
      await button(page, 'Remove from list').press('Enter');
      await checkAccess(page);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).press('Enter');
      const removed = card(page, 'The address was on the suppression list');
      await removed.getByRole('button', { name: 'Send again', exact: true }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Send again', exact: true }).press('Enter');
      await page.waitForURL((url) => url.pathname.includes('/emails/em_') && !url.pathname.endsWith(second));
      const bounced = card(page, 'The mailbox does not exist or is disabled');
      for (const words of [
        'Hard bounce',
        '550 5.1.1 no such user',
        'Later emails to the address would bounce',
      ])
        await bounced.getByText(words).waitFor();
      await page.context().close();
    });

    test('has a deferred recipient tried at once', async () => {
      const { database } = dashboard.service;
      const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
      const id = await send({ scheduled_at });
      const emailId = decodeId('em', id) as string;
      const event = newEvent('deferred', 0, 'ada@dst.test');
      assert.ok(event.type === 'deferred');
      await database
        .insertInto('events')
        .values({
          projectId: dashboard.projectUuid,
          emailId,
          id: firstUuidAt(new Date(Date.now() - 20_000)),
          type: 'deferred',
          recipient: 'ada@dst.test',
          detail: JSON.stringify({ ...event.detail, smtp_code: 452, response: '452 4.2.2 mailbox full' }),
        })
        .execute();
      await sql`update queue set attempts = 1, scheduled_at = null where email_id = ${emailId}`.execute(
        database,
      );
      await sql`update emails set scheduled_at = null where id = ${emailId}`.execute(database);
      const viewer = await dashboard.open(`/emails/${id}`, { as: 'viewer' });
      await card(viewer, 'The mailbox is full').getByText('attempt 2').waitFor();
      assert.equal(await button(viewer, 'Try now').count(), 0);
      await viewer.context().close();
      const page = await dashboard.open(`/emails/${id}`);
      await card(page, 'The mailbox is full').getByText('Retrying').waitFor();
      await checkAccess(page);
      await button(page, 'Try now').press('Enter');
      await page.getByText('Delivered', { exact: true }).first().waitFor();
      await soon(async () => assert.equal(await card(page, 'The mailbox is full').count(), 0));
      await page.context().close();
    });

    test('lets an operator resume a paused destination, and names the operator to others', async () => {
      const { database } = dashboard.service;
      const destination = `${newUuid()}.test`;
      const to = [`ada@${destination}`];
      const id = await send({ to, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
      const emailId = decodeId('em', id);
      await pauseDestination(database, destination, new Date());
      await sql`insert into destinations (name, failures, next_attempt_at) values (${destination}, 0, now())`.execute(
        database,
      );
      await sql`
        update queue set scheduled_at = null, next_attempt_at = 'infinity', destination = ${destination}
        where email_id = ${emailId}`.execute(database);
      await sql`update emails set scheduled_at = null where id = ${emailId}`.execute(database);
      const title = `Mail to ${destination} is paused`;
      const member = await dashboard.open(`/emails/${id}`);
      await card(member, title).getByText('An operator can resume the destination').waitFor();
      assert.equal(await button(member, `Resume ${destination}`).count(), 0);
      await member.context().close();
      const page = await dashboard.open(`/emails/${id}`, { as: 'operator' });
      await card(page, title).waitFor();
      await checkAccess(page);
      await button(page, `Resume ${destination}`).press('Enter');
      await page.getByText('Delivered', { exact: true }).first().waitFor();
      await soon(async () => assert.equal(await card(page, title).count(), 0));
      await page.context().close();
    });

    test('says that all sending is paused, as long as it is', async () => {
      const { database } = dashboard.service;
      const id = await send({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
      const emailId = decodeId('em', id);
      await sql`update queue set scheduled_at = null where email_id = ${emailId}`.execute(database);
      await sql`update emails set scheduled_at = null where id = ${emailId}`.execute(database);
      const title = 'Sending is paused for all mail of this installation';
      const page = await dashboard.open(`/emails/${id}`);
      await page.getByText('Queued', { exact: true }).first().waitFor();
      assert.equal(await card(page, title).count(), 0);
      await pauseSending(database, new Date());
      try {
        await card(page, title).waitFor();
        await checkAccess(page);
      } finally {
        await resumeSending(database);
      }
      await sql`update queue set next_attempt_at = now() where email_id = ${emailId}`.execute(database);
      await page.getByText('Delivered', { exact: true }).first().waitFor();
      assert.equal(await card(page, title).count(), 0);
      await page.context().close();
    });

    test('retries an email that the service failed to process', async () => {
      const { database } = dashboard.service;
      const { projectUuid: projectId } = dashboard;
      const email = await queueEmailWith(database, [], {
        projectId,
        scheduledAt: new Date(Date.now() + 3_600_000),
      });
      const { emailId } = email;
      await database.transaction().execute(async (tx) => {
        await sql`delete from queue where email_id = ${emailId}`.execute(tx);
        await sql`update emails set scheduled_at = null where id = ${emailId}`.execute(tx);
        await sql`update email_recipients set crashes = ${MAX_CRASHES} where email_id = ${emailId}`.execute(
          tx,
        );
        await recordEvents(tx, [
          { ...email, events: [failedUnsent({ recipientIndex: 0, address: 'b@dst.test' }, 'internal')] },
        ]);
      });
      const page = await dashboard.open(`/emails/${encodeId('em', emailId)}`);
      await card(page, 'Posthorn could not process the email').waitFor();
      await checkAccess(page);
      await button(page, 'Retry').press('Enter');
      await page.getByText('Delivered', { exact: true }).first().waitFor();
      await soon(async () =>
        assert.equal(await card(page, 'Posthorn could not process the email').count(), 0),
      );
      await page.context().close();
    });

    test('lists a few of many recipients at first', async () => {
      const to = Array.from({ length: 7 }, (_, at) => `bounced+${at}@dst.test`);
      const page = await dashboard.open(`/emails/${await send({ to: [...to, 'soft-bounced@dst.test'] })}`);
      const bounced = card(page, 'The mailbox does not exist or is disabled');
      await bounced.getByRole('button', { name: 'Show all 7 recipients', exact: true }).click();
      await soon(async () => assert.equal(await bounced.getByRole('listitem').count(), 7));
      await card(page, 'The mailbox is full').getByText('soft-bounced@dst.test').waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      await checkAccess(page);
      await page.context().close();
    });
  });

  test('the key j opens the next email of the list, and k opens the previous email', async () => {
    const [older, newer] = [await send({ tags: ['trail'] }), await send({ tags: ['trail'] })];
    const page = await dashboard.open('/emails?q=tag:trail');
    await page.getByRole('link', { name: 'Your order has shipped', exact: true }).first().click();
    const at = (id: string) => page.waitForURL((url) => url.pathname.endsWith(id));
    await at(newer);
    await heading(page, 'Your order has shipped').waitFor();
    await page.keyboard.press('j');
    await at(older);
    await page.keyboard.press('k');
    await at(newer);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/dashboard/emails' && url.search.includes('trail'));
    await page.context().close();
  });

  test('Esc returns to the list of emails', async () => {
    const page = await dashboard.open(`/emails/${await send()}`);
    await heading(page, 'Your order has shipped').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/dashboard/emails');
    await page.context().close();
  });

  test('a viewer sees the timeline of an email, but not its content', async () => {
    const page = await dashboard.open(`/emails/${await send()}`, { as: 'viewer' });
    await page.getByText('You do not have access to this content').waitFor();
    await page
      .getByRole('region', { name: 'Timeline', exact: true })
      .getByText('Queued', { exact: true })
      .waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Send again', exact: true }).count(), 0),
    );
    await soon(async () => assert.equal(await page.locator('iframe').count(), 0));
    await checkAccess(page);
    await page.context().close();
  });

  test('an email with deleted content says so, and an email of another project is not found', async () => {
    const { database } = dashboard.service;
    const email = newEmail({ projectId: dashboard.projectUuid });
    const foreign = newEmail();
    await insertEmails(database, [email, foreign]);
    await database
      .updateTable('emailContents')
      .set({ bodiesDeletedAt: new Date(), html: null })
      .where('projectId', '=', email.projectId)
      .where('emailId', '=', email.emailId)
      .execute();
    const page = await dashboard.open(`/emails/${encodeId('em', email.emailId)}`);
    await page.getByText('The content was deleted').waitFor();
    await page.goto(`/dashboard/emails/${encodeId('em', foreign.emailId)}`);
    await page.getByText('Email not found').waitFor();
    await checkAccess(page);
    await page.context().close();
  });
});
