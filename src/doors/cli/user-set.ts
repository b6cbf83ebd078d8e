import { type Command, Option } from 'commander';
import { changeMember } from '../../accounts/members/memberships.ts';
import { findProjectByName } from '../../accounts/projects/projects.ts';
import { SESSION_TTL_MS } from '../../accounts/session-look-ups.ts';
import { setOperator } from '../../accounts/set-operator.ts';
import { findUserByEmail } from '../../accounts/users.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { PROJECT_ROLES, type ProjectRole, type Role, ROLES } from '../../model/roles.ts';
import { example, json, print, untilServersKnow, withDatabase } from './command.ts';
import { NO_MEMBER, organizationNamed, organizationOption, SEES_BODIES } from './user-organization.ts';

/** Option value: the member has the same role in the project as in the organization. */
const SAME = 'same';

export function addSetCommand(user: Command): void {
  user
    .command('set')
    .description('change the roles of a user; it applies before this command returns')
    .requiredOption('--email <email>', 'the email address that they sign in with')
    .addOption(new Option('--role <role>', 'their role in the organization').choices(ROLES))
    .addOption(new Option(...SEES_BODIES).choices(['on', 'off']))
    .option('--project <name>', 'a project of the organization in which they get another role')
    .addOption(
      new Option(
        '--project-role <role>',
        `their role in that project; none hides it from them, ${SAME} is their role in the organization`,
      ).choices([...PROJECT_ROLES, SAME]),
    )
    .addOption(organizationOption())
    .addOption(
      new Option(
        '--operator <state>',
        'whether they are an operator, who can use the System page; the last operator cannot be removed',
      ).choices(['on', 'off']),
    )
    .addOption(json)
    .addHelpText('after', example('user set --email ada@acme.example --role admin'))
    .action(set);
}

interface SetOptions {
  email: string;
  role?: Role;
  seesBodies?: 'on' | 'off';
  project?: string;
  projectRole?: ProjectRole | typeof SAME;
  org?: string;
  operator?: 'on' | 'off';
  json?: boolean;
}

async function set(options: SetOptions): Promise<void> {
  const { role, seesBodies, project, projectRole, operator } = options;
  if ((project === undefined) !== (projectRole === undefined))
    throw new AppError('bad-request', 'Use --project and --project-role together.');
  const changesMember = role !== undefined || seesBodies !== undefined || project !== undefined;
  if (!changesMember && operator === undefined)
    throw new AppError(
      'bad-request',
      'Choose what to change: --role, --sees-bodies, --project or --operator.',
    );
  await withDatabase(async ({ database }) => {
    const { id, email, isOperator } = await findUserByEmail(database, options.email);
    const member = changesMember ? await changeRoles(database, id, options) : null;
    if (operator !== undefined) await setOperator(database, id, operator === 'on');
    await untilServersKnow(database, SESSION_TTL_MS);
    print(options.json, {
      id: encodeId('usr', id),
      email,
      ...(member !== null && {
        role: member.role,
        sees_bodies: member.sees_bodies,
        project_roles: member.project_roles.map(({ project_id, role }) => `${project_id}: ${role}`),
      }),
      is_operator: operator === undefined ? isOperator : operator === 'on',
    });
  });
}

async function changeRoles(
  database: Database,
  userId: string,
  { org, role, seesBodies, project, projectRole }: SetOptions,
) {
  const projectRoles = new Map<string, ProjectRole | null>();
  if (project !== undefined && projectRole !== undefined)
    projectRoles.set(await findProjectByName(database, project), projectRole === SAME ? null : projectRole);
  const changed = await changeMember(database, await organizationNamed(database, org), userId, 'owner', {
    ...(role !== undefined && { role }),
    ...(seesBodies !== undefined && { seesBodies: seesBodies === 'on' }),
    projectRoles,
  });
  if (changed === null) throw new AppError('not-found', NO_MEMBER);
  return changed;
}
