import { Upload, UploadQuery } from '../../../../contract/mail/uploads.ts';
import { AppError } from '../../../../model/app-error.ts';
import { mailOperation } from '../operation.ts';
import { uploadBody } from '../../../../webmail/write/upload-body.ts';

export const createUpload = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/uploads',
  takes: 'octets',
  query: UploadQuery,
  summary: 'Send a file that is to be attached',
  description:
    'The body is the bytes of the file, of any type. It is kept for a day, and as long as a draft has it. One that is larger than the plan of the project allows is refused.',
  success: { status: 201, description: 'The file, to be named by drafts.', body: Upload },
  async run({ services, mailbox, query, request }): Promise<Upload> {
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
});

/** Half a file is none. */
async function* whole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new AppError('bad-request', 'The request broke off before its end.');
  }
}
