/** How the pages are built, and served while they are worked on. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { pdfFilesPlugin } from './pdf-files.ts';

const SERVICE = process.env['POSTHORN_DEV_SERVICE'] ?? 'http://localhost:8025';

/** Each has a folder here and in `dist`, and its addresses begin with its name. */
export const APPLICATIONS = ['dashboard', 'mail'] as const;
export type Application = (typeof APPLICATIONS)[number];

export function configOf(application: Application): InlineConfig {
  return {
    configFile: false,
    root: join(import.meta.dirname, application),
    base: `/${application}/`,
    // Nothing is written below node_modules.
    cacheDir: join(tmpdir(), `posthorn-vite-${application}`),
    // A release is built apart from its packages: names of files must not tell where.
    resolve: { preserveSymlinks: true },
    plugins: [react(), tailwindcss(), ...(application === 'mail' ? [pdfFilesPlugin()] : [])],
    worker: { format: 'es' },
    build: {
      manifest: true,
      // light-dark(), which the colours are written in, is in all of these.
      target: ['chrome123', 'firefox120', 'safari17.5'],
      // The policy of the pages takes styles and scripts from files alone, and every file keeps its name while it stays the same.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      emptyOutDir: true,
      rolldownOptions: {
        output: {
          // Every page needs these: as one file they compress better than as twenty.
          codeSplitting: {
            groups: [
              {
                name: 'base',
                test: /node_modules\/(?:react|react-dom|scheduler|openapi-fetch|@tanstack\/)/,
              },
              // Small ones that the shell of an application and most of its pages need.
              {
                name: 'shared',
                test: /\/web\/(?:ui\/(?:button|classes|copy|dialog|icons|modal|times)|api\/(?:client|mail|query-client)|mail\/(?:reading\/people|shell\/(?:mail-settings|session)))\.tsx?$/,
              },
            ],
          },
        },
      },
    },
    server: {
      // Everything but the pages is the service's. Host stays as it is, or Origin would not be that of the host.
      proxy: {
        [`^/(?!${application}(?:/|$))`]: { target: SERVICE },
        [`/${application}/api`]: { target: SERVICE },
      },
    },
  };
}
