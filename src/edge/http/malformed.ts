/** Answers to what is not HTTP, or stopped half way: no request reaches the router then, only a socket is left. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../model/app-error.ts';
import { COMMON_HEADERS, PROBLEM_MEDIA_TYPE, PROBLEMS, problemDocument } from './problem.ts';
import { newRequestId } from './request-id.ts';

/** Of the request line and all headers. */
export const MAX_HEADER_BYTES = 16_384;

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The request line and the headers are larger than ${MAX_HEADER_BYTES} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** For `clientError` of the server. */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswerDue(socket, error.code)) {
    socket.destroy();
    return;
  }
  refuse(socket, DETAILS[error.code ?? ''] ?? 'The request is not HTTP/1.1.');
}

/** Answers bad-request and closes. */
export function refuse(socket: Duplex, detail: string): void {
  const error = new AppError('bad-request', detail);
  const { status } = PROBLEMS[error.code];
  const id = newRequestId();
  const body = JSON.stringify(problemDocument(error, id));
  const headers = {
    ...COMMON_HEADERS,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': id,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

/**
 * Whether an answer to an earlier, whole request is still to come or on its way: what is written now would be taken
 * for it, and behind a proxy it could be somebody else's. Where the time was up, an answer may also have gone out
 * before the body of its request was read to the end.
 */
function isAnswerDue(socket: Duplex, code: string | undefined): boolean {
  const { _httpMessage: response, bytesWritten } = socket as Duplex & {
    _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null;
    bytesWritten?: number;
  };
  if (response) return response.headersSent || response.req.complete;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesWritten !== 0;
}
