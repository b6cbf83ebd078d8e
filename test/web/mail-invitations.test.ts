/** Invitations in the web client: the display of events, responses, and hostile invitations. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { BERLIN, calendarOf } from '../../src/rfc/icalendar/calendar.fixture.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

const TOKYO = { timezoneId: 'Asia/Tokyo' };

suite('invitations in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  /** Delivers an invitation to a mailbox, and opens the message. */
  async function open(
    localPart: string,
    lines: readonly string[],
    options: Parameters<typeof calendarOf>[1] & {
      from?: string;
      viewport?: { width: number; height: number };
    } = {},
  ): Promise<Page> {
    const { user } = await client.mailbox(localPart);
    const { user: organizer } = await client.mailbox('organizer');
    const calendar = calendarOf(
      [`ORGANIZER;CN=Ann Lee:mailto:${organizer}`, `ATTENDEE;CN=Bob:mailto:${user}`, ...lines],
      options,
    );
    await client.append(
      localPart,
      [
        `From: ${options.from ?? `Ann Lee <${organizer}>`}`,
        `To: ${user}`,
        'Subject: Planning session',
        'Message-ID: <planning@acme.example>',
        'Date: Mon, 01 Feb 2027 10:00:00 +0000',
        'MIME-Version: 1.0',
        'Content-Type: multipart/alternative; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'You are invited.',
        '--b',
        'Content-Type: text/calendar; charset=utf-8; method=REQUEST',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(calendar).toString('base64'),
        '--b--',
        '',
      ].join('\r\n'),
    );
    const { viewport } = options;
    const page = await client.open('/inbox', {
      as: localPart,
      context: TOKYO,
      ...(viewport !== undefined && { viewport }),
    });
    await page.getByRole('link', { name: 'Planning session' }).first().click();
    return page;
  }

  const card = (page: Page, kind = 'Invitation') => page.getByRole('region', { name: kind, exact: true });

  test('an invitation shows the time in the zones of user and organizer, and its response is sent to the organizer', async () => {
    const page = await open('bob', [
      'LOCATION:Room 5',
      'DESCRIPTION:Bring numbers',
      'RRULE:FREQ=WEEKLY;BYDAY=MO',
    ]);
    const invitation = card(page);
    await invitation.getByText('Mon, 5 Jul 2027, 17:00 – 18:30').waitFor();
    await invitation.getByText('Mon, 5 Jul 2027, 10:00 – 11:30 (Europe/Berlin)').waitFor();
    await invitation.getByText('Every week on Monday').waitFor();
    await invitation.getByText('Room 5').waitFor();
    await checkAccess(page);
    await invitation.getByRole('button', { name: 'Maybe', exact: true }).focus();
    await page.keyboard.press('Enter');
    await invitation.getByText(/^You responded maybe/).waitFor();
    await soon(async () =>
      assert.equal(
        await invitation.getByRole('button', { name: 'Maybe', exact: true }).getAttribute('aria-pressed'),
        'true',
      ),
    );
    await checkAccess(page);
    await page.reload();
    await invitation.getByText(/^You responded maybe/).waitFor();
    await page.context().close();
    // The organizer receives the response by mail.
    const organizer = await client.open('/inbox', { as: 'organizer' });
    await organizer.getByRole('link', { name: 'Maybe: Planning' }).first().click();
    await card(organizer, 'Invitation response').getByText('maybe').waitFor();
    await organizer.context().close();
  });

  test('hostile content of an invitation is shown as text, with warnings', async () => {
    const lying = BERLIN.map((line) => line.replace(/^(TZOFFSETTO):.*/, '$1:-1100'));
    const page = await open(
      'eve',
      [
        'SUMMARY:<img src=x onerror="document.title=1">Free money',
        'DESCRIPTION:<script>document.title=1</script><a href="javascript:alert(1)">win</a>',
        'URL:javascript:alert(1)',
        `LOCATION:${'x'.repeat(2_000)}`,
      ],
      { zones: lying, from: 'Boss <boss@evil.example>', viewport: { width: 390, height: 844 } },
    );
    const invitation = card(page);
    await invitation.getByText('<img src=x onerror="document.title=1">Free money').waitFor();
    await invitation.getByText('who did not send this message').waitFor();
    await invitation.getByText('The time may be wrong').waitFor();
    await soon(async () =>
      assert.equal(await invitation.locator('img, script, a[href^="javascript"]').count(), 0),
    );
    await checkAccess(page);
    const { scrolls } = await page.evaluate<{ scrolls: boolean }>(
      '({ scrolls: document.documentElement.scrollWidth > innerWidth })',
    );
    assert.equal(scrolls, false);
    await page.context().close();
  });

  test('an invitation to a canceled event has no buttons to respond', async () => {
    const page = await open('cy', ['SUMMARY:Planning'], { method: 'CANCEL' });
    const invitation = card(page, 'Cancelled');
    await invitation.waitFor();
    await soon(async () =>
      assert.equal(await invitation.getByRole('button', { name: 'Accept', exact: true }).count(), 0),
    );
    await page.context().close();
  });
});
