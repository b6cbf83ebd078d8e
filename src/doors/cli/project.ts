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
    .description('make a project')
    .requiredOption('--name <name>', 'its name')
    .addOption(new Option('--plan <plan>', 'its plan; default: POSTHORN_DEFAULT_PLAN').choices(PLANS))
    .option('--organization <name>', 'whose it is: a name or org_...; default: the first organisation')
    .addOption(json)
    .addHelpText('after', example('project create --name shop'))
    .action(createNewProject);
  project
    .command('set')
    .description('change the plan or the settings of a project; running servers know it when this ends')
    .addOption(projectOption('its name'))
    .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS))
    .addOption(
      new Option('--spam-level <level>', 'the spam level of mailboxes that have none of their own').choices(
        SPAM_LEVELS,
      ),
    )
    .addOption(new Option('--track-opens <switch>', 'tell when an email is opened').choices(SWITCH))
    .addOption(new Option('--track-clicks <switch>', 'tell when a link is clicked').choices(SWITCH))
    .addOption(
      new Option('--smtp-events <switch>', 'tell webhooks of emails that came by SMTP, too').choices(SWITCH),
    )
    .addOption(
      new Option('--mail-directory <switch>', 'show the directory to who writes in the web client').choices(
        SWITCH,
      ),
    )
    .addOption(
      new Option('--link-names <switch>', 'show in the dashboard what the files of links are called').choices(
        SWITCH,
      ),
    )
    .addOption(
      new Option(
        '--keep-days <days>',
        'delete emails that are older: 1 to 36500, or forever (docs/operate/retention.md)',
      ).argParser(daysFrom(1)),
    )
    .addOption(
      new Option(
        '--keep-bodies-days <days>',
        'delete the bodies of emails that are older: 0 (after the last attempt) to 36500, or forever',
      ).argParser(daysFrom(0)),
    )
    .addOption(json)
    .addHelpText('after', example('project set --project shop --plan free --track-opens on'))
    .action(setProject);
  project
    .command('list')
    .description('all projects')
    .addOption(json)
    .addHelpText('after', example('project list'))
    .action(listAllProjects);
  project
    .command('show')
    .description('the settings of a project, and what it uses of its plan')
    .addOption(projectOption('its name'))
    .addOption(json)
    .addHelpText('after', example('project show --project default'))
    .action(showProject);
  project
    .command('export')
    .description(
      'write all that a project has into a new folder: NDJSON, and a message for each email with a body',
    )
    .addOption(projectOption('its name'))
    .requiredOption('--out <folder>', 'a folder that is new or empty')
    .addOption(json)
    .addHelpText('after', example('project export --project shop --out /srv/export/shop'))
    .action(async (options) => (await import('./project-end.ts')).exportProjectTo(options));
  project
    .command('delete')
    .description('delete a project with all that it has; nothing of it goes out any more')
    .addOption(projectOption('its name'))
    .option('--yes', 'really')
    .addOption(json)
    .addHelpText('after', example('project delete --project shop --yes'))
    .action(async (options) => (await import('./project-end.ts')).deleteProjectNow(options));
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
    const named = organization === undefined ? null : await findOrganization(database, organization);
    const id = await database.transaction().execute(async (tx) => {
      const organizationId = named?.id ?? (await ensureOrganization(tx));
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
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${MAX_DAYS}, or forever.`);
  };
}

/** When this ends, every running server knows the change. */
async function setProject(options: SetOptions): Promise<void> {
  const { plan, spamLevel, trackOpens, trackClicks, smtpEvents, mailDirectory, linkNames } = options;
  const { keepDays, keepBodiesDays } = options;
  const changes: Partial<ProjectSettingsRow> = {
    ...(plan !== undefined && { plan }),
    ...(spamLevel !== undefined && { defaultSpamLevel: spamLevel }),
    ...(trackOpens !== undefined && { trackOpens: trackOpens === 'on' }),
    ...(trackClicks !== undefined && { trackClicks: trackClicks === 'on' }),
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
        'say what to set: --plan, --spam-level, --track-opens, --track-clicks, --smtp-events, --mail-directory, --link-names, --keep-days or --keep-bodies-days',
    });
  }
  await withProject(options.project, async ({ database }, id) => {
    await changeProjectSettings(database, id, changes);
    // The spam level is read where it is needed; servers remember the others for this long.
    if ([plan, trackOpens, trackClicks, smtpEvents].some((value) => value !== undefined))
      await untilServersKnow(database, KEY_TTL_MS);
    print(options.json, shown(id, options.project, await readProjectSettings(database, id)));
  });
}

async function showProject(options: ProjectOptions): Promise<void> {
  await withProject(options.project, async ({ database }, id) => {
    const settings = await readProjectSettings(database, id);
    const used = await readUsage(database, id, monthOf(clock.now()));
    const may = PLAN_LIMITS[settings.plan];
    const project = shown(id, options.project, settings);
    const usage = {
      storage_bytes: used.storageBytes,
      emails_this_month: used.apiEmails,
      mailbox_emails_this_month: used.mailboxEmails,
      mailboxes: used.mailboxes,
      own_domains: used.ownDomains,
    };
    // Null is no limit.
    const limits = {
      storage_bytes: may.storageBytes,
      emails_this_month: may.apiEmailsPerMonth,
      mailbox_emails_this_month: may.mailboxEmailsPerMonth,
      mailboxes: may.mailboxes,
      own_domains: may.ownDomains,
    } satisfies Record<keyof typeof usage, number | null>;
    if (options.json === true) return print(true, { ...project, usage, limits });
    const names = Object.keys(usage) as (keyof typeof usage)[];
    const lines = names.map((name) => [name, `${usage[name]} of ${limits[name] ?? 'any number'}`]);
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
        none: 'No projects: the first start of the server makes one.',
      },
    );
  });
}

/** A project under the names that people see. Days of null are for ever. */
function shown(id: string, name: string, settings: ProjectSettingsRow) {
  return { id: encodeId('prj', id), name, ...shownSettings(settings) };
}
