import type { Command } from 'commander';
import { endUserSessions } from '../../accounts/end-user-sessions.ts';
import { SESSION_TTL_MS } from '../../accounts/session-look-ups.ts';
import { listSessions } from '../../accounts/sessions.ts';
import { findUserByEmail } from '../../accounts/users.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { example, idFrom, json, print, untilServersKnow, withDatabase } from './command.ts';
import { age, printList } from './table.ts';

export function addSessionCommands(user: Command): void {
  const sessions = user.command('sessions').description('manage the sessions of a user');
  sessions
    .command('list')
    .description('list the browsers that a user is signed in with, most recently used first')
    .requiredOption('--email <email>', 'the email address that they sign in with')
    .addOption(json)
    .addHelpText('after', example('user sessions list --email ada@acme.example'))
    .action(list);
  sessions
    .command('end')
    .description('sign a user out of one browser or everywhere; it applies before this command returns')
    .requiredOption('--email <email>', 'the email address that they sign in with')
    .option('--id <id>', 'the id of the session: ses_...; default: all sessions')
    .addOption(json)
    .addHelpText('after', example('user sessions end --email ada@acme.example'))
    .action(end);
}

interface UserOptions {
  email: string;
  json?: boolean;
}

async function list({ email, json }: UserOptions): Promise<void> {
  await withDatabase(async ({ database }) => {
    const user = await findUserByEmail(database, email);
    const data = (await listSessions(database, user.id)).map(
      ({ id, address, userAgent, createdAt, usedAt }) => ({
        id: encodeId('ses', id),
        address,
        user_agent: userAgent,
        created_at: createdAt.toISOString(),
        last_used_at: usedAt.toISOString(),
      }),
    );
    printList(
      json,
      { data },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'USED' },
          { title: 'ADDRESS' },
          { title: 'BROWSER', isCut: true },
        ],
        rowOf: ({ id, address, user_agent, created_at, last_used_at }) => [
          id,
          age(created_at),
          age(last_used_at),
          address,
          user_agent,
        ],
        none: `${user.email} has no sessions.`,
      },
    );
  });
}

async function end({ email, id, json }: UserOptions & { id?: string }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const user = await findUserByEmail(database, email);
    const ended = await endUserSessions(database, user.id, id === undefined ? null : idFrom('ses', id));
    if (id !== undefined && ended === 0)
      throw new AppError('not-found', 'The user has no such session, or it has already ended.');
    await untilServersKnow(database, SESSION_TTL_MS);
    print(json, { email: user.email, ended }, `ended ${ended} session${ended === 1 ? '' : 's'}`);
  });
}
