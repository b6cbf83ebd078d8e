/** Amazon SES in its own process. Arguments: port, messages per second that the account may send. */
import { startSesServer } from '../test/support/ses-server.ts';

const [port, rate] = process.argv.slice(2);
const server = await startSesServer({ port: Number(port) });
server.maxSendRate = Number(rate);
