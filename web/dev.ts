/**
 * `npm run dev`: serves the pages and runs the service behind the pages. The service restarts when its source changes;
 * the pages update as they are edited. In development pages have no content security policy, because Vite inserts
 * scripts.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createServer, mergeConfig, type Plugin, type ViteDevServer } from 'vite';
import { type Application, configOf } from './vite.config.ts';

const ROOT = join(import.meta.dirname, '..');
const PORT = 5173;
const MAIL_PORT = 5174;

const servers = [
  await servePages('mail', MAIL_PORT),
  // Both applications share the dashboard's address: paths of the web client are proxied to the server for `mail`.
  await servePages('dashboard', PORT, {
    '^/mail(?:/(?!api/|setup|config-v1\\.1\\.xml)|$|\\?)': { target: `http://localhost:${MAIL_PORT}` },
  }),
];

async function servePages(
  application: Application,
  port: number,
  proxy: Record<string, { target: string }> = {},
): Promise<ViteDevServer> {
  const server = await createServer(
    mergeConfig(configOf(application), {
      plugins: [addressWithoutSlash(application)],
      server: {
        host: 'localhost',
        port,
        strictPort: true,
        hmr: { clientPort: port },
        proxy: { ...proxy, ...configOf(application).server?.proxy },
      },
    }),
  );
  await server.listen();
  return server;
}

function addressWithoutSlash(application: Application): Plugin {
  return {
    name: 'address-without-slash',
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        const bare = new RegExp(`^/${application}(?=\\?|$)`);
        request.url = (request.url ?? '').replace(bare, `/${application}/`);
        next();
      });
    },
  };
}

// The base URL in links that the service creates, so that such links open these pages.
const address = `http://localhost:${PORT}`;
const service = spawn(process.execPath, ['--watch-path=src', 'src/main.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { POSTHORN_BASE_URL: address, ...process.env },
});
process.stdout.write(`Pages that change as they are edited: ${address}/dashboard and ${address}/mail\n`);
// Ctrl+C reaches both processes. This process waits until the service has finished its work in flight.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => service.kill());
service.once('exit', (code) => {
  void Promise.all(servers.map((server) => server.close())).then(() => process.exit(code ?? 1));
});
