/** A test server for Amazon SES in a separate process. Arguments: port, messages per second that the account may send. */
import { startSesServer } from '../test/support/ses-server.ts';

const [port, rate] = process.argv.slice(2);
const server = await startSesServer({ port: Number(port) });
server.maxSendRate = Number(rate);
