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
import { assertNotShared } from '../../mailboxes/sharing/sign-in-addresses.ts';
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
    .description('create a user of the dashboard, or add an existing user to another organization')
    .requiredOption('--email <email>', 'the email address that they sign in with')
    .option('--password <password>', 'at least 12 characters; default: one is generated and shown once')
    .addOption(
      new Option('--role <role>', 'their role in the organization').choices(ROLES).makeOptionMandatory(),
    )
    .option('--name <name>', 'the name that others see; default: the part of the email address before the @')
    .addOption(organizationOption())
    .option('--operator', 'make the user an operator of this installation, who can use the System page')
    .addOption(json)
    .addHelpText('after', example('user create --email ada@acme.example --role developer'))
    .action(create);
  user
    .command('reset')
    .description('print a link for setting a new password; it works once, within 24 hours')
    .requiredOption('--email <email>', 'the email address that they sign in with')
    .option(
      '--second-factor',
      'also turn off their second factor: the authenticator app, all passkeys and recovery codes',
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
    .description('list all users and their roles')
    .addOption(json)
    .addHelpText('after', example('user list'))
    .action(list);
  user
    .command('delete')
    .description('delete a user, and sign them out everywhere')
    .requiredOption('--email <email>', 'the email address that they sign in with')
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
    const organization = org === undefined ? null : await findOrganization(database, org);
    const exists = (await findUserByKey(database, key)) !== null;
    const generated = exists || password !== undefined ? null : generatePassword();
    const passwordHash = exists ? null : await hashPassword(password ?? generated ?? '');
    const { id, organizationId } = await database.transaction().execute(async (tx) => {
      const organizationId = organization?.id ?? (await ensureOrganization(tx));
      await lockOrganization(tx, organizationId);
      await assertNotShared(tx, email, null);
      const name = options.name ?? email.slice(0, email.lastIndexOf('@'));
      const id = exists
        ? await existingUser(tx, key, options)
        : await createUser(tx, { email, name, passwordHash, isOperator: operator });
      await addMember(tx, organizationId, id, { role, seesBodies: false }).catch((error: unknown) => {
        throw error instanceof AppError && error.code === 'already-exists' ? alreadyMember(email) : error;
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

function alreadyMember(email: string): AppError {
  return new AppError(
    'already-exists',
    `${email} is already a member of the organization. Change their role with \`user set --role\`, or choose another organization with --org.`,
  );
}

/** Returns the id of an existing user, to add them to another organization. Their password and name stay unchanged. */
async function existingUser(
  tx: DatabaseTransaction,
  key: string,
  { password, operator, name }: CreateOptions,
): Promise<string> {
  const found = await findUserByKey(tx, key);
  if (found === null) throw new AppError('not-found', 'The user has just been deleted.');
  if (password !== undefined || operator !== undefined || name !== undefined)
    throw new AppError('already-exists', `A user with this email address already exists: ${found.email}.`, {
      errors: {
        email:
          'is taken; to add the user to the organization of --org, omit --password, --name and --operator; to change their roles, run `user set`; for a new password, run `user reset`',
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
        none: 'No users. Each start of the server prints a link to create the first one.',
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
