/**
 * Opens the web client as users see it: with the whole service, a real browser, and a user who is signed in to a mailbox.
 *
 *     const client = await openMailClient();
 *     await client.append('ann', 'Subject: Hello\r\n\r\nHow are you?');
 *     const page = await client.open('/inbox', { as: 'ann' });
 *     await checkAccess(page);
 *
 * Disposing fails if a page logged an error, violated its content security policy, or sent a request to another host.
 */
import assert from 'node:assert/strict';
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { beginWebSession } from '../../src/mailboxes/sign-in/web-sessions.ts';
import { startBrowser } from './browser.ts';
import { eventually } from './eventually.ts';
import type { ServiceMailbox } from './imap/service-mailbox.ts';
import type { Service, ServiceOptions } from './service.ts';
import { openTenant } from './tenants.ts';
import { watch, WIDE } from './watched-page.ts';

/** The time limit for signing in, enough for a machine that is ten times slower. */
const SIGN_IN_MS = 60_000;

interface OpenOptions {
  /** The local parts of the mailboxes to sign in to. The first mailbox is opened. Null: no sign-in. Default: `ann`. */
  as?: string | readonly string[] | null;
  /** Size of the window in CSS pixels. Default: 1440 × 900. */
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  context?: BrowserContextOptions;
  /** Whether the test disconnects the browser or kills the service, so that failed requests are no faults. */
  isCut?: boolean;
}

interface AppendOptions {
  /** IMAP name of the folder. Default: INBOX. */
  folder?: string;
  flags?: string[];
  /** The internal date of the message. Default: now. */
  at?: Date;
}

export interface OpenedMailClient extends AsyncDisposable {
  service: Service;
  browser: Browser;
  /** A mailbox, created on first use. */
  mailbox(localPart: string): Promise<ServiceMailbox>;
  /** Opens a page of the web client in a new browser context. @param path the part after the mailbox address or `/mail` */
  open(path?: string, options?: OpenOptions): Promise<Page>;
  /** Appends messages to a mailbox like a mail app. @param raws messages with any header fields, which are stored unchanged */
  append(
    localPart: string,
    raws: string | Buffer | readonly string[],
    options?: AppendOptions,
  ): Promise<void>;
  /** Delivers a message by SMTP, like another mail server. */
  deliver(localPart: string, raw: string, from?: string): Promise<void>;
}

/**
 * A project with its mailboxes, for the tests of a file.
 * @param options options of a separate service. Default: the tests use the shared service
 */
export async function openMailClient(options?: ServiceOptions): Promise<OpenedMailClient> {
  const stack = new AsyncDisposableStack();
  const { service, mailbox } = stack.use(await openTenant(options));
  const { browser } = stack.use(await startBrowser());
  const { database, baseUrl } = service;
  const faults: string[] = [];

  async function signIn(context: BrowserContext, localPart: string): Promise<string> {
    const { mailbox: key, user } = await mailbox(localPart);
    const { passwordHash, sessionsVersion } = await database
      .selectFrom('mailboxes')
      .select(['passwordHash', 'sessionsVersion'])
      .where('projectId', '=', key.projectId)
      .where('id', '=', key.mailboxId)
      .executeTakeFirstOrThrow();
    const proved = { ...key, passwordHash: passwordHash ?? '', sessionsVersion };
    const begun = await beginWebSession(database, proved, { address: '192.0.2.1', userAgent: 'test' });
    assert.ok(begun !== null);
    const name = `posthorn_mail_${key.mailboxId.replaceAll('-', '')}`;
    await context.addCookies([{ name, value: begun.token, url: baseUrl }]);
    return user;
  }

  return {
    service,
    browser,
    mailbox,
    async open(path = '/inbox', { as = 'ann', isCut = false, ...options } = {}) {
      const { viewport = WIDE, colorScheme = 'light', context: more } = options;
      const context = await browser.newContext({ viewport, colorScheme, baseURL: baseUrl, ...more });
      const who = as === null ? [] : typeof as === 'string' ? [as] : as;
      let address: string | undefined;
      for (const each of who.toReversed()) address = await signIn(context, each);
      const page = await context.newPage();
      await watch(page, new URL(more?.baseURL ?? baseUrl).host, faults, isCut);
      await page.goto(`/mail${address === undefined ? '' : `/${encodeURIComponent(address)}`}${path}`);
      return page;
    },
    async append(localPart, raws, { folder = 'INBOX', flags = [], at } = {}) {
      const { user, password: pass } = await mailbox(localPart);
      const app = await signInApp(service.imapPort, { user, pass });
      try {
        for (const raw of typeof raws === 'string' || Buffer.isBuffer(raws) ? [raws] : raws)
          await app.append(folder, raw, flags, at);
      } finally {
        await app.logout();
      }
    },
    async deliver(localPart, raw, from = 'grace@elsewhere.example') {
      const { user } = await mailbox(localPart);
      const transport = createTransport({ host: '127.0.0.1', port: service.smtpPort, ignoreTLS: true });
      await transport.sendMail({ envelope: { from, to: user }, raw });
      transport.close();
    },
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      assert.deepEqual(faults, []);
    },
  };
}

/**
 * Signs in like a mail app. Retries while the service is too busy to check the password (UNAVAILABLE; RFC 5530, section 3).
 * @throws any other error from the service
 */
async function signInApp(port: number, auth: { user: string; pass: string }): Promise<ImapFlow> {
  let signedIn: ImapFlow | undefined;
  await eventually(async () => {
    const app = new ImapFlow({ host: '127.0.0.1', port, secure: false, logger: false, auth });
    try {
      await app.connect();
      signedIn = app;
      return true;
    } catch (error) {
      if (Object(error).serverResponseCode !== 'UNAVAILABLE') throw error;
      return false;
    }
  }, SIGN_IN_MS);
  assert.ok(signedIn !== undefined, 'the service was too busy to check a password');
  return signedIn;
}
