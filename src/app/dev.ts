/** The parts of `posthorn dev`: the port that catches mail, and the inbox. */
import { Catcher } from '../dev/catcher.ts';
import { devProject, ensureDevUser } from '../dev/dev-user.ts';
import { DevInbox } from '../dev/inbox.ts';
import { MessageReader } from '../dev/message-reader.ts';
import type { DevDoor } from '../doors/http/dev/routes.ts';
import { startCatchListener } from '../doors/smtp/catch/listener.ts';
import { Spool } from '../doors/smtp/spool.ts';
import { spoolFolder } from './objects.ts';
import type { RoleContext } from './role-context.ts';

/** Opens the port that catches mail. @throws the errors of `listenAt` */
export async function openDev({ core, config, assignment, stack, logger }: RoleContext): Promise<{
  port: number;
  door: DevDoor;
}> {
  const { database, wake } = core;
  const { hostedDomain, listen } = config;
  const projectId = await devProject(database);
  const reader = stack.use(new MessageReader());
  const catcher = new Catcher({ database, reader, projectId, hostedDomain, onQueued: wake });
  const spool = new Spool(spoolFolder(config), logger);
  const listenAddress = { addresses: listen, port: assignment.ports.devSmtp };
  const { port } = stack.use(await startCatchListener({ listenAddress, spool, catcher, logger }));
  const ended = new AbortController();
  return {
    port,
    door: {
      inbox: new DevInbox(database, projectId, reader),
      user: () => ensureDevUser(database),
      smtpAddress: `localhost:${port}`,
      ended: ended.signal,
      end: () => ended.abort(),
    },
  };
}
