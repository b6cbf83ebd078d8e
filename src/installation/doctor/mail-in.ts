/** Checks the port for incoming mail. */
import { ownAddress } from '../../app/own-address.ts';
import { isUsedBySmartHost } from '../../app/reports-port.ts';
import { readGreeting } from './ask-servers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Checks that the listener for mail, bounces and complaints runs on this machine. */
export async function checkInbound(world: World): Promise<Finding> {
  const { hostname, smtpPort } = world.config;
  if (smtpPort === 0) {
    return warning(
      'POSTHORN_SMTP_PORT is 0, so each start uses a different port.',
      'Set POSTHORN_SMTP_PORT to a fixed port, and forward port 25 to it.',
    );
  }
  if (isUsedBySmartHost(world.config)) {
    return warning(
      `The smart host listens on port ${smtpPort} of this machine, so Posthorn cannot receive bounces there.`,
      'To receive bounces, set POSTHORN_SMTP_PORT to another port.',
    );
  }
  const greeting = await readGreeting(ownAddress(world.config), smtpPort, hostname, world);
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
      `Port ${smtpPort} of this machine answers "${code} ${greeting.text}", not as ${hostname}.`,
      'Another program uses the port, or Posthorn runs with another POSTHORN_HOSTNAME than this command. Give both the same settings, and restart Posthorn.',
    );
  }
  return ok(
    `Posthorn receives mail and bounces on port ${smtpPort} as ${hostname}. Whether port 25 is forwarded to it can only be checked from another machine.`,
  );
}
