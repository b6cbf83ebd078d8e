/** The configuration for building the pages, and for serving them during development. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { pdfFilesPlugin } from './pdf-files.ts';

const SERVICE = process.env['POSTHORN_DEV_SERVICE'] ?? 'http://localhost:8025';

/** The applications. Each has a folder in `web` and in `dist`, and its URLs begin with its name. */
export const APPLICATIONS = ['dashboard', 'mail'] as const;
export type Application = (typeof APPLICATIONS)[number];

export function configOf(application: Application): InlineConfig {
  return {
    configFile: false,
    root: join(import.meta.dirname, application),
    base: `/${application}/`,
    // The cache is in the temporary folder, so that nothing is written below node_modules.
    cacheDir: join(tmpdir(), `posthorn-vite-${application}`),
    // A release is not built in the folder of its packages, so file names must not depend on paths.
    resolve: { preserveSymlinks: true },
    plugins: [react(), tailwindcss(), ...(application === 'mail' ? [pdfFilesPlugin()] : [])],
    worker: { format: 'es' },
    build: {
      manifest: true,
      // All these browsers support light-dark(), which the colors use.
      target: ['chrome123', 'firefox120', 'safari17.5'],
      // The pages' policy allows styles and scripts only from files, and a file keeps its name while its content
      // stays the same.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      emptyOutDir: true,
      rolldownOptions: {
        output: {
          // Every page needs these modules, so they are in one file. One file compresses better than twenty files.
          codeSplitting: {
            groups: [
              {
                name: 'base',
                test: /node_modules\/(?:react|react-dom|scheduler|openapi-fetch|@tanstack\/)/,
              },
              // Small modules that the shell and most pages need.
              {
                name: 'shared',
                test: /\/web\/(?:ui\/(?:badge|button|classes|copy|dialog|icons|modal|times|watched)|api\/(?:client|dashboard|mail|query-client)|mail\/(?:reading\/(?:folders|move|people)|shell\/(?:mail-settings|session)))\.tsx?$/,
              },
            ],
          },
        },
      },
    },
    server: {
      // The service handles all paths except the pages' paths. The Host header is unchanged, because Origin must match it.
      proxy: {
        [`^/(?!${application}(?:/|$))`]: { target: SERVICE },
        [`/${application}/api`]: { target: SERVICE },
      },
    },
  };
}
