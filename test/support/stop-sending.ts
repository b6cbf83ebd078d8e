/** Makes a service send no mail, by recording that the installation has another kind of provider than the service. */
import { readNotSendingSince } from '../../src/queue/provider-kind.ts';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

const PATIENCE_MS = 30_000;

/** Resolves when the service, a sandbox, has noticed that the installation sends real mail. Disposing of the result resumes sending. */
export async function stopSending({ database }: Pick<Service, 'database'>): Promise<AsyncDisposable> {
  const name = 'provider_kind';
  const before = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  const set = (value: string) =>
    database.updateTable('settings').set({ value }).where('name', '=', name).execute();
  await set('real');
  const isStopped = async () => (await readNotSendingSince(database)) !== null;
  if (!(await eventually(isStopped, PATIENCE_MS))) throw new Error('The service still sends');
  return {
    async [Symbol.asyncDispose]() {
      await set(before.value);
      await eventually(async () => !(await isStopped()), PATIENCE_MS);
    },
  };
}
