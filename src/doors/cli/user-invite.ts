import { type Command, Option } from 'commander';
import {
  confirmInvitation,
  invite,
  listInvitations,
  withdrawInvitation,
} from '../../accounts/invitations.ts';
import { linkUrl } from '../../accounts/link-url.ts';
import { ownUrl } from '../../app/own-address.ts';
import { findLocal } from '../../mailboxes/local-addresses.ts';
import { AppError } from '../../model/app-error.ts';
import { type Role, ROLES } from '../../model/roles.ts';
import { accountName, example, idFrom, json, print, withDatabase } from './command.ts';
import { age, printList } from './table.ts';
import { organizationNamed, organizationOption, SEES_BODIES } from './user-organization.ts';

export function addInviteCommands(user: Command): void {
  user
    .command('invite')
    .description('print a link with which somebody joins an organisation; it works once, within seven days')
    .requiredOption('--email <email>', 'whom it is for: nobody else can use it')
    .addOption(
      new Option('--role <role>', 'what they may do in the organisation')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .addOption(new Option(...SEES_BODIES).choices(['on', 'off']).default('off'))
    .addOption(organizationOption())
    .addOption(json)
    .addHelpText('after', example('user invite --email bob@acme.example --role developer'))
    .action(inviteNow);
  const invitations = user.command('invitations').description('links that nobody has used');
  invitations
    .command('list')
    .description('the invitations to an organisation, without their links')
    .addOption(organizationOption())
    .addOption(json)
    .addHelpText('after', example('user invitations list'))
    .action(list);
  invitations
    .command('confirm')
    .description(
      'confirm an invitation to an address whose mailbox on this server others can read; its link works then',
    )
    .requiredOption('--id <id>', 'its id: inv_...')
    .addOption(organizationOption())
    .addOption(json)
    .addHelpText('after', example('user invitations confirm --id inv_...'))
    .action(confirm);
  invitations
    .command('withdraw')
    .description('make the link of an invitation stop working')
    .requiredOption('--id <id>', 'its id: inv_...')
    .addOption(organizationOption())
    .addOption(json)
    .addHelpText('after', example('user invitations withdraw --id inv_...'))
    .action(withdraw);
}

interface Which {
  org?: string;
  json?: boolean;
}

async function inviteNow(
  options: Which & { email: string; role: Role; seesBodies: 'on' | 'off' },
): Promise<void> {
  await withDatabase(async ({ database, config }) => {
    const { invitation, token } = await invite(
      database,
      await organizationNamed(database, options.org),
      { role: 'owner', isOperator: true, name: accountName() },
      { email: options.email, role: options.role, seesBodies: options.seesBodies === 'on' },
      (await findLocal(database, options.email))?.organizationIds ?? null,
    );
    const url = linkUrl(ownUrl(config, config.httpPort), 'invitation', token);
    print(options.json, { ...invitation, url });
  });
}

async function list({ org, json }: Which): Promise<void> {
  await withDatabase(async ({ database }) => {
    const invitations = await listInvitations(database, await organizationNamed(database, org));
    printList(json, invitations, {
      columns: [
        { title: 'ID' },
        { title: 'AGE' },
        { title: 'ROLE' },
        { title: 'CONFIRMED' },
        { title: 'EMAIL', isCut: true },
      ],
      rowOf: ({ id, created_at, role, awaits_confirmation: awaits, email }) => [
        id,
        age(created_at),
        role,
        awaits ? 'no' : 'yes',
        email,
      ],
      none: 'There are no open invitations.',
    });
  });
}

async function confirm({ id, org, json }: Which & { id: string }): Promise<void> {
  await withDatabase(async ({ database }) => {
    if (!(await confirmInvitation(database, await organizationNamed(database, org), idFrom('inv', id))))
      throw new AppError(
        'not-found',
        'There is no such invitation that awaits confirmation. It may have been confirmed, used or withdrawn.',
      );
    print(json, { id, confirmed: true }, `confirmed ${id}`);
  });
}

async function withdraw({ id, org, json }: Which & { id: string }): Promise<void> {
  await withDatabase(async ({ database }) => {
    if (!(await withdrawInvitation(database, await organizationNamed(database, org), idFrom('inv', id))))
      throw new AppError('not-found', 'There is no such invitation. It may have been used or withdrawn.');
    print(json, { id, withdrawn: true }, `withdrew ${id}`);
  });
}
