import { revokeApiKey } from '../accounts/api-keys.ts';
import { findProjectByName } from '../accounts/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { withDatabase } from './with-database.ts';

export async function revokeKey(options: { project: string; id: string }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const keyId = decodeId('key', options.id);
    const revoked = keyId !== null && (await revokeApiKey(database, projectId, keyId));
    if (!revoked)
      throw new AppError(
        'not-found',
        `The project ${options.project} has no such key, or it was revoked before.`,
      );
    process.stdout.write('revoked\n');
  });
}
