/** The web client on its own host. The mail host serves only the web client, and the dashboard's host does not serve mail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER } from '../support/browser.ts';
import { freePort } from '../support/free-ports.ts';
import { openMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';

test('POSTHORN_MAIL_URL: the web client works only on the mail host, with a cookie and a policy of the mail host', {
  skip: NO_BROWSER,
}, async () => {
  const port = await freePort();
  const mailUrl = `http://mail.localhost:${port}`;
  await using client = await openMailClient({
    env: { POSTHORN_HTTP_PORT: String(port), POSTHORN_MAIL_URL: mailUrl },
  });
  const { user, password } = await client.mailbox('ann');
  await client.append(
    'ann',
    'From: Shop <shop@src.test>\r\nSubject: Order\r\nContent-Type: text/html\r\n\r\n<h2>Thank you</h2><img src="https://img.src.test/a.png">',
  );
  const page = await client.open('/sign-in', { as: null, context: { baseURL: mailUrl } });
  await page.getByLabel('Address').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'Order' }).click();
  const frame = page.frameLocator('iframe[title=Message]');
  await frame.getByText('Thank you').waitFor();
  await page.getByRole('button', { name: 'Show remote content' }).click();
  await page.getByRole('button', { name: 'Show remote content' }).waitFor({ state: 'detached' });
  await frame.getByText('Thank you').waitFor();
  await checkAccess(page);
  assert.deepEqual(
    [...new Set((await page.context().cookies()).map(({ domain, httpOnly }) => `${domain} ${httpOnly}`))],
    ['mail.localhost true'],
  );
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello');
  await page.getByText(/^Saved \d/).waitFor();

  const at = async (url: string) => {
    const answer = await page.goto(url);
    assert.ok(answer !== null);
    return {
      status: answer.status(),
      url: page.url(),
      policy: await answer.headerValue('content-security-policy'),
    };
  };
  const shown = await at(`${mailUrl}/`);
  assert.equal(shown.status, 200);
  assert.match(shown.url, /^http:\/\/mail\.localhost:\d+\/mail/);
  assert.match(shown.policy ?? '', /default-src 'none'|default-src 'self'/);
  for (const path of ['/dashboard', '/v1/emails', '/docs'])
    assert.equal((await at(mailUrl + path)).status, 404, path);
  await page.context().close();

  // On the dashboard's host, URLs of the web client redirect to the mail host, and the mail API does not exist.
  const other = await client.browser.newContext();
  const elsewhere = await other.newPage();
  await elsewhere.goto(`${client.service.baseUrl}/mail/${encodeURIComponent(user)}/inbox`);
  await elsewhere.getByRole('heading', { name: 'Sign in to your mailbox', level: 1 }).waitFor();
  assert.equal(new URL(elsewhere.url()).host, `mail.localhost:${port}`);
  const session = await elsewhere.goto(`${client.service.baseUrl}/mail/api/session`);
  assert.equal(session?.status(), 404);
  const dashboard = await elsewhere.goto(`${client.service.baseUrl}/dashboard`);
  assert.equal(dashboard?.status(), 200);
  await other.close();
});
