/**
 * Opens the dashboard as users see it: with the whole service, a real browser, and a signed-in user.
 *
 *     const dashboard = await openDashboard();
 *     const page = await dashboard.open('/emails');
 *     await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor();
 *     await checkAccess(page);
 *
 * Disposing fails if a page logged an error, violated its content security policy, or sent a request to another host.
 */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { addMember } from '../../src/accounts/members/memberships.ts';
import { lockOrganization } from '../../src/accounts/organizations/organizations.ts';
import { quickHash } from './quick-hash.ts';
import { beginSession } from '../../src/accounts/sessions.ts';
import { createUser } from '../../src/accounts/users.ts';
import { encodeId } from '../../src/model/ids.ts';
import type { Role } from '../../src/model/roles.ts';
import { startBrowser } from './browser.ts';
import type { ServiceMailbox } from './imap/service-mailbox.ts';
import { watch, WIDE } from './watched-page.ts';
import type { Service, ServiceOptions } from './service.ts';
import { openTenant } from './tenants.ts';

/** The password of every user that `openDashboard` creates. */
export const PASSWORD = 'correct horse battery staple';

/** The role of a test user. `operator`: an operator of the installation who is also a viewer. */
type TestRole = Role | 'operator';

interface OpenOptions {
  /** The role of the signed-in user; null if no user is signed in. Default: owner. */
  as?: TestRole | null;
  /** Whether the session is so old that sensitive actions ask for the password again. */
  isUnconfirmed?: boolean | undefined;
  /** Size of the window in CSS pixels. Default: 1440 × 900. */
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  context?: BrowserContextOptions;
}

export interface OpenedDashboard extends AsyncDisposable {
  service: Service;
  browser: Browser;
  /** The UUID of the project, followed by its public id and its name. */
  projectUuid: string;
  project: string;
  projectName: string;
  organizationId: string;
  /** A mailbox of the project, created on first use. */
  mailbox(localPart: string): Promise<ServiceMailbox>;
  /** Opens a page of the dashboard, such as `/emails`, in a new browser context. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
  /** Signs a browser context in with a new session, which no process of the service has cached. */
  signIn(
    context: BrowserContext,
    role: TestRole,
    options?: Pick<OpenOptions, 'isUnconfirmed'>,
  ): Promise<void>;
  /** A user with a role, created on first use, with the password PASSWORD. */
  user(role: TestRole): Promise<{ id: string; email: string; name: string }>;
}

/**
 * An organization with its users, for the tests of a file.
 * @param options options of a separate service. Default: the tests use the shared service
 */
export async function openDashboard(options?: ServiceOptions): Promise<OpenedDashboard> {
  const stack = new AsyncDisposableStack();
  const { service, organizationId, projectUuid, projectName, domain, mailbox } = stack.use(
    await openTenant(options),
  );
  const { browser } = stack.use(await startBrowser());
  const { database, baseUrl } = service;
  const users = new Map<TestRole, Promise<{ id: string; email: string; name: string }>>();
  const faults: string[] = [];

  async function makeUser(who: TestRole) {
    const user = { email: `${who}@${domain}`, name: `Ada ${who}` };
    const passwordHash = quickHash(PASSWORD);
    const id = await database.transaction().execute(async (tx) => {
      await lockOrganization(tx, organizationId);
      const isOperator = who === 'operator';
      const userId = await createUser(tx, { ...user, passwordHash, isOperator });
      const role = isOperator ? 'viewer' : who;
      await addMember(tx, organizationId, userId, { role, seesBodies: false });
      return userId;
    });
    return { id, ...user };
  }

  function user(role: TestRole) {
    const found = users.get(role) ?? makeUser(role);
    users.set(role, found);
    return found;
  }

  async function signIn(
    context: BrowserContext,
    role: TestRole,
    { isUnconfirmed = false }: Pick<OpenOptions, 'isUnconfirmed'> = {},
  ): Promise<void> {
    const { id } = await user(role);
    const client = { address: '192.0.2.1', userAgent: 'test' };
    const { token, sessionId } = await beginSession(database, id, client);
    if (isUnconfirmed)
      await database
        .updateTable('sessions')
        .set({ confirmedAt: new Date(0) })
        .where('userId', '=', id)
        .where('id', '=', sessionId)
        .execute();
    await context.addCookies([{ name: 'posthorn_session', value: token, url: baseUrl }]);
  }

  return {
    service,
    browser,
    projectUuid,
    projectName,
    organizationId,
    mailbox,
    user,
    signIn,
    project: encodeId('prj', projectUuid),
    async open(path = '/', options = {}) {
      const { as = 'owner', viewport = WIDE, colorScheme = 'light', context: more, isUnconfirmed } = options;
      const context = await browser.newContext({ viewport, colorScheme, baseURL: baseUrl, ...more });
      if (as !== null) await signIn(context, as, { isUnconfirmed });
      const page = await context.newPage();
      await watch(page, new URL(baseUrl).host, faults);
      await page.goto(`/dashboard${path === '/' ? '' : path}`);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      assert.deepEqual(faults, []);
    },
  };
}
