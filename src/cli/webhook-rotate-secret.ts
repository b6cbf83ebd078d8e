import { findProjectByName } from '../accounts/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { rotateSecret } from '../webhooks/rotate-secret.ts';
import { openSealer, print, withDatabase } from './with-database.ts';

interface Options {
  project: string;
  id: string;
  json?: boolean;
}

/** The dashboard and this are the only places where a secret is made anew (docs/contract.md, Signatures). */
export async function rotateWebhookSecret({ project, id, json }: Options): Promise<void> {
  await withDatabase(async (database, config) => {
    const projectId = await findProjectByName(database, project);
    const webhookId = decodeId('wh', id);
    const sealer = await openSealer(database, config);
    const rotated = webhookId === null ? null : await rotateSecret(database, sealer, projectId, webhookId);
    if (rotated === null) throw new AppError('not-found', `The project ${project} has no such webhook.`);
    const { secret, previousUntil } = rotated;
    print(json, { id, secret, previous_secret_until: previousUntil.toISOString() });
  });
}
