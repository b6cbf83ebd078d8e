/** The domain pages: adding, verifying, changing and removing domains, whose records are published at a test DNS server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Domain } from '../../src/contract/domains.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { type DnsServer, publish, startDnsServer } from '../support/dns-server.ts';
import { soon } from '../support/soon.ts';

const NARROW = { width: 390, height: 844 };
/** Includes two automatic checks: the first runs 5 s after the page has loaded, the second 10 s later. */
const AUTOMATIC_CHECK_MS = 60_000;

describe('domain pages', { skip: NO_BROWSER }, () => {
  let dns: DnsServer;
  let dashboard: OpenedDashboard;
  before(async () => {
    dns = await startDnsServer();
    dashboard = await openDashboard({
      env: { POSTHORN_DNS: dns.address, POSTHORN_HOSTNAME: 'mx.posthorn.example' },
    });
  });
  after(async () => {
    await dashboard[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
  });

  async function add(domain: string): Promise<Domain> {
    const { status, body } = await dashboard.service.client().post<Domain>('/v1/domains', { domain });
    assert.equal(status, 201);
    return body;
  }

  /** Adds a domain, publishes its records and verifies it. */
  async function addVerified(domain: string): Promise<Domain> {
    const { id, records } = await add(domain);
    publish(dns.zone, records);
    return (await dashboard.service.client().post<Domain>(`/v1/domains/${id}/verify`)).body;
  }

  const recordItem = (page: Page, title: string): Locator =>
    page.getByRole('listitem', { name: title, exact: true });
  /** Waits until the step is the only current one. */
  const currentStep = async (page: Page, title: string) =>
    soon(async () =>
      assert.deepEqual(
        await page
          .getByRole('listitem')
          .filter({ hasText: 'In progress: ' })
          .getByRole('heading', { level: 3 })
          .allTextContents(),
        [title],
      ),
    );
  const says = (area: Page | Locator, text: string | RegExp, timeout = 60_000) =>
    area.getByText(text).first().waitFor({ timeout });

  test('a domain is added by keyboard, and verified automatically after its records are published', async () => {
    const page = await dashboard.open('/domains');
    await page.getByRole('heading', { name: 'Domains', exact: true, level: 1 }).waitFor();
    await says(page, 'Send from your own domain');
    await checkAccess(page);
    await page.getByRole('button', { name: 'Add domain', exact: true }).focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'Domain', exact: true });
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('https://acme.example');
    await page.keyboard.press('Enter');
    await says(page, 'Enter only the domain name, without https://, path or spaces.');
    await field.fill('co.uk');
    await page.keyboard.press('Enter');
    await says(page, /is a public suffix/);
    await checkAccess(page);
    await field.fill('acme.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'acme.example', exact: true, level: 1 }).waitFor();
    await says(page, '0 of 3 required records found.');
    const steps = page
      .getByRole('region', { name: 'Verification', exact: true })
      .getByRole('heading', { level: 3 });
    assert.deepEqual(await steps.allTextContents(), ['Add the records', 'Waiting for DNS', 'Verified']);
    await currentStep(page, 'Add the records');
    await says(page, /domain add --project default --domain acme\.example --verified/);
    await checkAccess(page);

    const id = /dom_\w{26}/.exec(page.url())?.[0];
    const { body } = await dashboard.service.client().get<Domain>(`/v1/domains/${id}`);
    const [dkim, ...others] = body.records;
    publish(dns.zone, dkim === undefined ? [] : [dkim]);
    await page.getByRole('button', { name: 'Check now', exact: true }).click();
    await currentStep(page, 'Waiting for DNS');
    publish(dns.zone, others);
    await says(page, 'acme.example is verified. You can now send from it.', AUTOMATIC_CHECK_MS);
    await says(recordItem(page, 'DKIM'), 'Published');
    await page.getByRole('link', { name: 'Domains', exact: true }).first().click();
    const row = page.getByRole('row', { name: /acme\.example/ });
    await says(row, 'Verified');
    await row.getByRole('listitem').filter({ hasText: 'MAIL FROM is published' }).waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('the page of a domain says whether this server receives its mail, and why', async () => {
    const { id } = await add('post.example');
    const page = await dashboard.open(`/domains/${id}`, { viewport: NARROW });
    const card = page.getByRole('region', { name: 'Incoming mail', exact: true });
    await says(card, 'Not received here');
    await says(card, 'post.example is not verified yet. Publish its DNS records, then verify it.');
    await checkAccess(page);
    const verified = await addVerified('inbox.example');
    await page.goto(page.url().replace(id, verified.id));
    await says(card, 'The MX of inbox.example points to this installation.');
    await says(card, 'Received here');
    await says(card, /receive mail from outside and from this server/);
    await checkAccess(page);
    const elsewhere = await add('elsewhere.example');
    publish(dns.zone, elsewhere.records);
    dns.zone['elsewhere.example'] = { MX: ['10 mx.other.example'] };
    await dashboard.service.client().post(`/v1/domains/${elsewhere.id}/verify`);
    await page.goto(page.url().replace(verified.id, elsewhere.id));
    await says(card, 'The MX of elsewhere.example is mx.other.example.');
    await says(card, 'Delivered elsewhere');
    await says(card, /to the MX of the domain/);
    await card.getByRole('link', { name: 'How incoming mail is delivered', exact: true }).focus();
    await checkAccess(page);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= NARROW.width, `${width} px wide`);
    await page.context().close();
  });

  test('published records are shown beside the expected records, with the differences marked', async () => {
    const { id } = await add('shop.example');
    dns.zone['send.shop.example'] = {
      TXT: ['v=spf1 include:other.example ~all'],
      MX: ['10 mx.posthorn.example', '20 mx.other.example'],
    };
    const page = await dashboard.open(`/domains/${id}`, { viewport: NARROW, colorScheme: 'dark' });
    await says(recordItem(page, 'DKIM'), 'Not checked yet');
    await page.getByRole('button', { name: 'Check now', exact: true }).click();
    await says(recordItem(page, 'DKIM'), 'Missing');
    await says(recordItem(page, 'SPF'), 'Wrong value');
    await soon(async () =>
      assert.equal(await recordItem(page, 'SPF').locator('mark').textContent(), 'include:other.example'),
    );
    await says(recordItem(page, 'MAIL FROM'), 'Multiple records');
    await says(recordItem(page, 'MAIL FROM'), 'correct');
    await says(recordItem(page, 'DMARC'), 'Not published');
    await checkAccess(page);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= NARROW.width, `${width} px wide`);
    await page.context().close();
  });

  test('each part of a record can be copied, and all records can be exported as a zone file', async () => {
    const { id, records } = await add('mail.copied.example');
    const page = await dashboard.open(`/domains/${id}`, {
      context: { permissions: ['clipboard-read', 'clipboard-write'], acceptDownloads: true },
    });
    const copies = async (what: string, expected: string | undefined) => {
      await page.getByRole('button', { name: `Copy the ${what}`, exact: true }).click();
      await soon(async () => assert.equal(await page.evaluate('navigator.clipboard.readText()'), expected));
    };
    const [dkim] = records;
    await copies('value of DKIM', dkim?.value);
    await copies('name of DKIM', dkim?.name);
    await page
      .getByRole('combobox', { name: 'Show names', exact: true })
      .selectOption('Relative to mail.copied.example');
    await page.waitForURL(/names=mail\.copied\.example/);
    await copies('name of MX', '@');
    await page
      .getByRole('combobox', { name: 'Show names', exact: true })
      .selectOption('Relative to copied.example');
    await copies('name of SPF', 'send.mail');
    await copies('priority of MX', '10');

    await page.getByRole('button', { name: 'Zone file', exact: true }).click();
    await checkAccess(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'mail.copied.example.zone');
    const file = readFileSync(await download.path(), 'utf8');
    assert.ok(file.includes(`\n${dkim?.name}. 3600 IN TXT "v=DKIM1;`));
    await copies('zone file', file);
    await page.keyboard.press('Escape');
    const button = page.getByRole('button', { name: 'Zone file', exact: true });
    await soon(async () =>
      assert.ok(await button.evaluate((element) => element === element.ownerDocument.activeElement)),
    );
    await page.context().close();
  });

  test('a DKIM key rotation can be canceled, and can be completed once the record of the new key is found', async () => {
    const { id } = await addVerified('rotated.example');
    const page = await dashboard.open(`/domains/${id}`);
    const key = page.getByRole('region', { name: 'DKIM key', exact: true });
    const begin = async () => {
      await key.getByRole('button', { name: 'Rotate key', exact: true }).click();
      await page.getByRole('button', { name: 'Create new key', exact: true }).click();
      await page.getByText('New key', { exact: true }).waitFor();
      await key.getByRole('button', { name: 'Cancel rotation', exact: true }).waitFor();
    };
    await begin();
    await key.getByRole('button', { name: 'Cancel rotation', exact: true }).click();
    await key.getByRole('button', { name: 'Rotate key', exact: true }).waitFor();
    await begin();
    await checkAccess(page);
    const { body } = await dashboard.service.client().get<Domain>(`/v1/domains/${id}`);
    assert.equal(body.status, 'verified');
    publish(
      dns.zone,
      body.records.filter(({ rotation }) => rotation === 'next'),
    );
    await page.getByRole('button', { name: 'Check now', exact: true }).click();
    await says(key, /was the previous key\. Keep its record until/);
    await says(page, /^Keep until/);
    await checkAccess(page);
    await page.context().close();
  });

  test('the tracking settings are saved', async () => {
    const { id } = await addVerified('tracked.example');
    const page = await dashboard.open(`/domains/${id}`);
    const clicks = page.getByRole('combobox', { name: 'Clicks', exact: true });
    await clicks.selectOption('On');
    await says(page, /^Saved\./);
    await page.reload();
    await clicks.waitFor();
    await soon(async () => assert.equal(await clicks.inputValue(), 'on'));
    await page.context().close();
  });

  test('the effect of the DMARC policy is explained, and the next step is proposed', async () => {
    const { id } = await addVerified('dmarc.example');
    dns.zone['_dmarc.dmarc.example'] = { TXT: ['v=DMARC1; p=quarantine; rua=mailto:d@dmarc.example'] };
    const page = await dashboard.open(`/domains/${id}`);
    await page.getByRole('button', { name: 'Check now', exact: true }).click();
    const advice = page.getByRole('region', { name: 'DMARC', exact: true });
    await says(advice, /goes to spam/);
    await says(advice, 'v=DMARC1; p=reject; rua=mailto:d@dmarc.example');
    await page.context().close();
  });

  test('a domain that lost records shows how long it can still send', async () => {
    const { id } = await addVerified('lost.example');
    delete dns.zone['send.lost.example'];
    const page = await dashboard.open(`/domains/${id}`);
    await page.getByRole('button', { name: 'Check now', exact: true }).click();
    await says(page.getByRole('alert'), 'Missing from DNS: MAIL FROM, SPF');
    await says(page.getByRole('alert'), /stops in 3 days/);
    await checkAccess(page);
    await page.context().close();
  });

  test('the provider of the DNS zone is named, with a link to its DNS settings', async () => {
    const { id } = await add('mail.provided.example');
    const page = await dashboard.open(`/domains/${id}`, { viewport: NARROW });
    await says(recordItem(page, 'DKIM'), 'Not checked yet');
    assert.equal(await page.getByText(/DNS is hosted at/).count(), 0);
    dns.zone['provided.example'] = { NS: ['ns1.digitalocean.com', 'ns2.digitalocean.com'] };
    await page.getByRole('button', { name: 'Check now', exact: true }).click();
    await says(page, 'DNS is hosted at DigitalOcean.');
    const link = page.getByRole('link', { name: 'Open the DNS settings', exact: true });
    assert.equal(
      await link.getAttribute('href'),
      'https://cloud.digitalocean.com/networking/domains/provided.example',
    );
    await checkAccess(page);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(width <= NARROW.width, `${width} px wide`);
    await page.context().close();
  });

  test('an operator verifies a domain manually, and the list then shows missing records without alarm', async () => {
    const { id } = await add('manual.example');
    const { id: operator } = await dashboard.user('developer');
    await dashboard.service.database
      .updateTable('users')
      .set({ isOperator: true })
      .where('id', '=', operator)
      .execute();
    const page = await dashboard.open(`/domains/${id}`, { as: 'developer' });
    const button = page.getByRole('button', { name: 'Verify manually', exact: true });
    await button.focus();
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await says(page, 'manual.example is verified manually. You can now send from it.');
    await says(page, 'Verified manually for testing');
    await button.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Domains', exact: true }).first().click();
    const row = page.getByRole('row', { name: /manual\.example/ });
    await row.getByRole('listitem').filter({ hasText: 'DKIM is not found' }).waitFor();
    assert.equal(await row.locator('svg.text-bad').count(), 0);
    await checkAccess(page);
    await page.context().close();
  });

  test('a warning about the consequences is shown before a domain is removed', async () => {
    const { id } = await add('gone.example');
    const page = await dashboard.open(`/domains/${id}`);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove gone.example?', exact: true });
    await says(question, /queued mail will fail/);
    await checkAccess(page);
    await question.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Domains', exact: true, level: 1 }).waitFor();
    await page.getByRole('row', { name: /gone\.example/ }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('a viewer sees no buttons, and an unknown domain is not found', async () => {
    const { id } = await addVerified('seen.example');
    const page = await dashboard.open(`/domains/${id}`, { as: 'viewer' });
    await says(recordItem(page, 'DKIM'), 'Published');
    for (const name of ['Check now', 'Remove', 'Rotate key'])
      await soon(async () => assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0));
    await soon(async () =>
      assert.ok(await page.getByRole('combobox', { name: 'Opens', exact: true }).isDisabled()),
    );
    await page.goto('/dashboard/domains/dom_01KAGK5RB3E2YQ4T7N9PZ6WX8V');
    await says(page, 'Domain not found');
    await page.context().close();
  });
});
