/**
 * Takes pictures of pages of the dashboard, narrow and wide, light and dark: `deploy/node test/web/pictures.ts <folder> <path>...`, such as
 * `/tmp/pictures / /emails`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDashboard } from '../support/dashboard.ts';

const [folder, ...paths] = process.argv.slice(2);
if (folder === undefined) throw new Error(`usage: ${fileURLToPath(import.meta.url)} <folder> <path>...`);
const VIEWPORTS = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];

mkdirSync(folder, { recursive: true });
await using dashboard = await openDashboard();
for (const path of paths.length === 0 ? ['/'] : paths) {
  for (const viewport of VIEWPORTS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const as = path.startsWith('/sign-in') ? null : path.startsWith('/system') ? 'operator' : 'owner';
      const page = await dashboard.open(path, { as, viewport, colorScheme });
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      const name = path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
      const file = join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
      await page.screenshot({ path: file, fullPage: true });
      process.stdout.write(`${file}\n`);
      await page.context().close();
    }
  }
}
