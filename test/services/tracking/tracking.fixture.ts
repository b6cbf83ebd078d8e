/** The whole service with a smart host, a webhook receiver, the website of a shop, and a browser. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from '../../support/browser.ts';
import { posthornProcess } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { startService, type Service } from '../../support/service.ts';
import { startSmtpServer, type SmtpTestServer } from '../../support/smtp-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

interface TimelineEvent {
  id: string;
  type: string;
  recipient: string | null;
  detail: Record<string, unknown> | null;
}

interface Detail {
  id: string;
  status: string;
  events: TimelineEvent[];
}

/** The website that the tracked links open. */
interface Site extends AsyncDisposable {
  url: string;
  visits: Pick<IncomingMessage, 'url' | 'headers'>[];
}

export interface World extends AsyncDisposable {
  service: Service;
  smartHost: SmtpTestServer;
  hook: WebhookReceiver;
  /** The signing secret of the webhook. */
  secret: string;
  site: Site;
  /** Opens a page in a new browser context. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  posthorn(...args: string[]): Promise<string>;
  /** Sends an email, and resolves once it is sent or has failed. */
  send(
    email: { to: string[]; html?: string; [field: string]: unknown },
    token?: string | null,
  ): Promise<string>;
  /** The latest message that the smart host received for a recipient, in parsed form. */
  received(recipient: string): Promise<Email>;
  read(id: string): Promise<Detail>;
}

export async function startWorld(): Promise<World> {
  // Ends the parts that have started if another part does not start. If all have started, they are moved to the returned world.
  await using starting = new AsyncDisposableStack();
  const { browser } = starting.use(await startBrowser());
  const smartHost = starting.use(await startSmtpServer());
  const hook = starting.use(await startWebhookReceiver());
  const site = starting.use(await startSite());
  const service = starting.use(
    await startService({
      env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${smartHost.port}` },
    }),
  );
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await posthornProcess({ POSTHORN_DATA: service.dataDir }, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await run('project', 'set', '--project', 'default', '--track-opens', 'on', '--track-clicks', 'on');
  const { body } = await service
    .client()
    .post<{ secret: string }>('/v1/webhooks', { url: hook.url, events: ['email.opened', 'email.clicked'] });

  const read = async (id: string, token: string | null = service.token): Promise<Detail> =>
    (await service.client(token).get<Detail>(`/v1/emails/${id}`)).body;
  const stack = starting.move();
  return {
    service,
    smartHost,
    hook,
    secret: body.secret,
    site,
    read,
    posthorn: run,
    async newPage(options = {}) {
      return (await browser.newContext(options)).newPage();
    },
    async send(email, token = service.token) {
      const { status, body } = await service.client(token).post<{ id: string }>('/v1/emails', {
        from: 'Acme <hello@posthorn.localhost>',
        subject: 'Your order has shipped',
        ...email,
      });
      assert.equal(status, 202);
      const isSent = async () => ['sent', 'failed'].includes((await read(body.id, token)).status);
      assert.ok(await eventually(isSent, 60_000));
      return body.id;
    },
    async received(recipient) {
      const find = () => smartHost.messages.findLast(({ rcptTo }) => rcptTo.includes(recipient));
      assert.ok(await eventually(() => find() !== undefined, 60_000));
      return PostalMime.parse(find()?.data ?? '');
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startSite(): Promise<Site> {
  const visits: Site['visits'] = [];
  const server = createServer(({ url, headers }, response) => {
    if (url !== '/favicon.ico') visits.push({ url, headers });
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Shop</title><h1>Order 1042</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Renders an email, as a webmail client that loads images does. */
export async function show(page: Page, { html }: Email): Promise<void> {
  await page.setContent(html ?? '', { waitUntil: 'load' });
  const sizes = await page.evaluate('Array.from(document.images, (image) => image.naturalWidth)');
  assert.deepEqual(sizes, [1], 'the tracking pixel is not the only image, or did not load');
}
