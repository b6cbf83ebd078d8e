import { type Command, Option } from 'commander';
import { resetSecondFactor } from '../../accounts/factors/reset-second-factor.ts';
import { addMember, deleteUser } from '../../accounts/members/memberships.ts';
import {
  ensureOrganization,
  findOrganization,
  lockOrganization,
} from '../../accounts/organizations/organizations.ts';
import { generatePassword, hashPassword, passwordFault } from '../../accounts/passwords/password.ts';
import { linkUrl } from '../../accounts/link-url.ts';
import { makeResetLink } from '../../accounts/sign-in-links.ts';
import { SESSION_TTL_MS } from '../../accounts/session-look-ups.ts';
import { checkedEmail, createUser, findUserByEmail, findUserByKey, listUsers } from '../../accounts/users.ts';
import { ownUrl } from '../../app/own-address.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { type Role, ROLES } from '../../model/roles.ts';
import { example, json, print, untilServersKnow, withDatabase } from './command.ts';
import { addDeclared } from './declared.ts';
import { age, printList } from './table.ts';
import { addInviteCommands } from './user-invite.ts';
import { organizationOption } from './user-organization.ts';
import { addRequireSignInCommand } from './user-require-sign-in.ts';
import { addSessionCommands } from './user-sessions.ts';
import { addSetCommand } from './user-set.ts';

export function defineUser(user: Command): void {
  user
    .command('create')
    .description('make a user of the dashboard, or let one who is there already join another organisation')
    .requiredOption('--email <email>', 'what they sign in with')
    .option('--password <password>', 'at least 12 characters; without this option one is made and shown once')
    .addOption(
      new Option('--role <role>', 'what they may do in the organisation')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what others see; default: what stands before the @')
    .addOption(organizationOption())
    .option('--operator', 'an operator of this installation, who alone sees System')
    .addOption(json)
    .addHelpText('after', example('user create --email ada@acme.example --role developer'))
    .action(create);
  user
    .command('reset')
    .description('print a link with which a user sets another password; it works once, within 24 hours')
    .requiredOption('--email <email>', 'what they sign in with')
    .option(
      '--second-factor',
      'switch off their second factor too: the authenticator app, all passkeys and recovery codes',
    )
    .addOption(json)
    .addHelpText('after', example('user reset --email ada@acme.example'))
    .action(reset);
  addSetCommand(user);
  addRequireSignInCommand(user);
  addInviteCommands(user);
  addSessionCommands(user);
  user
    .command('list')
    .description('all users, with what they are in their organisations')
    .addOption(json)
    .addHelpText('after', example('user list'))
    .action(list);
  user
    .command('delete')
    .description('delete a user; they are signed out everywhere')
    .requiredOption('--email <email>', 'what they sign in with')
    .addOption(json)
    .addHelpText('after', example('user delete --email ada@acme.example'))
    .action(deleteNow);
  addDeclared(user);
}

interface CreateOptions {
  email: string;
  password?: string;
  role: Role;
  name?: string;
  org?: string;
  operator?: true;
  json?: boolean;
}

async function create(options: CreateOptions): Promise<void> {
  const { role, org, password, operator = false } = options;
  const { email, key } = checkedEmail(options.email);
  const fault = password === undefined ? null : passwordFault(password);
  if (fault !== null) throw validationError({ password: fault });
  await withDatabase(async ({ database }) => {
    const named = org === undefined ? null : await findOrganization(database, org);
    const isThere = (await findUserByKey(database, key)) !== null;
    const generated = isThere || password !== undefined ? null : generatePassword();
    const passwordHash = isThere ? null : await hashPassword(password ?? generated ?? '');
    const { id, organizationId } = await database.transaction().execute(async (tx) => {
      const organizationId = named?.id ?? (await ensureOrganization(tx));
      await lockOrganization(tx, organizationId);
      const name = options.name ?? email.slice(0, email.lastIndexOf('@'));
      const id = isThere
        ? await existing(tx, key, options)
        : await createUser(tx, { email, name, passwordHash, isOperator: operator });
      await addMember(tx, organizationId, id, { role, seesBodies: false }).catch((error: unknown) => {
        throw error instanceof AppError && error.code === 'already-exists' ? member(email) : error;
      });
      return { id, organizationId };
    });
    print(options.json, {
      id: encodeId('usr', id),
      email,
      role,
      organization: encodeId('org', organizationId),
      ...(operator && { operator }),
      ...(generated !== null && { password: generated }),
    });
  });
}

function member(email: string): AppError {
  return new AppError(
    'already-exists',
    `${email} belongs to the organisation already: \`user set --role\` changes what they may do there, --org names another one.`,
  );
}

/** Somebody who joins another organisation keeps their password. */
async function existing(
  tx: DatabaseTransaction,
  key: string,
  { password, operator, name }: CreateOptions,
): Promise<string> {
  const found = await findUserByKey(tx, key);
  if (found === null) throw new AppError('not-found', 'The user has just been deleted.');
  if (password !== undefined || operator !== undefined || name !== undefined)
    throw new AppError('already-exists', `There is a user with this email address already: ${found.email}.`, {
      errors: {
        email:
          'is taken; without --password, --name and --operator they join the organisation of --org, `user set` changes what they may, `user reset` prints a link for another password',
      },
    });
  return found.id;
}

async function reset(options: { email: string; secondFactor?: true; json?: boolean }): Promise<void> {
  await withDatabase(async ({ database, config }) => {
    const { id, email } = await findUserByEmail(database, options.email);
    if (options.secondFactor === true) await resetSecondFactor(database, id);
    const { token, expiresAt } = await makeResetLink(database, id);
    const url = linkUrl(ownUrl(config, config.httpPort), 'reset', token);
    print(options.json, { email, url, expires_at: expiresAt.toISOString() });
  });
}

async function list({ json }: { json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const users = await listUsers(database);
    const data = users.map(({ id, email, name, isOperator, memberships, createdAt }) => ({
      id: encodeId('usr', id),
      email,
      name,
      is_operator: isOperator,
      memberships,
      created_at: createdAt.toISOString(),
    }));
    printList(
      json,
      { data },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'EMAIL', isCut: true },
          { title: 'ROLES', isCut: true },
          { title: 'OPERATOR' },
        ],
        rowOf: ({ id, created_at, email, memberships, is_operator }) => [
          id,
          age(created_at),
          email,
          memberships.map(({ organization, role }) => `${role} of ${organization}`).join(', '),
          is_operator ? 'yes' : 'no',
        ],
        none: 'No users: each start of the server shows a link for the first one.',
      },
    );
  });
}

async function deleteNow(options: { email: string; json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const { id, email } = await findUserByEmail(database, options.email);
    await deleteUser(database, id);
    await untilServersKnow(database, SESSION_TTL_MS);
    print(options.json, { id: encodeId('usr', id), email, deleted: true }, `deleted ${email}`);
  });
}
