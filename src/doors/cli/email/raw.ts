import { AppError } from '../../../model/app-error.ts';
import { rawMessage } from '../../../sending/deliver/raw-message.ts';
import { idFrom, noSuch, print, type ProjectOptions, withProject } from '../command.ts';

/** Prints the message. Where it had to be composed again it says so beside the message, so that a file holds nothing else. */
export async function showRawEmail({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async (core, projectId) => {
    await core.unseal();
    const message = await rawMessage(core.database, core.composing, projectId, idFrom('em', id));
    if (message === null) throw noSuch(project, 'email');
    if (message === 'unsigned')
      throw new AppError(
        'domain-not-verified',
        'No copy of this message was kept, and it cannot be composed again: the project may not send from its domain any more.',
      );
    const { data, isRebuilt } = message;
    if (json === true) return print(true, { id, is_rebuilt: isRebuilt, message: data.toString() });
    if (isRebuilt) process.stderr.write(`${REBUILT}\n`);
    process.stdout.write(data);
  });
}

const REBUILT =
  'No copy was kept: this is composed from what is stored, as each attempt composes it, and signed with the keys of today.';
