/** Features of the web client for authenticated senders only: always showing images, and unsubscribing from lists with one click. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { createTransport } from 'nodemailer';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { openMailClient } from '../support/mail-client.ts';
import { testCertificate } from '../support/tls/certificate.ts';
import { checkAccess } from '../support/watched-page.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

test('a sender is trusted only if DMARC passes, one POST unsubscribes from a list, and a setting shows all images', {
  skip: NO_BROWSER,
}, async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  await using dns = await startDnsServer({
    'shop.test': { TXT: ['v=spf1 -all'], MX: ['10 shop.test'], A: ['127.0.0.1'] },
    '_dmarc.shop.test': { TXT: ['v=DMARC1; p=none'] },
    's1._domainkey.shop.test': { TXT: [`v=DKIM1; k=rsa; p=${key}`] },
  });
  await using list = await startWebhookReceiver({ tls: testCertificate });
  await using client = await openMailClient({
    env: {
      POSTHORN_DNS: dns.address,
      NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../support/tls/cert.pem', import.meta.url)),
    },
  });
  const { user } = await client.mailbox('ann');
  const transport = createTransport({
    host: '127.0.0.1',
    port: client.service.smtpPort,
    ignoreTLS: true,
    name: 'shop.test',
  });
  const deliver = (subject: string, isSigned: boolean) =>
    transport.sendMail({
      envelope: { from: 'news@shop.test', to: user },
      from: 'Shop <news@shop.test>',
      to: user,
      subject,
      html: `<h2>${subject}</h2><img src="https://img.shop.test/a.png">`,
      headers: {
        'List-Unsubscribe': `<https://localhost:${list.port}/leave?id=1>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
      ...(isSigned && {
        dkim: {
          domainName: 'shop.test',
          keySelector: 's1',
          privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
          headerFieldNames: 'from:subject:list-unsubscribe:list-unsubscribe-post',
        },
      }),
    });
  await deliver('First offer', true);
  await deliver('Second offer', true);
  const page = await client.open('/inbox');
  const base = page.url().replace(/inbox.*/, '');
  const frame = (on: Page) => on.locator('iframe[title=Message]');
  const show = async (subject: string, folder = 'inbox'): Promise<void> => {
    await page.goto(base + folder);
    await page.getByRole('link', { name: subject }).click();
    await page.frameLocator('iframe[title=Message]').getByText(subject).waitFor();
  };
  const showRemote = page.getByRole('button', { name: 'Show remote content' });

  await show('First offer');
  await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
  await checkAccess(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe', exact: true }).click();
  await page.getByText('localhost accepted the request').waitFor();
  const [post] = await list.waitFor(1);
  assert.deepEqual(
    [post?.method, post?.path, post?.body],
    ['POST', '/leave?id=1', 'List-Unsubscribe=One-Click'],
  );
  assert.ok(post !== undefined && !('cookie' in post.headers) && !('referer' in post.headers));

  await page.getByRole('button', { name: 'Always show images from news@shop.test' }).click();
  await showRemote.waitFor({ state: 'detached' });
  assert.match((await frame(page).getAttribute('src')) ?? '', /remote=1/);
  await show('Second offer');
  assert.equal(await showRemote.count(), 0);
  assert.match((await frame(page).getAttribute('src')) ?? '', /remote=1/);

  // Attack: anyone can send mail with this address. Without authentication, no images load and unsubscribing is not available.
  await deliver('Forged offer', false);
  const folders = page.getByRole('navigation', { name: 'Folders' });
  await page.goto(`${base}search?q=Forged%20in%3Aanywhere`);
  await folders.waitFor();
  await page.getByRole('link', { name: 'Forged offer' }).click();
  await showRemote.waitFor();
  assert.match((await frame(page).getAttribute('src')) ?? '', /remote=0/);
  assert.equal(await page.getByRole('button', { name: 'Always show images from' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Unsubscribe', exact: true }).count(), 0);

  await client.append(
    'ann',
    'From: a@src.test\r\nSubject: Plain\r\nContent-Type: text/html\r\n\r\n<p>Plain</p><img src="https://img.src.test/1.png">',
  );
  await show('Plain');
  await showRemote.waitFor();
  await page.goto(`${base}settings/reading`);
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await page.getByLabel('Always show', { exact: true }).click();
  await saved;
  await show('Plain');
  await showRemote.waitFor({ state: 'detached' });
  assert.match((await frame(page).getAttribute('src')) ?? '', /remote=1/);
  transport.close();
});
