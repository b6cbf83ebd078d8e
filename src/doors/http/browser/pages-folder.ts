import { join } from 'node:path';

/** The folder of the built pages, with a subfolder for each application. */
export const PAGES_FOLDER = join(import.meta.dirname, '../../../../web/dist');
