/** The settings of projects. */
import type { ProjectSettings as ShownSettings } from '../../contract/dashboard/projects.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { Plan } from '../../model/plans.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import { recordDifferences } from '../audit.ts';
import { projectMissing } from './projects.ts';

export interface ProjectSettingsRow {
  plan: Plan;
  /** The spam level of mailboxes without a separate level. */
  defaultSpamLevel: SpamLevel;
  trackOpens: boolean;
  trackClicks: boolean;
  /** Whether opens and clicks are also tracked in emails that were submitted by SMTP. */
  smtpTracking: boolean;
  /** Whether webhooks also get the events of emails that were submitted by SMTP. */
  smtpEvents: boolean;
  /** Whether the web client suggests people from the directory as recipients. */
  mailDirectory: boolean;
  /** Whether the dashboard shows the names of files that were sent as links. */
  linkNames: boolean;
  /** Emails older than this number of days are deleted. Null if emails are never deleted. */
  keepDays: number | null;
  /**
   * Bodies of emails older than this number of days are deleted. 0 to delete bodies as soon as the last attempt has ended. Null if bodies
   * are never deleted.
   */
  keepBodiesDays: number | null;
}

const SETTINGS = [
  'plan',
  'defaultSpamLevel',
  'trackOpens',
  'trackClicks',
  'smtpTracking',
  'smtpEvents',
  'mailDirectory',
  'linkNames',
  'keepDays',
  'keepBodiesDays',
] as const;

export interface ProjectRecord extends ProjectSettingsRow {
  /** uuid */
  id: string;
  name: string;
  /** uuid */
  organizationId: string;
  createdAt: Date;
}

/** All projects of the installation, oldest first. */
export function listProjects(database: Database): Promise<ProjectRecord[]> {
  return database
    .selectFrom('projects')
    .select(['id', 'name', 'organizationId', 'createdAt', ...SETTINGS])
    .orderBy('id')
    .execute();
}

/** @throws AppError not-found */
export async function readProjectSettings(
  database: Database,
  projectId: string,
): Promise<ProjectSettingsRow> {
  const row = await database
    .selectFrom('projects')
    .select(SETTINGS)
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'There is no such project.');
  return row;
}

/** The settings as the dashboard shows them. @param installationKeepDays POSTHORN_KEEP_DAYS @throws AppError not-found */
export async function describeProjectSettings(
  database: Database,
  projectId: string,
  installationKeepDays: number | null,
): Promise<ShownSettings> {
  const { name, ...settings } = await database
    .selectFrom('projects')
    .select(['name', ...SETTINGS])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow(projectMissing);
  return { name, ...shownSettings(settings), installation_keep_days: installationKeepDays };
}

/**
 * Applies the given changes. A project that exceeds its new plan keeps its resources and cannot add more. Servers apply a new plan within
 * `KEY_TTL_MS`.
 */
export async function changeProjectSettings(
  database: Database,
  projectId: string,
  changes: Partial<ProjectSettingsRow>,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const before = await tx
      .selectFrom('projects')
      .select(['name', ...SETTINGS])
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined) return;
    await tx.updateTable('projects').set(changes).where('id', '=', projectId).execute();
    const { name, ...settings } = before;
    const target = encodeId('prj', projectId);
    const change = { of: { projectId }, action: 'project.update', target, targetName: name } as const;
    await recordDifferences(tx, change, shownSettings(settings), shownSettings({ ...settings, ...changes }));
  });
}

/** The settings under their public names. */
export function shownSettings({ plan, defaultSpamLevel, ...settings }: ProjectSettingsRow) {
  const { trackOpens, trackClicks, smtpTracking, smtpEvents, mailDirectory, linkNames } = settings;
  const { keepDays, keepBodiesDays } = settings;
  return {
    plan,
    spam_level: defaultSpamLevel,
    track_opens: trackOpens,
    track_clicks: trackClicks,
    smtp_tracking: smtpTracking,
    smtp_events: smtpEvents,
    mail_directory: mailDirectory,
    link_names: linkNames,
    keep_days: keepDays,
    keep_bodies_days: keepBodiesDays,
  };
}
