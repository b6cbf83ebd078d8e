import { findProjectByName } from '../accounts/projects.ts';
import { setPassword } from '../mailboxes/set-password.ts';
import { print, withDatabase } from './with-database.ts';

interface Options {
  project: string;
  address: string;
  password?: string;
  json?: boolean;
}

export async function setMailboxPassword(options: Options): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const { address, generated } = await setPassword(
      database,
      projectId,
      options.address,
      options.password ?? null,
    );
    print(options.json, { address, ...(generated === null ? {} : { password: generated }) });
  });
}
