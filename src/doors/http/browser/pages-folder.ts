import { join } from 'node:path';

/** Where the built pages of the browser are: a folder for each application. */
export const PAGES_FOLDER = join(import.meta.dirname, '../../../../web/dist');
