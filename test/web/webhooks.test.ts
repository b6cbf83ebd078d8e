import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { CreatedWebhook } from '../../src/contract/webhooks.ts';
import { decodeId, encodeId, newUuid, restartIds } from '../../src/model/ids.ts';
import type { DeliveryRow } from '../../src/webhooks/records.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { isSigned, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { insertDelivery } from '../support/webhooks.ts';
import { soon } from '../support/soon.ts';

let dashboard: OpenedDashboard;
let receiver: WebhookReceiver;

before(async () => {
  if (NO_BROWSER !== false) return;
  [dashboard, receiver] = await Promise.all([openDashboard(), startWebhookReceiver()]);
});
after(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await dashboard?.[Symbol.asyncDispose]();
});

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

async function create(
  url = 'https://hooks.acme.example/mail',
  events: readonly string[] = ['email.complained'],
): Promise<CreatedWebhook> {
  const { body } = await dashboard.service.client().post<CreatedWebhook>('/v1/webhooks', { url, events });
  return body;
}

const add = async ({ id }: CreatedWebhook, fields: Partial<DeliveryRow>) => {
  const key = { projectId: dashboard.projectUuid, webhookId: decodeId('wh', id) as string };
  return encodeId('dlv', await insertDelivery(dashboard.service.database, key, fields));
};

/** Delays the response to a POST request until the returned promise is resolved. */
async function holdResponse(page: Page, url: string): Promise<PromiseWithResolvers<void>> {
  const released = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const response = await route.fetch();
    await released.promise;
    return route.fulfill({ response });
  });
  return released;
}

/** Tries every way to close a dialog, which must stay open until the response arrives, because the response has a secret shown once. */
async function tryToClose(page: Page, dialog: Locator): Promise<void> {
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  for (const name of ['Cancel', 'Close']) assert.ok(await button(dialog, name).isDisabled());
  await dialog.locator('[aria-busy=true]').waitFor();
}

/**
 * Submits the form twice, then tries to close the dialog in every way, within one task of the browser. This imitates keys and clicks in
 * immediate succession: only microtasks run between them.
 */
const SEND_AND_CLOSE = `(async () => {
  const dialog = document.querySelector('dialog[open]');
  const settled = async () => { for (let turn = 0; turn < 100; turn++) await null; };
  for (let times = 0; times < 2; times++) {
    dialog.querySelector('form').requestSubmit();
    await settled();
  }
  dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
  dialog.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  for (const button of dialog.querySelectorAll('button[type=button]')) button.click();
  await settled();
  return document.contains(dialog);
})()`;

const button = (area: Page | Locator, name: string) => area.getByRole('button', { name, exact: true });

inBrowser('an empty list explains webhooks, and a new webhook shows its secret once', async () => {
  const page = await dashboard.open('/webhooks');
  await page.getByRole('heading', { name: 'Webhooks', exact: true, level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'No webhooks yet', exact: true }).waitFor();
  await checkAccess(page);
  await button(page, 'Create webhook').click();
  const dialog = page.getByRole('dialog');
  await button(dialog, 'Create').click();
  // The form is rejected with an error at the field.
  await soon(async () =>
    assert.match(
      (await dialog.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')) ?? '',
      /true/,
    ),
  );
  await dialog.getByLabel('URL', { exact: true }).fill(receiver.url);
  await dialog.getByLabel('email.queued', { exact: true }).check();
  await checkAccess(page);
  const answer = await holdResponse(page, '**/webhooks');
  await page.keyboard.press('Enter');
  await dialog.locator('[aria-busy=true]').waitFor();
  await tryToClose(page, dialog);
  answer.resolve();
  const shown = page.getByLabel('Signing secret', { exact: true });
  await shown.waitFor();
  await page.mouse.click(5, 5);
  const secret = await shown.textContent();
  assert.match(secret ?? '', /^whsec_/);
  await checkAccess(page);
  await button(page, 'Open webhook').click();
  await page.getByRole('heading', { name: receiver.url, level: 1 }).waitFor();
  await soon(async () => assert.ok(!(await page.content()).includes(secret ?? '')));
  await button(page, 'Send test').click();
  await page.getByText('Test succeeded: your endpoint returned 200').waitFor();
  const [post] = await receiver.waitFor(1);
  assert.ok(post !== undefined && isSigned(post, secret ?? ''));
  await page.context().close();
});

inBrowser(
  'deliveries of real events appear without a reload, and show the request, the response and the email',
  async () => {
    await using own = await startWebhookReceiver({ answer: { body: 'thank you' } });
    const webhook = await create(own.url, ['email.queued']);
    const page = await dashboard.open(`/webhooks/${webhook.id}`);
    await page.getByRole('heading', { name: 'No deliveries yet', exact: true }).waitFor();
    const { body } = await dashboard.service.client().post<{ id: string }>('/v1/emails', {
      from: 'hello@posthorn.localhost',
      to: ['ada@example.org'],
      subject: 'A test',
      text: 'Hello',
    });
    const link = page
      .getByRole('table', { name: 'Deliveries', exact: true })
      .getByRole('link', { name: 'email.queued', exact: true });
    await link.waitFor();
    await link.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'email.queued', exact: true });
    await dialog.getByRole('link', { name: 'ada@example.org: A test', exact: true }).waitFor();
    await soon(async () => assert.match(page.url(), /delivery=dlv_/));
    await soon(async () =>
      assert.deepEqual(
        JSON.parse((await dialog.getByLabel('Request body', { exact: true }).textContent()) ?? ''),
        JSON.parse(own.received[0]?.body ?? ''),
      ),
    );
    await dialog.getByRole('tab', { name: 'Response', exact: true }).click();
    await dialog.getByText('thank you').waitFor();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await soon(async () => assert.ok(!page.url().includes('delivery=')));
    await page.getByRole('link', { name: 'ada@example.org A test', exact: true }).click();
    await page.waitForURL(`**/emails/${body.id}*`);
    await page.context().close();
  },
);

inBrowser('a failed test says what is wrong with the endpoint and what to do', async () => {
  await using own = await startWebhookReceiver({ answer: { status: 404 } });
  const webhook = await create(own.url);
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await button(page, 'Send test').click();
  await page.getByText('Test failed: your endpoint returned 404').waitFor();
  await page.getByText('Compare the path of the URL with the route of your endpoint.').waitFor();
  await page.context().close();
});

inBrowser('a failed delivery is explained and replayed', async () => {
  await using own = await startWebhookReceiver();
  const webhook = await create(own.url, ['email.queued']);
  const { body } = await dashboard.service.client().post<{ id: string }>('/v1/emails', {
    from: 'hello@posthorn.localhost',
    to: ['ada@example.org'],
    subject: 'Replayed',
    text: 'Hello',
  });
  await own.waitFor(1);
  const path = `/v1/webhooks/${webhook.id}`;
  const { deliveries } = (await dashboard.service.client().get<{ deliveries: { id: string }[] }>(path)).body;
  const delivery = deliveries[0];
  assert.ok(delivery !== undefined);
  // The delivery is recorded a moment after the receiver has responded.
  const fail = async (): Promise<boolean> => {
    const { numUpdatedRows } = await dashboard.service.database
      .updateTable('deliveries')
      .set({ status: 'failed', deliveredAt: null, httpStatus: null, error: 'connection refused' })
      .where('id', '=', decodeId('dlv', delivery.id) as string)
      .where('status', '=', 'delivered')
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };
  await soon(async () => assert.ok(await fail()));
  const page = await dashboard.open(`/webhooks/${webhook.id}?delivery=${delivery.id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nothing listens on that host and port.').waitFor();
  await button(dialog, 'Replay').click();
  const [, again] = await own.waitFor(2);
  assert.equal((JSON.parse(again?.body ?? '') as { data: { email_id: string } }).data.email_id, body.id);
  await dialog.getByText('Delivered').waitFor();
  await page.context().close();
});

/** Accepts emails whose deliveries have failed once and wait for half a minute. */
async function sendFailing(own: WebhookReceiver, count: number): Promise<CreatedWebhook> {
  own.answerWith({ status: 500, body: 'out of memory' });
  const webhook = await create(own.url, ['email.queued']);
  for (let sent = 0; sent < count; sent++)
    await dashboard.service.client().post('/v1/emails', {
      from: 'hello@posthorn.localhost',
      to: [`user${sent}@example.org`],
      subject: `Order ${sent}`,
      text: 'Hello',
    });
  await own.waitFor(count);
  const path = `/v1/webhooks/${webhook.id}`;
  await soon(async () => {
    const { body } = await dashboard.service
      .client()
      .get<{ deliveries: { http_status: number | null }[] }>(path);
    assert.deepEqual(
      body.deliveries.map(({ http_status }) => http_status),
      Array.from({ length: count }, () => 500),
    );
  });
  return webhook;
}

inBrowser('after a successful test of a repaired endpoint, all pending events are sent at once', async () => {
  await using own = await startWebhookReceiver();
  const webhook = await sendFailing(own, 6);
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await button(page, 'Try all pending').waitFor();
  const table = page.getByRole('table', { name: 'Deliveries', exact: true });
  // Each attempt has failed, but each delivery is still pending.
  await page.getByText('100% of the attempts failed.').waitFor();
  await page.getByLabel('Status', { exact: true }).selectOption('failed');
  await page.getByText('No failed deliveries').waitFor();
  await button(page, 'Show pending deliveries').click();
  await table.getByText('Order 5').waitFor();
  await page.getByLabel('Status', { exact: true }).selectOption('');
  await button(page, 'Send test').click();
  await page.getByText('Test failed: your endpoint returned 500').waitFor();
  assert.equal(await button(page, 'Send the 6 pending events').count(), 0);
  own.answerWith({ status: 200 });
  await button(page, 'Send test').click();
  await page.getByText('Test succeeded: your endpoint returned 200').waitFor();
  await button(page, 'Send the 6 pending events').waitFor();
  await checkAccess(page);
  await button(page, 'Send the 6 pending events').click();
  await page.getByText('Tried 6 pending deliveries').waitFor();
  await table.getByText('Order 5').waitFor();
  // Six events and the successful test; the failed test stays failed.
  await soon(async () => assert.equal(await table.getByText('Delivered', { exact: true }).count(), 7));
  assert.equal(await button(page, 'Try all pending').count(), 0);
  // Six first attempts, two tests, six second attempts.
  assert.equal(own.received.length, 14);
  await page.context().close();
});

inBrowser('while the endpoint still fails, the page says so, and the other deliveries wait', async () => {
  await using own = await startWebhookReceiver();
  const webhook = await sendFailing(own, 6);
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await button(page, 'Try all pending').click();
  await page.getByText('Stopped after trying 4 pending deliveries').waitFor();
  await page.getByText('Your endpoint failed again, so the others wait').waitFor();
  await checkAccess(page);
  assert.equal(own.received.length, 10);
  await page.context().close();
});

inBrowser('a pending delivery is tried now, and shows each of its attempts', async () => {
  await using own = await startWebhookReceiver();
  const webhook = await sendFailing(own, 1);
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await page
    .getByRole('table', { name: 'Deliveries', exact: true })
    .getByRole('link', { name: 'email.queued', exact: true })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This uses attempt 2 of 12.').waitFor();
  own.answerWith({ status: 404, body: 'no such route' });
  await button(dialog, 'Try now').click();
  await dialog.getByText('This uses attempt 3 of 12.').waitFor();
  own.answerWith({ status: 200, body: 'thanks' });
  await button(dialog, 'Try now').click();
  await dialog.getByText('Delivered').waitFor();
  assert.equal(await button(dialog, 'Try now').count(), 0);
  await dialog.getByRole('tab', { name: 'Attempts', exact: true }).click();
  await soon(async () =>
    assert.deepEqual(await dialog.locator('ol pre').allTextContents(), [
      'thanks',
      'no such route',
      'out of memory',
    ]),
  );
  await checkAccess(page);
  await page.context().close();
});

inBrowser(
  'all failed deliveries are replayed, after their number is shown, and the progress is displayed',
  async () => {
    const webhook = await create();
    for (let count = 0; count < 20; count++)
      await add(webhook, { status: 'failed', attempts: 12, httpStatus: 500 });
    const page = await dashboard.open(`/webhooks/${webhook.id}?status=failed`);
    await button(page, 'Replay failed').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('20 deliveries will be sent again.').waitFor();
    await checkAccess(page);
    await dialog.getByLabel('All failed deliveries', { exact: true }).check();
    await dialog.getByText('20 deliveries will be sent again.').waitFor();
    await button(dialog, 'Replay').click();
    await page.getByText('Replayed 20 failed deliveries').waitFor();
    await page.context().close();
  },
);

inBrowser('each number of deliveries leads to exactly the deliveries that it counts', async () => {
  await using own = await startWebhookReceiver();
  const webhook = await sendFailing(own, 2);
  const hoursAgo = (hours: number) => {
    // After the restart, an ID can have an earlier time than the previous ID.
    restartIds();
    return newUuid(Date.now() - hours * 3_600_000);
  };
  for (const [hours, status] of [
    [0, 'failed'],
    [20, 'failed'],
    [30, 'failed'],
    [8 * 24, 'failed'],
    [1, 'delivered'],
  ] as const)
    await add(webhook, { id: hoursAgo(hours), type: 'email.bounced', status, attempts: 12 });
  const page = await dashboard.open(`/webhooks/${webhook.id}?type=email.opened&time=1h`);
  const table = page.getByRole('table', { name: 'Deliveries', exact: true });
  await page.getByText('No matching deliveries').waitFor();
  for (const [span, status, count] of [
    ['24 hours', 'failed', 2],
    ['24 hours', 'pending', 2],
    ['24 hours', 'delivered', 1],
    ['7 days', 'failed', 3],
    ['30 days', 'failed', 4],
  ] as const) {
    await page.getByRole('radio', { name: span, exact: true }).check({ force: true });
    const link = page.getByRole('link', { name: `${count} ${status}: show these deliveries`, exact: true });
    await link.press('Enter');
    await soon(async () => assert.equal(await table.locator('tbody tr').count(), count));
    await soon(async () => assert.match(page.url(), /time=\d{4}-/));
  }
  await checkAccess(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await checkAccess(page);
  await page.context().close();
});

inBrowser('a form is sent once, and no key or click right after sending closes its dialog', async () => {
  const webhook = await create();
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await button(page, 'Rotate secret').click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const answer = await holdResponse(page, '**/secret');
  let sent = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/secret')) sent++;
  });
  assert.equal(await page.evaluate(SEND_AND_CLOSE), true);
  await tryToClose(page, dialog);
  answer.resolve();
  await page.getByLabel('New signing secret', { exact: true }).waitFor();
  assert.equal(sent, 1);
  // After the response, the dialog can be closed again.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.context().close();
  // A form with an invalid field is not sent, so the dialog can be closed immediately.
  const list = await dashboard.open('/webhooks');
  await button(list, 'Create webhook').click();
  await button(list.getByRole('dialog'), 'Create').click();
  await list.getByRole('dialog').locator('[aria-invalid=true]').waitFor();
  await list.keyboard.press('Escape');
  await list.getByRole('dialog').waitFor({ state: 'detached' });
  await list.context().close();
});

inBrowser('a secret is rotated with a countdown, and the rotation is canceled or finished', async () => {
  await using own = await startWebhookReceiver();
  const webhook = await create(own.url);
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  const rotate = async () => {
    await button(page, 'Rotate secret').click();
    const dialog = page.getByRole('dialog');
    const answer = await holdResponse(page, '**/secret');
    await button(dialog, 'Rotate').click();
    await tryToClose(page, dialog);
    answer.resolve();
    const shown = page.getByLabel('New signing secret', { exact: true });
    await shown.waitFor();
    await page.mouse.click(5, 5);
    const secret = (await shown.textContent()) ?? '';
    await checkAccess(page);
    await button(page, 'Done').click();
    await page
      .getByRole('timer')
      .getByText(/^23 h 5\d min \d+ s$|^1 d 0 h 0 min$|^24 h/)
      .waitFor();
    return secret;
  };
  const answerAlert = async (name: string) => {
    await button(page, name).click();
    await button(page.getByRole('alertdialog'), name).click();
    await page.getByRole('timer').waitFor({ state: 'detached' });
  };
  await rotate();
  await checkAccess(page);
  await answerAlert('Cancel rotation');
  const secret = await rotate();
  await answerAlert('Finish now');
  await button(page, 'Send test').click();
  const [post] = await own.waitFor(1);
  assert.ok(post !== undefined && isSigned(post, secret));
  assert.equal(post.headers['x-mail-signature-next'], undefined);
  await page.context().close();
});

inBrowser('a warning precedes pausing and deleting a webhook', async () => {
  const webhook = await create('https://hooks.acme.example/lost');
  await add(webhook, { nextAttemptAt: new Date(Date.now() + 3_600_000), attempts: 1 });
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await button(page, 'Pause').click();
  const alert = page.getByRole('alertdialog');
  await alert.getByText('1 pending delivery will fail.').waitFor();
  await checkAccess(page);
  await button(alert, 'Pause').click();
  await page.getByText('Paused', { exact: true }).waitFor();
  await button(page, 'Resume').click();
  await page.getByText('Active', { exact: true }).waitFor();
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Delete webhook', exact: true }).click();
  await alert.getByText('Its delivery log and secret will be permanently deleted').waitFor();
  // The button that cancels has the focus.
  await page.keyboard.press('Enter');
  await alert.waitFor({ state: 'detached' });
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Delete webhook', exact: true }).click();
  await button(alert, 'Delete').click();
  await page.waitForURL('**/dashboard/webhooks*');
  await page.getByRole('heading', { name: 'Webhooks', exact: true, level: 1 }).waitFor();
  await soon(async () => assert.equal(await page.getByRole('link', { name: webhook.url }).count(), 0));
  await page.context().close();
});

inBrowser('a webhook is edited, and an error is shown at its field', async () => {
  const webhook = await create('https://hooks.acme.example/edited');
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  await button(page, 'Edit').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL', { exact: true }).fill('nowhere');
  await button(dialog, 'Save').click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  await dialog.getByLabel('URL', { exact: true }).fill('https://hooks.acme.example/other');
  await button(dialog, 'Select all').click();
  await button(dialog, 'Save').click();
  await page
    .getByRole('heading', { name: 'https://hooks.acme.example/other', exact: true, level: 1 })
    .waitFor();
  await page.getByText('All events', { exact: true }).first().waitFor();
  await page.context().close();
});

inBrowser('the verification examples in five languages equal the examples of the docs', async () => {
  const webhook = await create();
  const page = await dashboard.open(`/webhooks/${webhook.id}`);
  for (const [name, ending] of [
    ['TypeScript', 'ts'],
    ['Python', 'py'],
    ['Go', 'go'],
    ['PHP', 'php'],
    ['Ruby', 'rb'],
  ] as const) {
    await page.getByRole('tab', { name, exact: true }).click();
    const code = await page.getByLabel(`the ${name} example`, { exact: true }).textContent();
    const file = new URL(`../../docs/webhook-verification/verify.${ending}`, import.meta.url);
    assert.equal(code, (await readFile(file, 'utf8')).trimEnd());
  }
  await page.context().close();
});

inBrowser('a viewer sees deliveries without bodies, and no buttons that change anything', async () => {
  const webhook = await create();
  await add(webhook, { attempts: 1, nextAttemptAt: new Date(Date.now() + 3_600_000) });
  const delivery = await add(webhook, {
    status: 'failed',
    attempts: 12,
    httpStatus: 500,
    responseBody: 'private',
    lastAttemptAt: new Date(),
  });
  const page = await dashboard.open(`/webhooks/${webhook.id}?delivery=${delivery}`, { as: 'viewer' });
  await page.getByText('Your role cannot see email contents').waitFor();
  await page.getByRole('dialog').getByRole('listitem').getByText('500').waitFor();
  await soon(async () => assert.ok(!(await page.content()).includes('private')));
  await page.keyboard.press('Escape');
  for (const name of [
    'Send test',
    'Pause',
    'Edit',
    'Rotate secret',
    'Replay failed',
    'Try all pending',
    'More',
  ])
    await soon(async () => assert.equal(await button(page, name).count(), 0, name));
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'] as const) {
  inBrowser(`on a phone, both pages fit the screen and are accessible in ${colorScheme} colors`, async () => {
    const webhook = await create(
      'https://a-very-long-host-name.hooks.acme.example/with/a/long/path?and=a-query-string',
    );
    for (const status of ['pending', 'delivered', 'failed'] as const)
      await add(webhook, { status, attempts: 1, nextAttemptAt: new Date(Date.now() + 3_600_000) });
    const page = await dashboard.open('/webhooks', { colorScheme, viewport: { width: 360, height: 800 } });
    await page.getByRole('table', { name: 'Webhooks', exact: true }).waitFor();
    await checkWidth(page);
    await checkAccess(page);
    await page.getByRole('link', { name: webhook.url }).first().click();
    await page.getByRole('table', { name: 'Deliveries', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Ruby', exact: true }).waitFor();
    await checkWidth(page);
    await checkAccess(page);
    await page.context().close();
  });
}

async function checkWidth(page: Page): Promise<void> {
  await soon(async () =>
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'the page is too wide',
    ),
  );
}

inBrowser('an unknown webhook is not found', async () => {
  const page = await dashboard.open(`/webhooks/wh_${'0'.repeat(26)}`);
  await page.getByRole('heading', { name: 'Webhook not found', exact: true }).waitFor();
  await page.context().close();
});
