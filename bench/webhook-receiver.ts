/**
 * Receives webhooks in a separate process. Argument: port. POST /fast responds at once. POST /timed also responds at once and records the
 * age of each event. POST /dead never responds. GET returns a report, and GET /reset also resets the counters.
 */
import { createServer } from 'node:http';
import type { ReceiverReport } from './support/webhooks.ts';

const OK = { 'content-length': 2 };

let fast = 0;
let agesMs: number[] = [];

createServer((request, response) => {
  const { method, url } = request;
  if (method === 'GET') {
    const report: ReceiverReport = { fast, agesMs };
    response.end(JSON.stringify(report));
    if (url === '/reset') [fast, agesMs] = [0, []];
  } else if (url === '/fast') {
    request.resume();
    request.once('end', () => {
      fast += 1;
      response.writeHead(200, OK).end('ok');
    });
  } else if (url === '/timed') {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.once('end', () => {
      const { created_at }: { created_at: string } = JSON.parse(body);
      agesMs.push(Date.now() - Date.parse(created_at));
      response.writeHead(200, OK).end('ok');
    });
  } else request.resume();
}).listen(Number(process.argv[2]), '127.0.0.1', 4_096);
