import { MAIL_WRITING_OPERATIONS } from '../../../../webmail/write/operations.ts';
import type { Upload } from '../../../../contract/mail/uploads.ts';
import { AppError } from '../../../../model/app-error.ts';
import { mailRun } from '../operation.ts';
import { uploadBody } from '../../../../webmail/write/upload-body.ts';

export const createUpload = mailRun(
  MAIL_WRITING_OPERATIONS.createUpload,
  async ({ services, mailbox, query, request }): Promise<Upload> => {
    const { 'content-length': length, 'content-encoding': coding = 'identity' } = request.headers;
    if (coding !== 'identity')
      throw new AppError('unsupported-media-type', 'Send the bytes of the file without a Content-Encoding.');
    const row = await services.uploads.receive(mailbox, {
      name: query.name,
      type: query.type ?? '',
      source: null,
      octets: whole(request.raw),
      declared: length === undefined ? null : Number(length),
    });
    return uploadBody(mailbox, row);
  },
);

/** Yields the chunks of a body. Throws an error if the connection ends early, so that a partial file is not stored. */
async function* whole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new AppError('bad-request', 'The connection closed before the request was complete.');
  }
}
