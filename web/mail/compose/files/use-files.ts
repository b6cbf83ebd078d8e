import { useEffect, useRef, useState } from 'react';
import { messageOf, ApiProblem } from '../../../api/client.ts';
import type { Upload } from '../../../../src/contract/mail/uploads.ts';
import { newKey } from '../../../ui/new-key.ts';
import type { Limits } from '../draft/composition.ts';
import { type AttachedFile, isUploading, isUploaded, type UploadedFile } from './files.ts';
import { tooLarge } from './limits.ts';
import { csrfTokenOf } from '../../../api/mail.ts';

export interface Files {
  all: readonly AttachedFile[];
  /** Starts uploading files. Inline images are inserted into the text after their upload. */
  add(files: readonly File[], areInline: boolean): void;
  /** Removes a file and cancels its upload. */
  remove(key: string): void;
  /** The current files, which may be newer than the files of the last render. */
  current(): readonly AttachedFile[];
  /** The files that the service has already stored. */
  uploaded(): UploadedFile[];
  /** Resolves when no upload is running. @returns whether all uploads succeeded */
  settled(): Promise<boolean>;
}

export interface FilesOptions {
  mailbox: string;
  /** The limits on a message. Undefined if the limits cannot be loaded; the service checks them in any case. */
  limits(): Promise<Limits | undefined>;
  first: readonly UploadedFile[];
  onChange(): void;
  onImage(upload: Upload): void;
}

/** The files of a message, uploaded two at a time. */
export function useFiles({ mailbox, limits, first, onChange, onImage }: FilesOptions): Files {
  const [all, setAll] = useState<readonly AttachedFile[]>(first);
  const latest = useRef<readonly AttachedFile[]>(first);
  const running = useRef(new Map<string, { stop: AbortController; done: Promise<void> }>());
  const turn = useRef<[Promise<void>, Promise<void>]>([Promise.resolve(), Promise.resolve()]);
  const events = useRef({ onChange, onImage });
  useEffect(() => {
    events.current = { onChange, onImage };
  });

  const change = (next: (before: readonly AttachedFile[]) => readonly AttachedFile[]): void => {
    latest.current = next(latest.current);
    setAll(latest.current);
  };
  const patch = (key: string, given: Partial<AttachedFile>): void =>
    change((before) => before.map((each) => (each.key === key ? { ...each, ...given } : each)));

  async function send(key: string, file: File, isInline: boolean, stop: AbortController): Promise<void> {
    if (stop.signal.aborted) return;
    try {
      const upload = await uploadFile(mailbox, file, {
        signal: stop.signal,
        onProgress: (progress) => patch(key, { progress }),
      });
      const { id, url, name, type, octets } = upload;
      change((before) =>
        before.map((each) =>
          each.key === key ? { key, upload: id, url, isInline, name, type, octets } : each,
        ),
      );
      if (isInline) events.current.onImage(upload);
      events.current.onChange();
    } catch (error) {
      if (!stop.signal.aborted)
        patch(key, {
          problem: error instanceof Error && error.name === 'Error' ? error.message : messageOf(error),
        });
    }
  }

  return {
    all,
    add(files, areInline) {
      for (const file of files) {
        const key = newKey();
        const coming = {
          key,
          name: file.name || 'file',
          type: file.type,
          octets: file.size,
          progress: 0,
          problem: null,
        };
        change((before) => [...before, { ...coming, isInline: areInline }]);
        const stop = new AbortController();
        const [next, other] = turn.current;
        const done = limits()
          .then(async (known) => {
            const others = latest.current.filter((each) => each.key !== key && isGoing(each));
            const problem = known === undefined ? null : tooLarge(file, others, known);
            if (problem !== null) return patch(key, { problem, offered: file });
            await next;
            await send(key, file, areInline, stop);
          })
          .finally(() => running.current.delete(key));
        turn.current = [other, done];
        running.current.set(key, { stop, done });
      }
    },
    remove(key) {
      running.current.get(key)?.stop.abort();
      change((before) => before.filter((each) => each.key !== key));
      events.current.onChange();
    },
    current: () => latest.current,
    uploaded: () => latest.current.filter(isUploaded),
    async settled() {
      while (running.current.size > 0)
        await Promise.all([...running.current.values()].map(({ done }) => done));
      return !latest.current.some(isUploading);
    },
  };
}

/** Whether the file counts toward the size of the message. */
const isGoing = (file: AttachedFile) => !isUploading(file) || file.problem === null;

/**
 * Uploads a file. XMLHttpRequest is used because only it reports upload progress.
 * @throws ApiProblem; DOMException if the upload is aborted; Error if the service does not respond
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
    request.addEventListener('error', () => reject(new Error('The connection was lost during the upload.')));
    request.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
