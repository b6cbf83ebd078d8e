import { askUrl } from './ask-url.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether Posthorn runs on this machine, and can take mail. */
export async function checkService(world: World): Promise<Finding> {
  const port = world.config.httpPort;
  if (port === 0) {
    return warning(
      'POSTHORN_HTTP_PORT is 0, so the port is another at each start.',
      'Set it to a port of your choice.',
    );
  }
  const answer = await askUrl(new URL(`http://127.0.0.1:${port}/readyz`), '127.0.0.1', world);
  if ('error' in answer) {
    return problem(
      `Posthorn does not answer at port ${port} of this machine: ${answer.error}.`,
      'Start Posthorn, with the same POSTHORN_HTTP_PORT, and run this again.',
    );
  }
  const { status, detail } = { ...read(answer.body) };
  if (answer.status === 200 && status === 'ready')
    return ok(`Posthorn runs at port ${port}, and can take mail.`);
  return answer.status === 503 && typeof detail === 'string'
    ? problem(`Posthorn runs at port ${port}, and is not ready: ${detail}`, 'See what its log says.')
    : problem(
        `What answers at port ${port} of this machine is not Posthorn.`,
        'Another program has the port: give Posthorn another POSTHORN_HTTP_PORT.',
      );
}

function read(body: string): { status?: unknown; detail?: unknown } | null {
  try {
    return JSON.parse(body) as { status?: unknown; detail?: unknown } | null;
  } catch {
    return null;
  }
}
