import { join } from 'node:path';

/** The folder of the built pages, with one subfolder per application. */
export const PAGES_FOLDER = join(import.meta.dirname, '../../../../web/dist');
