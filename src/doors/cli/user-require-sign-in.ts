import { type Command, Option } from 'commander';
import { requireOperatorSignIn, requireSignIn } from '../../accounts/required-sign-in.ts';
import { AppError } from '../../model/app-error.ts';
import { SIGN_IN_REQUIREMENTS, type SignInRequirement } from '../../model/sign-in-requirements.ts';
import { example, json, print, untilServersKnow, withDatabase } from './command.ts';
import { SESSION_TTL_MS } from '../../accounts/session-look-ups.ts';
import { organizationNamed, organizationOption } from './user-organization.ts';

/** Option value: no requirement, a password is enough. */
const NONE = 'none';

export function addRequireSignInCommand(user: Command): void {
  user
    .command('require-sign-in')
    .description(
      'require a second factor or OpenID from the members of an organization, or from operators; it applies before this command returns',
    )
    .addOption(
      new Option(
        '--required <what>',
        'second-factor: a code, a passkey or OpenID; openid: only OpenID; none: a password is enough',
      )
        .choices([...SIGN_IN_REQUIREMENTS, NONE])
        .makeOptionMandatory(),
    )
    .addOption(organizationOption().conflicts('operators'))
    .option('--operators', 'require it from the operators of the installation instead of an organization')
    .addOption(json)
    .addHelpText('after', example('user require-sign-in --required second-factor'))
    .action(run);
}

interface Options {
  required: SignInRequirement | typeof NONE;
  org?: string;
  operators?: true;
  json?: boolean;
}

async function run({ required: choice, org, operators, json }: Options): Promise<void> {
  const required = choice === NONE ? null : choice;
  await withDatabase(async ({ database, config: { openId } }) => {
    if (required === 'openid' && openId === null)
      throw new AppError('bad-request', 'No OpenID provider is configured. Set POSTHORN_OIDC_ISSUER first.');
    if (operators === true) await requireOperatorSignIn(database, required, null);
    else await requireSignIn(database, await organizationNamed(database, org), required, null);
    await untilServersKnow(database, SESSION_TTL_MS);
    const group = operators === true ? 'operators' : 'members';
    print(json, { of: group, required }, `Required from ${group}: ${choice}.`);
  });
}
