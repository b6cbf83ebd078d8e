/** An HTTP server with scripted responses and failures. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: object | string;
}

/** `reset`: closes the connection without a response. `cut`: closes the connection within the body. `silence`: never responds. */
export type Scripted = Answer | 'reset' | 'cut' | 'silence';

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface ScriptedServer extends AsyncDisposable {
  baseUrl: string;
  seen: Seen[];
}

/** Starts a server that sends the responses one after the other, and then repeats the last response. */
export async function scriptedServer(...answers: readonly Scripted[]): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      play(answers[Math.min(seen.length, answers.length) - 1] ?? 'reset', response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function play(answer: Scripted, response: ServerResponse): void {
  if (answer === 'silence') return;
  if (answer === 'reset') response.destroy();
  else if (answer === 'cut') {
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  } else {
    const { status, headers, body = '' } = answer;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}
