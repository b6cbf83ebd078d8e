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

let count = 0;

suite('invitations in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  interface InvitationOptions {
    method?: string;
    zones?: readonly string[];
    from?: string;
    /** Whether the calendar is also attached as a file, as Google and Microsoft do. */
    isAttached?: boolean;
  }

  /** A message with an invitation from the mailbox `organizer`. */
  async function invitationFor(
    localPart: string,
    lines: readonly string[],
    { from, isAttached = false, ...options }: InvitationOptions = {},
  ): Promise<string> {
    const { user } = await client.mailbox(localPart);
    const { user: organizer } = await client.mailbox('organizer');
    const calendar = Buffer.from(
      calendarOf(
        [`ORGANIZER;CN=Ann Lee:mailto:${organizer}`, `ATTENDEE;CN=Bob:mailto:${user}`, ...lines],
        options,
      ),
    ).toString('base64');
    return [
      `From: ${from ?? `Ann Lee <${organizer}>`}`,
      `To: ${user}`,
      'Subject: Planning session',
      `Message-ID: <${count++}@acme.example>`,
      'Date: Mon, 01 Feb 2027 10:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=a',
      '',
      '--a',
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
      calendar,
      '--b--',
      ...(isAttached
        ? [
            '--a',
            'Content-Type: application/ics; name=invite.ics',
            'Content-Disposition: attachment; filename=invite.ics',
            'Content-Transfer-Encoding: base64',
            '',
            calendar,
          ]
        : []),
      '--a--',
      '',
    ].join('\r\n');
  }

  /** Stores an invitation in a mailbox, and opens the message. */
  async function open(
    localPart: string,
    lines: readonly string[],
    { viewport, ...options }: InvitationOptions & { viewport?: { width: number; height: number } } = {},
  ): Promise<Page> {
    await client.append(localPart, await invitationFor(localPart, lines, options));
    const page = await client.open('/inbox', {
      as: localPart,
      context: TOKYO,
      ...(viewport !== undefined && { viewport }),
    });
    await page.getByRole('link', { name: 'Planning session' }).first().click();
    return page;
  }

  const card = (page: Page, kind = 'Invitation') => page.getByRole('group', { name: kind, exact: true });

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
    await invitation.getByText('You haven’t responded').waitFor();
    await invitation.getByRole('definition').filter({ hasText: 'Ann Lee' }).waitFor();
    await checkAccess(page);
    await invitation.getByRole('button', { name: 'Maybe', exact: true }).focus();
    await page.keyboard.press('Enter');
    await invitation
      .getByRole('status')
      .getByText(/^You responded maybe/)
      .waitFor();
    await soon(async () =>
      assert.equal(
        await invitation.getByRole('button', { name: 'Maybe', exact: true }).getAttribute('aria-pressed'),
        'true',
      ),
    );
    await invitation.getByText('You responded maybe', { exact: true }).waitFor();
    await checkAccess(page);
    await page.reload();
    await invitation
      .getByRole('status')
      .getByText(/^You responded maybe/)
      .waitFor();
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

  const accept = (within: ReturnType<typeof card>) =>
    within.getByRole('button', { name: 'Accept', exact: true });

  test('an update and a cancellation that arrive later are shown on the open invitation, which cannot be accepted', async () => {
    const page = await open(
      'dora',
      ['LOCATION:https://meet.example/room', 'DESCRIPTION:Agenda: www.plan.example/a'],
      {
        isAttached: true,
      },
    );
    const link = card(page).getByRole('link', { name: 'https://meet.example/room', exact: true });
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
    await card(page).getByRole('link', { name: 'www.plan.example/a', exact: true }).waitFor();
    await accept(card(page)).waitFor();
    // The card shows the calendar file, so that it is no attachment.
    assert.equal(await page.getByRole('group', { name: 'Attachments', exact: true }).count(), 0);
    await client.append(
      'dora',
      await invitationFor('dora', [
        'SEQUENCE:1',
        'DTSTART;TZID=Europe/Berlin:20270708T100000',
        'DTEND;TZID=Europe/Berlin:20270708T110000',
      ]),
    );
    const old = card(page, 'Superseded');
    await old.getByText('Superseded: now Thu, 8 Jul 2027, 17:00 – 18:00.').waitFor();
    await soon(async () => assert.equal(await accept(old).count(), 0));
    await old.getByRole('link', { name: 'Show the newest invitation', exact: true }).press('Enter');
    await accept(card(page, 'Updated invitation')).waitFor();
    await checkAccess(page);
    await client.append('dora', await invitationFor('dora', ['SEQUENCE:2'], { method: 'CANCEL' }));
    await card(page, 'Cancelled').last().waitFor();
    await page.keyboard.press(';');
    await soon(async () => assert.equal(await card(page, 'Cancelled').count(), 3));
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Accept', exact: true }).count(), 0),
    );
    assert.equal(await page.getByRole('link', { name: 'Show the cancellation', exact: true }).count(), 2);
    await checkAccess(page);
    // The three messages are one conversation.
    await page.goBack();
    await soon(async () =>
      assert.equal(await page.getByRole('link', { name: 'Planning session' }).count(), 1),
    );
    await page.context().close();
  });

  test('a forged cancellation cancels nothing, and is reported on the invitation', async () => {
    const page = await open('finn', [], { viewport: { width: 390, height: 844 } });
    await accept(card(page)).waitFor();
    const { user: organizer } = await client.mailbox('organizer');
    await client.deliver(
      'finn',
      await invitationFor('finn', ['SEQUENCE:9'], { method: 'CANCEL', from: 'Eve <eve@evil.example>' }),
      'eve@evil.example',
    );
    await card(page).getByText('its sender could not be verified. Ask the organizer.').waitFor();
    await accept(card(page)).waitFor();
    await card(page).getByRole('link', { name: 'Show the message', exact: true }).click();
    await card(page, 'Cancelled')
      .getByText(`The organizer is ${organizer}, who did not send this message.`)
      .waitFor();
    await checkAccess(page);
    const scrolls = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    assert.equal(scrolls, false);
    await page.context().close();
  });
});
