import { ApiProblem } from '../../../api/client.ts';
import { csrfTokenOf } from '../../../api/mail.ts';
import type { Upload } from '../../../../src/contract/mail/uploads.ts';

/**
 * Sends a file to the service. By XMLHttpRequest: only it says how far it has got.
 * @throws ApiProblem; DOMException when it is aborted; Error when the service does not answer
 */
export function uploadFile(
  mailbox: string,
  file: File,
  { onProgress, signal }: { onProgress(part: number): void; signal: AbortSignal },
): Promise<Upload> {
  const query = new URLSearchParams({
    name: file.name.slice(0, 255) || 'file',
    type: file.type.slice(0, 127) || 'application/octet-stream',
  });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/mail/api/mailboxes/${mailbox}/uploads?${query.toString()}`);
    request.responseType = 'json';
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('x-csrf-token', csrfTokenOf(mailbox));
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total === 0 ? 1 : loaded / total),
    );
    request.addEventListener('load', () => {
      if (request.status < 300) resolve(request.response as Upload);
      else reject(new ApiProblem(request.status, (request.response ?? {}) as object));
    });
    request.addEventListener('error', () => reject(new Error('No connection while it was sent.')));
    request.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
