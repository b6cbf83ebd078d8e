/** Responds to input that is not HTTP or is incomplete. The router receives no request for such input, so only the socket is available. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../model/app-error.ts';
import { newRequestId, problemResponse } from './problem.ts';
import { isSlow } from './slow-bodies.ts';

/** Maximum bytes of the request line and all headers together. */
export const MAX_HEADER_BYTES = 16_384;

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The request line and the headers are larger than ${MAX_HEADER_BYTES} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** A listener for the server's `clientError`. */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  // Node.js reports the timeout only once per request, so a slow request that is ignored here stays exempt.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isSlow(socket)) return;
  if (error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, DETAILS[error.code ?? ''] ?? 'The request is not HTTP/1.1.', error.code);
}

/**
 * Responds with bad-request and closes the connection. Sends no response that the client could mistake for the response to another request.
 */
export function refuse(socket: Duplex, detail: string, code?: string): void {
  if (!socket.writable || isResponsePending(socket, code)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = problemResponse(new AppError('bad-request', detail), newRequestId());
  const length = String(Buffer.byteLength(body));
  const lines = Object.entries({ ...headers, 'content-length': length, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

/**
 * Whether the response to an earlier, complete request is outstanding or in transit. The client would mistake a response written now for
 * the response to that earlier request, and a proxy could pass the response to another user. On a timeout, even the request that timed
 * out may have been answered already, before its body was read completely.
 */
function isResponsePending(socket: Duplex, code: string | undefined): boolean {
  const { _httpMessage: response, bytesWritten } = socket as Duplex & {
    _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null;
    bytesWritten?: number;
  };
  if (response) return response.headersSent || response.req.complete;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesWritten !== 0;
}
