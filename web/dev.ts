/**
 * `npm run dev`: the service, which starts again when its source changes, and before it the pages, which change as they are edited. Only
 * here pages have no policy, because Vite writes scripts into them.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createServer } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const PORT = 5173;

const pages = await createServer({
  configFile: join(import.meta.dirname, 'vite.config.ts'),
  plugins: [
    {
      name: 'address-without-slash',
      configureServer({ middlewares }) {
        middlewares.use((request, _response, next) => {
          request.url = (request.url ?? '').replace(/^\/dashboard(?=\?|$)/, '/dashboard/');
          next();
        });
      },
    },
  ],
  server: { host: 'localhost', port: PORT, strictPort: true },
});
await pages.listen();

// What links begin with: so all of them lead to these pages.
const address = `http://localhost:${PORT}`;
const service = spawn(process.execPath, ['--watch-path=src', 'src/main.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { POSTHORN_BASE_URL: address, ...process.env },
});
process.stdout.write(`Pages that change as they are edited: ${address}/dashboard\n`);
// Ctrl-C goes to both; the service ends first, because it finishes what is in flight.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => service.kill());
service.once('exit', (code) => {
  void pages.close().then(() => process.exit(code ?? 1));
});
