import { csrfTokenOf } from '../../../api/mail.ts';
import type { TusResponse, TusRequest, TusTransport } from './send-file.ts';

/** After this time without progress, the connection is considered dead, even if the browser reports it as open. */
const STALL_MS = 30_000;
/** The longer timeout after the last byte has been sent, because the service writes the bytes to disk before it responds. */
const ANSWER_MS = 120_000;

/**
 * Sends the requests of one upload. XMLHttpRequest is used because only it reports upload progress.
 * @param url the URL of the upload
 */
export function tusTransport(mailbox: string, url: string): TusTransport {
  return ({ method, piece, signal, onSent }: TusRequest) =>
    new Promise<TusResponse>((resolve, reject) => {
      const request = new XMLHttpRequest();
      let timer: ReturnType<typeof setTimeout>;
      const watch = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          reject(new Error('The upload stalled.'));
          request.abort();
        }, ms);
      };
      const stop = (): void => request.abort();
      request.open(method, url);
      request.setRequestHeader('tus-resumable', '1.0.0');
      request.setRequestHeader('x-csrf-token', csrfTokenOf(mailbox));
      if (piece !== undefined) {
        request.setRequestHeader('upload-offset', String(piece.offset));
        if (piece.checksum !== null) request.setRequestHeader('upload-checksum', piece.checksum);
        request.setRequestHeader('content-type', 'application/offset+octet-stream');
        const octets = piece.bytes.size;
        request.upload.addEventListener('progress', ({ loaded }) => {
          watch(loaded < octets ? STALL_MS : ANSWER_MS);
          onSent?.(Math.min(loaded, octets));
        });
      }
      request.addEventListener('load', () => resolve(answerOf(request)));
      request.addEventListener('error', () => reject(new Error('No connection to the server.')));
      request.addEventListener('abort', () => reject(new Error('The upload was stopped.')));
      request.addEventListener('loadend', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      });
      signal.addEventListener('abort', stop);
      watch(STALL_MS);
      request.send(piece?.bytes ?? null);
    });
}

function answerOf(request: XMLHttpRequest): TusResponse {
  const offset = request.getResponseHeader('upload-offset');
  const crc = request.getResponseHeader('posthorn-received-crc32');
  return {
    status: request.status,
    offset: offset !== null && /^\d{1,15}$/.test(offset) ? Number(offset) : null,
    crc32: crc !== null && /^[0-9a-f]{8}$/.test(crc) ? Number.parseInt(crc, 16) : null,
    detail: detailOf(request.responseText),
  };
}

/** The `detail` of a problem document. */
function detailOf(text: string): string | null {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail : null;
  } catch {
    return null;
  }
}
