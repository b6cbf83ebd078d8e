/** Uploads of large files with tus 1.0. @tus/server handles the protocol. The bytes go directly from the request into stored parts. */
import { DataStore, Server, type Upload } from '@tus/server';
import { Checksum, CHECKSUM_ALGORITHMS } from '../../../../file-links/checksums.ts';
import { UNLINKED_MS } from '../../../../file-links/limits.ts';
import type { LinkUpload } from '../../../../file-links/link-uploads.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId } from '../../../../model/ids.ts';
import { mayTakeLong } from '../../slow-bodies.ts';
import type { MailCall } from '../operation.ts';

type Call = Pick<MailCall, 'services' | 'mailbox' | 'id' | 'request' | 'reply'>;

const TUS_VERSION = '1.0.0';
const MEDIA_TYPE = 'application/offset+octet-stream';
/**
 * The header with the CRC-32 of the bytes before `Upload-Offset`, in eight hex digits. Clients compare the CRC-32 to check that they resume
 * the same file.
 */
const RECEIVED_CRC32 = 'posthorn-received-crc32';
/** The request headers that are passed to @tus/server. */
const REQUEST_HEADERS = [
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-defer-length',
  'upload-concat',
];
/** The response headers from @tus/server that are passed to the client. */
const RESPONSE_HEADERS = /^(?:tus-|upload-|location$)/;

/** Handles a tus request. @throws AppError so that errors are problem documents, as in all other operations */
export async function serveTus(call: Call) {
  const { request, reply, mailbox, id } = call;
  const { headers } = request;
  const method = methodOf(call);
  reply.header('tus-resumable', TUS_VERSION);
  if (method !== 'OPTIONS' && headers['tus-resumable'] !== TUS_VERSION) {
    reply.header('tus-version', TUS_VERSION);
    throw new AppError('tus-version', 'This server supports only tus 1.0.0. Send Tus-Resumable: 1.0.0.');
  }
  if (method === 'PATCH' && mediaTypeOf(call) !== MEDIA_TYPE)
    throw new AppError('tus-media-type', `Send the bytes as Content-Type: ${MEDIA_TYPE}.`);
  if (method === 'POST' && hasBody(call))
    throw new AppError(
      'bad-request',
      'Do not send bytes with POST. Send them to the URL in Location with PATCH.',
    );
  let thrown: unknown = null;
  const store = new CallStore(call, method);
  const server = new Server({
    path: `/mail/api/mailboxes/${encodeId('mbx', mailbox.mailboxId)}/file-links/uploads`,
    relativeLocation: true,
    datastore: store,
    // No locks are needed, because only the first of two requests that upload from the same offset succeeds.
    locker: { newLock: () => ({ lock: async () => {}, unlock: async () => {} }) },
    allowedOrigins: [],
    getFileIdFromRequest: () => encodeId('fil', id),
    onResponseError: async (_request, error) => {
      thrown = error;
      return undefined;
    },
  });
  const answer = await server.handleWeb(
    new Request('http://tus.invalid/', { method, headers: headersOf(call, method) }),
  );
  const refusal = thrown === null ? null : await refusalOf(thrown, call);
  if (refusal !== null) {
    // Close the connection, because the rest of the body stays unread.
    if (!request.raw.complete) reply.header('connection', 'close');
    throw refusal;
  }
  if (answer.status >= 400) throw new AppError('bad-request', (await answer.text()).trim());
  for (const [name, value] of answer.headers) if (RESPONSE_HEADERS.test(name)) reply.header(name, value);
  if (method === 'OPTIONS') {
    const { allowance_octets: most } = await call.services.fileLinks.list(mailbox, null);
    reply.headers({ 'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','), 'tus-max-size': String(most) });
  }
  if (method === 'HEAD' && store.found !== null)
    reply.headers({
      'upload-expires': store.found.expiresAt.toUTCString(),
      [RECEIVED_CRC32]: store.found.crc32.toString(16).padStart(8, '0'),
    });
  return reply.code(answer.status).send();
}

/**
 * The method to apply (tus, X-HTTP-Method-Override). Attack: other sites can send HEAD without a CSRF token, so only POST can be
 * overridden.
 * @throws AppError method-not-allowed if the path does not support the method
 */
function methodOf({ request: { method, headers, params }, reply }: Call): string {
  if (method !== 'POST') return method;
  const { 'x-http-method-override': override = method } = headers;
  const allowed = 'id' in (params as object) ? ['HEAD', 'PATCH', 'DELETE'] : ['OPTIONS', 'POST'];
  const found = allowed.find((each) => each === String(override).toUpperCase());
  if (found !== undefined) return found;
  reply.header('allow', allowed.join(', '));
  throw new AppError('method-not-allowed', `This path supports ${allowed.join(', ')}.`);
}

/** Reads the raw header, because `normalizeContentType` removes every media type other than JSON. */
function mediaTypeOf({ request: { raw } }: Call): string | undefined {
  const { rawHeaders } = raw;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? undefined : rawHeaders[at + 1]?.trim().toLowerCase();
}

function hasBody({ request }: Call): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  return length !== '0' || coding !== undefined;
}

function headersOf({ request }: Call, method: string): Headers {
  const headers = new Headers({ 'tus-resumable': TUS_VERSION });
  for (const name of REQUEST_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  if (method !== 'PATCH') return headers;
  const { 'content-length': length } = request.headers;
  if (length !== undefined) headers.set('content-length', length);
  headers.set('content-type', MEDIA_TYPE);
  return headers;
}

async function refusalOf(thrown: unknown, { services, mailbox, id, reply }: Call): Promise<unknown> {
  const { status_code: status = 500, body = '' } = thrown as { status_code?: number; body?: string };
  const error =
    thrown instanceof AppError || status === 500
      ? thrown
      : status === 409
        ? new AppError(
            'upload-conflict',
            'The offset does not match the upload. Get the current Upload-Offset with HEAD, and continue from there.',
          )
        : status === 413
          ? new AppError(
              'payload-too-large',
              'The upload is larger than its Upload-Length. Create a new upload with the right length.',
            )
          : status === 404 || status === 410
            ? noFile()
            : new AppError('bad-request', body.trim());
  if (error instanceof AppError && error.code === 'upload-conflict') {
    const file = await services.linkUploads.find({ ...mailbox, id });
    if (file === null) return noFile();
    reply.header('upload-offset', String(file.received));
  }
  return error;
}

function noFile(): AppError {
  return new AppError('not-found', 'This file no longer exists. Upload it again.');
}

/** The data store that @tus/server uses for one request. */
class CallStore extends DataStore {
  override extensions = ['creation', 'termination', 'checksum', 'expiration'];
  readonly #call: Call;
  readonly #method: string;
  found: LinkUpload | null = null;

  constructor(call: Call, method: string) {
    super();
    this.#call = call;
    this.#method = method;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { services, mailbox } = this.#call;
    const { size = 0, metadata = {} } = upload;
    if (!Number.isSafeInteger(size))
      throw new AppError('bad-request', 'Upload-Length is too large. Upload a smaller file.');
    // tus-js-client and similar clients use these names in the metadata.
    const name = metadata['name'] ?? metadata['filename'];
    const type = metadata['type'] ?? metadata['filetype'];
    const id = await services.announceFile(mailbox, { name: name ?? '', type: type ?? '', octets: size });
    upload.id = encodeId('fil', id);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { services, mailbox } = this.#call;
    // Ignore `id`, because for a file that has just been created, @tus/server passes the public id from the URL of the file.
    const file = await services.linkUploads.find({ ...mailbox, id: this.#call.id });
    this.found = file;
    if (file === null) {
      if (this.#method === 'POST') return { ...this.#uploadOf(id, 0), offset: 0 };
      throw noFile();
    }
    return {
      ...this.#uploadOf(id, file.octets),
      offset: file.received,
      metadata: { name: file.name, type: file.type },
      creation_date: new Date(file.expiresAt.getTime() - UNLINKED_MS).toISOString(),
    };
  }

  override async write(stream: AsyncIterable<unknown>, _id: string, offset: number): Promise<number> {
    const { services, mailbox, id, request } = this.#call;
    // @tus/server gets an empty stream, because the bytes are read from the original request.
    for await (const _ of stream) throw new TypeError('@tus/server passed bytes although it got none');
    const { 'upload-checksum': checksum } = request.headers;
    mayTakeLong(request.raw);
    return services.linkUploads.receive(
      { ...mailbox, id },
      {
        offset,
        octets: request.raw,
        checksum: typeof checksum === 'string' ? new Checksum(checksum) : null,
      },
    );
  }

  override async remove(): Promise<void> {
    const { services, mailbox, id } = this.#call;
    if (!(await services.linkUploads.remove({ ...mailbox, id })))
      throw new AppError(
        'not-found',
        'There is no such file, or it is part of a link. To delete a file of a link, revoke the link.',
      );
  }

  override getExpiration(): number {
    return UNLINKED_MS;
  }

  #uploadOf(id: string, size: number) {
    return {
      id,
      size,
      metadata: undefined,
      storage: undefined,
      creation_date: undefined,
      sizeIsDeferred: false,
    };
  }
}
