import { type Command, Option } from 'commander';
import { invite } from '../../accounts/members/invitations.ts';
import { linkUrl } from '../../accounts/link-url.ts';
import { ownUrl } from '../../app/own-address.ts';
import { findLocal } from '../../mailboxes/local-addresses.ts';
import { assertNotShared } from '../../mailboxes/sharing/sign-in-addresses.ts';
import { type Role, ROLES } from '../../model/roles.ts';
import { accountName, example, json, print, withDatabase } from './command.ts';
import { addDeclared } from './declared.ts';
import { organizationNamed, organizationOption, SEES_BODIES } from './user-organization.ts';

export function addInviteCommands(user: Command): void {
  user
    .command('invite')
    .description('invite a person to an organization: print a link that works once, within seven days')
    .requiredOption('--email <email>', 'the email address of the person; only they can use the link')
    .addOption(
      new Option('--role <role>', 'their role in the organization').choices(ROLES).makeOptionMandatory(),
    )
    .addOption(new Option(...SEES_BODIES).choices(['on', 'off']).default('off'))
    .addOption(organizationOption())
    .addOption(json)
    .addHelpText('after', example('user invite --email bob@acme.example --role developer'))
    .action(inviteNow);
  addDeclared(user.command('invitations').description('manage pending invitations'));
}

interface OrganizationOptions {
  org?: string;
  json?: boolean;
}

async function inviteNow(
  options: OrganizationOptions & { email: string; role: Role; seesBodies: 'on' | 'off' },
): Promise<void> {
  await withDatabase(async ({ database, config }) => {
    const { invitation, token } = await invite(
      database,
      await organizationNamed(database, options.org),
      { role: 'owner', isOperator: true, name: accountName() },
      { email: options.email, role: options.role, seesBodies: options.seesBodies === 'on' },
      (await findLocal(database, options.email))?.organizationIds ?? null,
      assertNotShared,
    );
    const url = linkUrl(ownUrl(config, config.httpPort), 'invitation', token);
    print(options.json, { ...invitation, url });
  });
}
