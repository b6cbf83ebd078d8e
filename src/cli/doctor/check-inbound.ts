import { isTakenBySmartHost } from '../../process/reports-port.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { readGreeting } from './read-greeting.ts';
import type { World } from './world.ts';

/** Whether the listener for bounces and complaints runs on this machine. */
export async function checkInbound(world: World): Promise<Finding> {
  const { hostname, smtpPort } = world.config;
  if (smtpPort === 0) {
    return warning(
      'POSTHORN_SMTP_PORT is 0, so the port is another at each start.',
      'Set it to a port of your choice, and lead port 25 to it.',
    );
  }
  if (isTakenBySmartHost(world.config)) {
    return warning(
      `The smart host listens on port ${smtpPort} of this machine, so Posthorn does not take in bounces there.`,
      'Set POSTHORN_SMTP_PORT to another port if Posthorn is to hear of bounces.',
    );
  }
  const greeting = await readGreeting('127.0.0.1', smtpPort, world);
  if ('error' in greeting) {
    return problem(
      `Port ${smtpPort} of this machine: ${greeting.error}. Bounces and complaints do not arrive.`,
      'Start Posthorn with the role smtp and the same POSTHORN_SMTP_PORT.',
    );
  }
  const { code } = greeting.reply;
  const [name = ''] = greeting.text.split(' ', 1);
  if (code !== 220 || name.toLowerCase() !== hostname) {
    return problem(
      `Port ${smtpPort} of this machine greets with "${code} ${greeting.text}", and not as ${hostname}.`,
      'Another program has the port, or Posthorn runs with another POSTHORN_HOSTNAME than this command: give both the same settings, and start it again.',
    );
  }
  return ok(
    `Posthorn takes in bounces on port ${smtpPort} as ${hostname}. Whether port 25 leads there shows only from another machine.`,
  );
}
