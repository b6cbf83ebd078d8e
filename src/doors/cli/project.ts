import { type Command, InvalidArgumentError, Option } from 'commander';
import { KEY_TTL_MS } from '../../accounts/keys/api-keys.ts';
import { ensureOrganization, findOrganization } from '../../accounts/organizations/organizations.ts';
import {
  changeProjectSettings,
  listProjects,
  type ProjectSettingsRow,
  readProjectSettings,
  shownSettings,
} from '../../accounts/projects/project-settings.ts';
import { createProject } from '../../accounts/projects/projects.ts';
import { readUsage } from '../../accounts/usage.ts';
import * as clock from '../../model/clock.ts';
import { validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { monthOf } from '../../model/month.ts';
import { type Plan, PLAN_LIMITS, PLANS } from '../../model/plans.ts';
import { age, printList } from './table.ts';
import { SPAM_LEVELS, type SpamLevel } from '../../model/spam-levels.ts';
import {
  example,
  json,
  print,
  projectOption,
  type ProjectOptions,
  withDatabase,
  untilServersKnow,
  withProject,
} from './command.ts';
import { addDeclared } from './declared.ts';

const SWITCH = ['on', 'off'] as const;
type Switch = (typeof SWITCH)[number];

export function defineProject(project: Command): void {
  project
    .command('create')
    .description('create a project')
    .requiredOption('--name <name>', 'the name of the project')
    .addOption(new Option('--plan <plan>', 'the plan; default: POSTHORN_DEFAULT_PLAN').choices(PLANS))
    .option(
      '--organization <name>',
      'the organization that owns the project, by name or id (org_...); default: the first one',
    )
    .addOption(json)
    .addHelpText('after', example('project create --name shop'))
    .action(createNewProject);
  project
    .command('set')
    .description(
      'change the plan or settings of a project; running servers apply it before this command returns',
    )
    .addOption(projectOption('the name of the project'))
    .addOption(new Option('--plan <plan>', 'the plan').choices(PLANS))
    .addOption(
      new Option('--spam-level <level>', 'the spam level of mailboxes that do not set their own').choices(
        SPAM_LEVELS,
      ),
    )
    .addOption(new Option('--track-opens <switch>', 'track when emails are opened').choices(SWITCH))
    .addOption(new Option('--track-clicks <switch>', 'track when links are clicked').choices(SWITCH))
    .addOption(
      new Option(
        '--smtp-tracking <switch>',
        'apply tracking also to emails submitted over SMTP, which changes their HTML',
      ).choices(SWITCH),
    )
    .addOption(
      new Option('--smtp-events <switch>', 'send webhooks also for emails submitted over SMTP').choices(
        SWITCH,
      ),
    )
    .addOption(
      new Option('--mail-directory <switch>', 'suggest people from the directory in the web client').choices(
        SWITCH,
      ),
    )
    .addOption(
      new Option('--link-names <switch>', 'show the file names of links in the dashboard').choices(SWITCH),
    )
    .addOption(
      new Option(
        '--keep-days <days>',
        'days after which emails are deleted: 1 to 36500, or forever (docs/operate/retention.md)',
      ).argParser(daysFrom(1)),
    )
    .addOption(
      new Option(
        '--keep-bodies-days <days>',
        'days after which the bodies of emails are deleted: 0 (after the last attempt) to 36500, or forever',
      ).argParser(daysFrom(0)),
    )
    .addOption(json)
    .addHelpText('after', example('project set --project shop --plan free --track-opens on'))
    .action(setProject);
  project
    .command('list')
    .description('list all projects')
    .addOption(json)
    .addHelpText('after', example('project list'))
    .action(listAllProjects);
  project
    .command('show')
    .description('show the settings and the usage of a project')
    .addOption(projectOption('the name of the project'))
    .addOption(json)
    .addHelpText('after', example('project show --project default'))
    .action(showProject);
  project
    .command('export')
    .description(
      'export all data of a project to a new folder, as NDJSON and one message file for each email with a body',
    )
    .addOption(projectOption('the name of the project'))
    .requiredOption('--out <folder>', 'a new or empty folder')
    .addOption(json)
    .addHelpText('after', example('project export --project shop --out /srv/export/shop'))
    .action(async (options) => (await import('./project-end.ts')).exportProjectTo(options));
  project
    .command('delete')
    .description('delete a project and all its data; its pending mail is not sent')
    .addOption(projectOption('the name of the project'))
    .option('--yes', 'confirm the deletion')
    .addOption(json)
    .addHelpText('after', example('project delete --project shop --yes'))
    .action(async (options) => (await import('./project-end.ts')).deleteProjectNow(options));
  addDeclared(
    project
      .command('safe')
      .description('manage the safe senders of all mailboxes of a project (docs/rules.md)'),
  );
  addDeclared(project);
}

async function createNewProject(options: {
  name: string;
  plan?: Plan;
  organization?: string;
  json?: boolean;
}): Promise<void> {
  await withDatabase(async ({ database, config }) => {
    const { organization } = options;
    const chosen = organization === undefined ? null : await findOrganization(database, organization);
    const id = await database.transaction().execute(async (tx) => {
      const organizationId = chosen?.id ?? (await ensureOrganization(tx));
      return createProject(tx, organizationId, options.name, options.plan ?? config.defaultPlan);
    });
    print(options.json, { id: encodeId('prj', id), name: options.name });
  });
}

interface SetOptions extends ProjectOptions {
  plan?: Plan;
  spamLevel?: SpamLevel;
  trackOpens?: Switch;
  trackClicks?: Switch;
  smtpTracking?: Switch;
  smtpEvents?: Switch;
  mailDirectory?: Switch;
  linkNames?: Switch;
  keepDays?: Days;
  keepBodiesDays?: Days;
}

const MAX_DAYS = 36_500;
type Days = number | 'forever';

function daysFrom(least: number): (text: string) => Days {
  return (text) => {
    if (text === 'forever') return text;
    const days = Number(text);
    if (/^\d{1,5}$/.test(text) && days >= least && days <= MAX_DAYS) return days;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${MAX_DAYS}, or forever.`);
  };
}

/** Resolves after every running server uses the change. */
async function setProject(options: SetOptions): Promise<void> {
  const { plan, spamLevel, trackOpens, trackClicks, smtpTracking, smtpEvents } = options;
  const { mailDirectory, linkNames, keepDays, keepBodiesDays } = options;
  const changes: Partial<ProjectSettingsRow> = {
    ...(plan !== undefined && { plan }),
    ...(spamLevel !== undefined && { defaultSpamLevel: spamLevel }),
    ...(trackOpens !== undefined && { trackOpens: trackOpens === 'on' }),
    ...(trackClicks !== undefined && { trackClicks: trackClicks === 'on' }),
    ...(smtpTracking !== undefined && { smtpTracking: smtpTracking === 'on' }),
    ...(smtpEvents !== undefined && { smtpEvents: smtpEvents === 'on' }),
    ...(mailDirectory !== undefined && { mailDirectory: mailDirectory === 'on' }),
    ...(linkNames !== undefined && { linkNames: linkNames === 'on' }),
    ...(keepDays !== undefined && { keepDays: keepDays === 'forever' ? null : keepDays }),
    ...(keepBodiesDays !== undefined && {
      keepBodiesDays: keepBodiesDays === 'forever' ? null : keepBodiesDays,
    }),
  };
  if (Object.keys(changes).length === 0) {
    throw validationError({
      options:
        'choose what to change: --plan, --spam-level, --track-opens, --track-clicks, --smtp-tracking, --smtp-events, --mail-directory, --link-names, --keep-days or --keep-bodies-days',
    });
  }
  await withProject(options.project, async ({ database }, id) => {
    await changeProjectSettings(database, id, changes);
    // Servers cache these five settings for `KEY_TTL_MS`. Servers read the other settings when needed.
    if ([plan, trackOpens, trackClicks, smtpTracking, smtpEvents].some((value) => value !== undefined))
      await untilServersKnow(database, KEY_TTL_MS);
    print(options.json, shown(id, options.project, await readProjectSettings(database, id)));
  });
}

async function showProject(options: ProjectOptions): Promise<void> {
  await withProject(options.project, async ({ database }, id) => {
    const settings = await readProjectSettings(database, id);
    const used = await readUsage(database, id, monthOf(clock.now()));
    const plan = PLAN_LIMITS[settings.plan];
    const project = shown(id, options.project, settings);
    const usage = {
      storage_bytes: used.storageBytes,
      emails_this_month: used.apiEmails,
      mailbox_emails_this_month: used.mailboxEmails,
      mailboxes: used.mailboxes,
      own_domains: used.ownDomains,
    };
    // Null means no limit.
    const limits = {
      storage_bytes: plan.storageBytes,
      emails_this_month: plan.apiEmailsPerMonth,
      mailbox_emails_this_month: plan.mailboxEmailsPerMonth,
      mailboxes: plan.mailboxes,
      own_domains: plan.ownDomains,
    } satisfies Record<keyof typeof usage, number | null>;
    if (options.json === true) return print(true, { ...project, usage, limits });
    const names = Object.keys(usage) as (keyof typeof usage)[];
    const lines = names.map((name) => [name, `${usage[name]} of ${limits[name] ?? 'unlimited'}`]);
    print(false, { ...project, ...Object.fromEntries(lines) });
  });
}

async function listAllProjects({ json }: { json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const projects = await listProjects(database);
    const data = projects.map(({ id, name, createdAt, ...settings }) => ({
      ...shown(id, name, settings),
      created_at: createdAt.toISOString(),
    }));
    printList(
      json,
      { data },
      {
        columns: [{ title: 'ID' }, { title: 'AGE' }, { title: 'PLAN' }, { title: 'NAME', isCut: true }],
        rowOf: ({ id, name, plan, created_at }) => [id, age(created_at), plan, name],
        none: 'No projects. The first start of the server creates one.',
      },
    );
  });
}

/** A project as printed. Null retention days mean forever. */
function shown(id: string, name: string, settings: ProjectSettingsRow) {
  return { id: encodeId('prj', id), name, ...shownSettings(settings) };
}
