import { AppError } from '../../../model/app-error.ts';
import { rawMessage } from '../../../sending/deliver/raw-message.ts';
import { idFrom, noSuch, print, type ProjectOptions, withProject } from '../command.ts';

/** Prints the message. If the message was composed again, a note goes to stderr, so that redirected stdout contains only the message. */
export async function showRawEmail({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async (core, projectId) => {
    await core.unseal();
    const message = await rawMessage(core.database, core.composing, projectId, idFrom('em', id));
    if (message === null) throw noSuch(project, 'email');
    if (message === 'unsigned')
      throw new AppError(
        'domain-not-verified',
        'No copy of this message is stored, and the message cannot be composed again because the project can no longer send from its domain. Verify the domain, then try again.',
      );
    const { data, isRebuilt } = message;
    if (json === true) return print(true, { id, is_rebuilt: isRebuilt, message: data.toString() });
    if (isRebuilt) process.stderr.write(`${REBUILT}\n`);
    process.stdout.write(data);
  });
}

const REBUILT =
  'No copy is stored. This message was composed again from the stored email, as for each attempt, and signed with the current DKIM keys.';
