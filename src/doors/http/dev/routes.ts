/** The HTTP side of `posthorn dev`: the inbox, the requests of tests, and a dashboard without sign-in (docs/dev.md). `localOnly` guards all of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { DevInbox } from '../../../dev/inbox.ts';
import { AppError } from '../../../model/app-error.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { clientOf } from '../browser/client-of.ts';
import { setSessionCookie } from '../dashboard/cookies.ts';
import type { DashboardServices } from '../dashboard/services.ts';
import type { Visitors } from '../dashboard/visitors.ts';
import { CachedFile, once } from '../page/cached-file.ts';
import { stylesheet } from '../page/stylesheet.ts';
import { INBOX_HEADERS, inboxPage } from './inbox-page.ts';
import { addMailpit } from './mailpit.ts';
import { addMessages } from './messages.ts';

export interface DevDoor {
  inbox: DevInbox;
  /** @returns the uuid of the user as whom the dashboard opens */
  user(): Promise<string>;
  /** The address of the port that catches mail, for the empty inbox. */
  smtpAddress: string;
  /** Aborted by `end`. */
  ended: AbortSignal;
  /** Ends the requests that wait for mail. */
  end(): void;
}

export interface DevRoutesOptions extends DevDoor {
  signIn: Pick<DashboardServices['signIn'], 'enter'>;
  visitors: Visitors;
  readUpTo(maxBytes: number): RawBodyReader;
}

const FILES = join(import.meta.dirname, 'files');
/** Lists of ids to delete. */
const MAX_BODY_BYTES = 256 * 1024;
const ASK_EACH_TIME = { 'cache-control': 'no-cache' };
/** A page of the dashboard. Attack: a link leads through this address to another site. */
const DASHBOARD_PAGE = /^\/dashboard(?:\/[\w/-]*)?$/;

/** A Fastify plugin, so that these routes have their own body parser. */
export async function addDev(app: FastifyInstance, options: DevRoutesOptions): Promise<void> {
  const { inbox, user, smtpAddress, ended, signIn, visitors, readUpTo } = options;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readUpTo(MAX_BODY_BYTES));
  addMailpit(app, inbox);
  addMessages(app, inbox, ended);

  const style = once(
    async () =>
      new CachedFile('text/css; charset=utf-8', Buffer.from(await stylesheet(join(FILES, 'inbox.css')))),
  );
  const script = once(
    async () => new CachedFile('text/javascript; charset=utf-8', await readFile(join(FILES, 'inbox.js'))),
  );
  app.get('/inbox', async (_request, reply) => reply.headers(INBOX_HEADERS).send(inboxPage(smtpAddress)));
  app.get('/inbox/style.css', async (request, reply) =>
    (await style()).send(request, reply.headers(ASK_EACH_TIME)),
  );
  app.get('/inbox/script.js', async (request, reply) =>
    (await script()).send(request, reply.headers(ASK_EACH_TIME)),
  );

  app.get('/dev/dashboard', async (request, reply) => {
    const to = new URLSearchParams(request.query as string).get('to') ?? '/dashboard';
    if (!DASHBOARD_PAGE.test(to)) throw new AppError('bad-request', 'to must be a page of the dashboard.');
    if (!(await visitors.isSignedIn(request))) {
      const session = await signIn.enter(
        { userId: await user(), passwordHash: null, by: 'link' },
        clientOf(request),
      );
      if (session === null) throw new AppError('unavailable', 'The user was deleted. Try again.');
      setSessionCookie(reply, session.token, false);
    }
    return reply.code(302).headers({ location: to, 'cache-control': 'no-store' }).send();
  });
}
